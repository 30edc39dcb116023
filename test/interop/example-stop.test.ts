import { fork } from 'node:child_process';
import { once } from 'node:events';

import { expect, test } from '@jest/globals';

import { openDatabase } from '../support/database.js';
import { startMongoProxy } from '../support/mongo-proxy.js';
import { programOf } from '../support/programs.js';
import { findPorts } from './support/example.js';

test('a stopped process of the example whose database hangs ends at its deadline', async () => {
  const database = await openDatabase();
  const proxy = await startMongoProxy(database.uri);
  const ports = await findPorts();
  const site = fork(programOf('example-app/photo-site/main.ts'), {
    execArgv: [],
    env: {
      ...process.env,
      ...ports,
      MONGODB_URI: proxy.uri,
      SESSION_SECRET: 'of the test, and long enough to be one',
      KEY_SECRET: 'also of the test, and long enough to be one',
      PASSWORD_ROUNDS: '4',
      STOP_DEADLINE: '500',
    },
  });
  try {
    const ended = once(site, 'exit') as Promise<[number | null, string | null]>;
    expect(await Promise.race([once(site, 'message'), ended])).toEqual([{ type: 'ready' }, undefined]);
    // a request that waits for the database, as is usual while it hangs
    const isUnderWay = proxy.holdAnswerTo('picture-frame');
    const answer = fetch(
      `http://localhost:${ports.PORT}/oauth/authorize?client_id=picture-frame&response_type=code&prompt=none`,
    ).catch(() => undefined);
    await isUnderWay;
    proxy.freeze();
    site.kill('SIGTERM');
    // not 0, the exit code without a hanging database
    expect(await ended).toEqual([1, null]);
    expect(await answer).toBeUndefined();
  } finally {
    site.kill('SIGKILL');
    await proxy.close();
    await database.close();
  }
});
