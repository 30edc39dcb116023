import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import mongoose, { type Connection } from 'mongoose';

import { type AuthorizationServer, authorizationServer } from '../../lib/index.js';
import { runCli } from '../support/cli.js';
import { recordCommands } from '../support/commands.js';
import { openDatabase } from '../support/database.js';
import { fixture } from '../support/site-for.js';

const RED = 'https://red.example';
const BLUE = 'https://blue.example';

/** Each server has a separate connection, as in a separate process. */
let connections: Connection[];
const servers: AuthorizationServer[] = [];

const database = fixture(() => openDatabase());
beforeAll(async () => {
  connections = [
    database.connection,
    await mongoose.createConnection(database.uri).asPromise(),
    await mongoose.createConnection(database.uri).asPromise(),
  ];
});
beforeEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
  await stored().deleteMany({});
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await Promise.all(connections.slice(1).map((connection) => connection.close()));
});

const stored = () => database.collection('oauth_issuers');
const recorded = async () => (await stored().find().toArray()).map(({ issuer }) => String(issuer));

/** A server in the process `at`. */
function serve(issuer: string, at = 0): AuthorizationServer {
  const server = authorizationServer({ issuer, connection: connections[at]!, scopes: {}, login: '/login' });
  servers.push(server);
  return server;
}

describe('oauth.ready()', () => {
  test('ready() refuses a second issuer on one database by another connection, with a cure', async () => {
    const red = serve(RED);
    await red.ready();
    expect(await recorded()).toEqual([RED]);
    await expect(serve(BLUE, 1).ready()).rejects.toThrow(
      new TypeError(
        `authorizationServer: the option connection: the database ${database.connection.name} belongs to ${RED}, and two issuers there would take each other's tokens and consents; give ${BLUE} a database of its own, or, if ${RED} is the former name of this site, run: npx express-authorization-server issuer rename ${RED} ${BLUE}`,
      ),
    );
    await red.ready();
    await serve(RED, 2).ready();
    expect(await recorded()).toEqual([RED]);
  });

  test('ready() refuses one of two issuers that start at the same moment', async () => {
    const outcomes = await Promise.allSettled([serve(RED).ready(), serve(BLUE, 1).ready()]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await recorded()).toHaveLength(1);
  });

  test('ready() records and compares the issuer by one command', async () => {
    const ofIssuers = async (issuer: string) => {
      const server = serve(issuer);
      const commands = await recordCommands(database, () => server.ready());
      await server.close();
      return commands.filter(({ collection }) => collection === 'oauth_issuers').map(({ name }) => name);
    };
    expect(await ofIssuers(RED)).toEqual(['findAndModify']);
    expect(await ofIssuers(RED)).toEqual(['findAndModify']);
  });

  test('an issuer on loopback is compared but not recorded, so that its port may change', async () => {
    await serve('http://localhost:3000').ready();
    await serve('http://localhost:3001', 1).ready();
    expect(await recorded()).toEqual([]);
    await serve(RED, 2).ready();
    await expect(servers[0]!.ready()).rejects.toThrow(/belongs to https:\/\/red\.example/);
  });
});

describe('express-authorization-server issuer', () => {
  const cli = (...args: string[]) => runCli(['issuer', ...args], { uri: database.uri });

  test('issuer rename lets the site start by its new name, and no longer by the old one', async () => {
    await serve(RED).ready();
    const { code, stdout } = await cli('rename', RED, BLUE);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`belongs to ${BLUE} now`)]);
    expect((await cli('show')).stdout).toBe(`${BLUE}\n`);
    await serve(BLUE, 1).ready();
    await expect(servers[0]!.ready()).rejects.toThrow(`issuer rename ${BLUE} ${RED}`);
  });

  test('issuer rename changes nothing with a wrong old issuer or a malformed new one', async () => {
    const none = await cli('rename', RED, BLUE);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('no issuer is recorded')]);
    expect((await cli('show', '--json')).stdout).toContain('null');
    await serve(RED).ready();
    const wrong = await cli('rename', BLUE, 'https://green.example');
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      expect.stringContaining(`belongs to ${RED}, not to ${BLUE}`),
    ]);
    const noIssuer = await cli('rename', RED, `${BLUE}/`);
    expect([noIssuer.code, noIssuer.stderr]).toEqual([2, expect.stringContaining(`write '${BLUE}'`)]);
    expect(await recorded()).toEqual([RED]);
  });

  test('doctor reports a database of another issuer than the site', async () => {
    await serve(RED).ready();
    const findingsOf = async (issuer: string) => {
      const { stdout } = await runCli(['doctor', '--json', '--issuer', issuer], { uri: database.uri });
      const { findings } = JSON.parse(stdout) as { findings: { check: string; cure: string }[] };
      return findings.filter(({ check }) => check === 'database.issuer');
    };
    // nothing listens there
    expect(await findingsOf('http://127.0.0.1:9')).toEqual([
      expect.objectContaining({
        severity: 'serious',
        cure: expect.stringContaining(`issuer rename ${RED} http://127.0.0.1:9`),
      }),
    ]);
    await stored().deleteMany({});
    expect(await findingsOf('http://127.0.0.1:9')).toEqual([]);
  });
});
