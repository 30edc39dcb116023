import { createRequire } from 'node:module';
import { join } from 'node:path';

import { afterEach, expect, test } from '@jest/globals';

import { testFailing, whileFailing } from '../../support/fail-point.js';
import { fixture } from '../../support/site-for.js';
import { until } from '../../support/until.js';
import { describeInstalled, FOLDER } from './install.js';
import { openRecipe } from './recipe.js';

describeInstalled('docs/recipes: websockets', () => {
  const sockets: { terminate(): void }[] = [];
  const recipe = fixture(() => openRecipe('websockets'));
  afterEach(() => sockets.splice(0).forEach((socket) => socket.terminate()));

  /** The messages of a client, the status of a refusal, and the code with which the connection was closed. */
  const connect = (path: string, { token, first }: { token?: string; first?: string }) => {
    const { WebSocket } = createRequire(join(FOLDER, 'package.json'))('ws');
    const url = `${recipe.issuer.replace('http', 'ws')}${path}`;
    const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const socket = new WebSocket(url, { headers });
    sockets.push(socket);
    const heard: { messages: unknown[]; status?: number; challenge?: string; closed?: number } = {
      messages: [],
    };
    socket.on('error', () => undefined);
    socket.on('open', () => first !== undefined && socket.send(first));
    socket.on('message', (data: Buffer) => heard.messages.push(JSON.parse(data.toString())));
    socket.on('close', (code: number) => (heard.closed = code));
    socket.on('unexpected-response', (_req: unknown, res: { statusCode: number; headers: object }) => {
      Object.assign(heard, { status: res.statusCode, headers: res.headers });
    });
    const send = (text: string) => socket.send(text);
    return { heard, send };
  };

  test.each(['a program', 'a browser'])(
    'websockets: %s is accepted with its token, and closed when that is revoked',
    async (kind) => {
      const { access_token: token } = await recipe.obtainTokens('photos:read photos:write');
      const { heard, send } =
        kind === 'a program' ? connect('/live', { token }) : connect('/live/browser', { first: token });
      await until(() => heard.messages.length >= 1);
      expect(heard.messages[0]).toEqual({ hello: expect.any(String) });
      send('Moonrise');
      await until(() => heard.messages.length >= 2);
      expect(heard.messages[1]).toMatchObject({ title: 'Moonrise' });
      await recipe.revoke(token);
      await until(() => heard.closed !== undefined);
      expect(heard.closed).toBe(4401);
    },
  );

  test('websockets: a message may need another scope than the connection', async () => {
    const { access_token: token } = await recipe.obtainTokens('photos:read');
    const { heard, send } = connect('/live', { token });
    await until(() => heard.messages.length >= 1);
    send('Moonrise');
    await until(() => heard.messages.length >= 2);
    expect(heard.messages[1]).toEqual({ error: 'insufficient_scope' });
  });

  test('websockets: a message that is too long ends only its connection', async () => {
    const { access_token: token } = await recipe.obtainTokens('photos:read photos:write');
    const [one, other] = [connect('/live', { token }), connect('/live', { token })];
    await until(() => [one, other].every(({ heard }) => heard.messages.length === 1));
    one.send('x'.repeat(20_000));
    await until(() => one.heard.closed !== undefined);
    other.send('Moonrise');
    await until(() => other.heard.messages.length >= 2 || other.heard.closed !== undefined);
    expect(other.heard.messages[1]).toMatchObject({ title: 'Moonrise' });
  });

  test('websockets: a program is refused with a challenge', async () => {
    const poor = (await recipe.obtainTokens('photos:write')).access_token;
    const [none, wrong, narrow, ofClient] = [
      connect('/live', {}),
      connect('/live', { token: 'eas_at_x' }),
      connect('/live', { token: poor }),
      connect('/live', { token: await recipe.obtainOwnToken('photos:read') }),
    ];
    await until(() => [none, wrong, narrow, ofClient].every(({ heard }) => heard.status !== undefined));
    expect(none.heard).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': expect.stringMatching(/^Bearer/) },
    });
    expect([wrong, narrow, ofClient].map(({ heard }) => heard.status)).toEqual([401, 403, 403]);
  });

  test('websockets: a browser is refused with a close code', async () => {
    const poor = (await recipe.obtainTokens('photos:write')).access_token;
    const [wrong, narrow] = [
      connect('/live/browser', { first: 'eas_at_x' }),
      connect('/live/browser', { first: poor }),
    ];
    await until(() => [wrong, narrow].every(({ heard }) => heard.closed !== undefined));
    expect([wrong.heard.closed, narrow.heard.closed]).toEqual([4401, 4403]);
    const elsewhere = connect('/elsewhere', {});
    await until(() => elsewhere.heard.status !== undefined);
    expect(elsewhere.heard.status).toBe(404);
  });

  testFailing('websockets: a browser whose token cannot be checked is closed with 1013', async () => {
    const { access_token: token } = await recipe.obtainTokens('photos:read');
    const failing = { command: 'find', failure: { errorCode: 8 } } as const;
    await whileFailing(recipe.database, failing, async () => {
      const { heard } = connect('/live/browser', { first: token });
      await until(() => heard.closed !== undefined);
      expect(heard.closed).toBe(1013);
    });
    const { heard } = connect('/live/browser', { first: token });
    await until(() => heard.messages.length >= 1);
  });
});
