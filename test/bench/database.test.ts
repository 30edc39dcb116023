import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

// Windows does not have the shell that watches
const onUnix = process.platform === 'win32' ? describe.skip : describe;
/** No process has this id, which is above those of Linux and macOS. */
const DEAD = 99_999_999;

onUnix('the database server of a run', () => {
  let folder: string;
  let run: ChildProcess;

  /** A run of the benchmark up to its database, with a server that does nothing but say that it listens. */
  const startRun = async () => {
    const server = join(folder, 'server.mjs');
    await writeFile(
      server,
      `#!${process.execPath}\nimport { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(join(folder, 'pid'))}, String(process.pid));\nconsole.log('listening on 127.0.0.1:27017');\nsetInterval(() => undefined, 1000);\n`,
    );
    await chmod(server, 0o755);
    const script = `import { startSecantus } from './test/bench/database.ts'; const { stop } = await startSecantus(${JSON.stringify(server)}, () => undefined); process.on('message', () => stop().then(() => process.exit())); process.send('ready');`;
    run = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], {
      env: { ...process.env, NODE_OPTIONS: '', TMPDIR: join(folder, 'tmp') },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    await once(run, 'message');
    return Number(await readFile(join(folder, 'pid'), 'utf8'));
  };
  const isAlive = (pid: number) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  const dataFolders = async () =>
    (await readdir(join(folder, 'tmp'))).filter((name) => name.startsWith('bench-'));
  const eventually = async (check: () => Promise<boolean>) => {
    for (const patience = Date.now() + 15_000; Date.now() < patience; await delay(50))
      if (await check()) return true;
    return false;
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'database-test-'));
    await mkdir(join(folder, 'tmp'));
  });
  afterEach(async () => {
    run.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'ends with it, and its data go, where the run ends by %s',
    async (signal) => {
      const pid = await startRun();
      expect([isAlive(pid), (await dataFolders()).length]).toEqual([true, 1]);
      run.kill(signal);
      expect(await eventually(async () => !isAlive(pid) && (await dataFolders()).length === 0)).toBe(true);
    },
  );

  it('ends where it is stopped, and its data go', async () => {
    const pid = await startRun();
    run.send('stop');
    await once(run, 'exit');
    expect([isAlive(pid), await dataFolders()]).toEqual([false, []]);
  });

  it('removes the data of a run that has ended without, and of none that goes on', async () => {
    const [ended, goesOn, other] = [
      `bench-secantus-${DEAD}-abc`,
      `bench-secantus-${process.pid}-abc`,
      'bench-of-somebody',
    ].map((name) => join(folder, 'tmp', name)) as [string, string, string];
    for (const each of [ended, goesOn, other]) await mkdir(each);
    await startRun();
    await expect(access(ended)).rejects.toThrow('ENOENT');
    await access(goesOn);
    await access(other);
  });
});
