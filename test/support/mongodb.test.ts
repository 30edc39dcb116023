import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import mongoose from 'mongoose';

import { startMongo } from './mongodb.js';

// a first start may install a server
const patience = 300_000;
const silent = () => undefined;
const before = { ...process.env };
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mongodb-test-'));
  delete process.env.MONGODB_URI;
});

afterEach(async () => {
  for (const name of ['MONGODB_URI', 'PATH', 'XDG_CACHE_HOME']) {
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  }
  await rm(folder, { recursive: true, force: true });
});

async function withNotes<Result>(uri: string, work: (notes: mongoose.mongo.Collection) => Promise<Result>) {
  const client = new mongoose.mongo.MongoClient(uri, { serverSelectionTimeoutMS: 500 });
  try {
    return await work(client.db('support').collection('notes'));
  } finally {
    await client.close();
  }
}
const write = (uri: string, text: string) => withNotes(uri, (notes) => notes.insertOne({ text }));
const read = (uri: string) =>
  withNotes(uri, async (notes) => (await notes.find().toArray()).map(({ text }) => text));

it('startMongo takes the MONGODB_URI of the environment, and does not print its password', async () => {
  process.env.MONGODB_URI = 'mongodb://ann:secret@db.example/notes';
  const lines: string[] = [];
  const mongo = await startMongo({ log: (line) => lines.push(line) });
  await mongo.stop();
  expect(mongo).toMatchObject({ uri: 'mongodb://ann:secret@db.example/notes', kind: 'given' });
  expect(Object.keys(mongo).sort()).toEqual(['kind', 'stop', 'uri']);
  expect(lines).toEqual([expect.stringContaining('MONGODB_URI')]);
  expect(lines[0]).not.toContain('secret');
});

describe('a local server', () => {
  it(
    'a local MongoDB keeps the data of a folder from one run to the next',
    async () => {
      const first = await startMongo({ dataFolder: folder, log: silent });
      await write(first.uri, 'one');
      await first.stop();
      const second = await startMongo({ dataFolder: folder, log: silent });
      expect(await read(second.uri)).toEqual(['one']);
      await second.stop();
    },
    patience,
  );

  it(
    'a local MongoDB ends with our process even after a kill, and its data stay',
    async () => {
      const script = `
      const { startMongo } = await import(${JSON.stringify(new URL('./mongodb.ts', import.meta.url).href)});
      const { default: mongoose } = await import('mongoose');
      const { uri } = await startMongo({ dataFolder: ${JSON.stringify(folder)} });
      await new mongoose.mongo.MongoClient(uri).db('support').collection('notes').insertOne({ text: 'last words' });
      console.log(uri);`;
      const { MONGODB_URI: _, ...environment } = process.env;
      const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
        env: environment,
      });
      const [uri] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
      child.kill('SIGKILL');
      await once(child, 'close');
      const next = await startMongo({
        dataFolder: folder,
        port: Number(new URL(uri.trim()).port),
        log: silent,
      });
      expect(await read(next.uri)).toEqual(['last words']);
      await next.stop();
    },
    patience,
  );
});

describe('a mongod on the PATH', () => {
  interface Reported {
    readonly args: readonly string[];
    readonly commands: readonly Readonly<Record<string, { members: { host: string }[]; version?: number }>>[];
    readonly refusedHellos: number;
  }
  const startStandIn = async () => {
    const programs = join(folder, 'programs');
    await mkdir(programs, { recursive: true });
    const program = join(programs, 'mongod');
    const standIn = fileURLToPath(new URL('stand-in-mongod.mjs', import.meta.url));
    await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${standIn}' "$@"\n`);
    await chmod(program, 0o755);
    process.env.PATH = `${programs}${delimiter}${before.PATH}`;
    const mongo = await startMongo({ dataFolder: folder, testCommands: true, log: silent });
    const { host } = new URL(mongo.uri);
    const reported = JSON.parse(await readFile(join(folder, 'mongod', 'reported.json'), 'utf8')) as Reported;
    return { mongo, host, reported };
  };

  it('a mongod on the PATH is a replica set of one, with a primary at the end of its start', async () => {
    const { mongo, host, reported } = await startStandIn();
    expect(mongo.kind).toBe('mongod');
    expect(reported.args.join(' ')).toMatch(
      /--port \d+ --dbpath \S+ --replSet rs0 --setParameter enableTestCommands=1/,
    );
    expect(reported.commands).toEqual([{ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host }] } }]);
    // before replSetInitiate, and until the election
    expect(reported.refusedHellos).toBeGreaterThan(3);
    await mongo.stop();
  });

  it('a mongod whose data have another port is reconfigured to the new one', async () => {
    const first = await startStandIn();
    await first.mongo.stop();
    const second = await startStandIn();
    expect(second.host).not.toBe(first.host);
    const [, reconfigured] = second.reported.commands;
    expect(reconfigured).toMatchObject({ replSetReconfig: { version: 2, members: [{ host: second.host }] } });
    await second.mongo.stop();
  });
});

describe('without any MongoDB', () => {
  beforeEach(async () => {
    const cache = join(folder, 'express-authorization-server');
    await mkdir(cache);
    await writeFile(join(cache, 'mongod-download-refused'), 'no way to fastdl.mongodb.org');
    // left by a process that crashed
    await writeFile(join(cache, 'secantusdb.lock'), '');
    await utimes(join(cache, 'secantusdb.lock'), 0, 0);
    process.env.XDG_CACHE_HOME = folder;
    process.env.PATH = folder;
  });

  it('startMongo without any MongoDB reports its attempts, the failure of each, and the cure', async () => {
    const failure = startMongo({ log: silent });
    await expect(failure).rejects.toThrow(/mongod on the PATH: not there/);
    await expect(failure).rejects.toThrow(
      /mongodb-memory-server-core: no way to fastdl\.mongodb\.org \(remembered/,
    );
    await expect(failure).rejects.toThrow(/SecantusDB .*: no Python 3\.10 to 3\.13/);
    await expect(failure).rejects.toThrow(
      /set MONGODB_URI=.*install MongoDB.*install Python 3\.10.*python3-venv/,
    );
  });

  it('startMongo names a Python that is too old and one without venv', async () => {
    for (const [name, answer] of [
      ['python3.11', '3.11 False'],
      ['python3', '3.9 True'],
    ] as const) {
      await writeFile(join(folder, name), `#!/bin/sh\necho ${answer}\n`);
      await chmod(join(folder, name), 0o755);
    }
    const failure = startMongo({ log: silent });
    await expect(failure).rejects.toThrow(
      /python3\.11 is 3\.11 but lacks venv \(Debian: python3-venv\), .*python3 is 3\.9/,
    );
  });
});
