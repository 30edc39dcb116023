import { createRequire } from 'node:module';
import { join } from 'node:path';

import { afterEach, expect, jest, test } from '@jest/globals';

import { testFailing, whileFailing } from '../../support/fail-point.js';
import { fixture } from '../../support/site-for.js';
import { until } from '../../support/until.js';
import { describeInstalled, FOLDER } from './install.js';
import { openRecipe } from './recipe.js';

/** The result of the client of the recipe. */
interface Client {
  readonly connected: boolean;
  disconnect(): void;
}

describeInstalled('docs/recipes: socket-io', () => {
  let folder = '';
  const sockets: { disconnect(): void }[] = [];
  const recipe = fixture(() =>
    openRecipe('socket-io', { prepare: (of) => Promise.resolve(void (folder = of)) }),
  );
  afterEach(() => sockets.splice(0).forEach((socket) => socket.disconnect()));

  /** A client of Socket.IO, and its events. */
  const connect = (token: unknown, transports = ['polling', 'websocket']) => {
    const { io } = createRequire(join(FOLDER, 'package.json'))('socket.io-client');
    const socket = io(recipe.issuer, { auth: { token }, forceNew: true, reconnection: false, transports });
    sockets.push(socket);
    const heard: { isConnected: boolean; refusal?: unknown; ended?: string; photos: unknown[] } = {
      isConnected: false,
      photos: [],
    };
    socket.on('connect', () => (heard.isConnected = true));
    socket.on('connect_error', ({ message, data }: { message: string; data: unknown }) => {
      heard.refusal = { message, data };
    });
    socket.on('disconnect', (reason: string) => (heard.ended = reason));
    socket.on('photo', (photo: unknown) => heard.photos.push(photo));
    return { heard, add: (title: string) => socket.emitWithAck('photo:add', title) as Promise<unknown> };
  };

  test.each([[['polling', 'websocket']], [['polling']], [['websocket']]])(
    'socket-io: a socket by %j is accepted with its token, and disconnected at the revocation',
    async (transports) => {
      const { access_token: token } = await recipe.obtainTokens('photos:read photos:write');
      const { heard, add } = connect(token, transports);
      await until(() => heard.isConnected);
      expect(await add('Moonrise')).toEqual({ title: 'Moonrise' });
      await until(() => heard.photos.length >= 1);
      await recipe.revoke(token);
      await until(() => heard.ended !== undefined);
      expect(heard.ended).toBe('io server disconnect');
    },
  );

  test('socket-io: an event may need another scope than the socket', async () => {
    const { heard, add } = connect((await recipe.obtainTokens('photos:read')).access_token);
    await until(() => heard.isConnected);
    expect(await add('Moonrise')).toEqual({ error: 'insufficient_scope', scope: 'photos:write' });
  });

  test('socket-io: a socket is refused with the code of the RFC and gets nothing else', async () => {
    const poor = (await recipe.obtainTokens('photos:write')).access_token;
    const refused = [connect(undefined), connect('eas_at_x'), connect({ $ne: null }), connect(poor)];
    refused.push(connect(await recipe.obtainOwnToken('photos:read')));
    await until(() => refused.every(({ heard }) => heard.refusal !== undefined));
    const invalid = {
      message: 'the access token is invalid, expired or revoked',
      data: { status: 401, error: 'invalid_token' },
    };
    const refusals = refused.map(({ heard }) => heard.refusal);
    expect(refusals.slice(0, 3)).toEqual([invalid, invalid, invalid]);
    expect(refusals.slice(3)).toMatchObject([
      { data: { status: 403, error: 'insufficient_scope' } },
      { data: { status: 403 } },
    ]);
  });

  testFailing(
    'socket-io: a socket whose token cannot be checked gets 503, and the client tries again',
    async () => {
      const { access_token: token } = await recipe.obtainTokens('photos:read');
      const load = (file: string) =>
        import(file) as Promise<{ connect: (url: string, getToken: () => string) => Client }>;
      const { connect: connectAgain } = await load(join(folder, 'socket-io-client.mjs'));
      const failing = { command: 'find', failure: { errorCode: 8 } } as const;
      const log = jest.spyOn(console, 'log').mockImplementation(() => undefined);
      const client = await whileFailing(recipe.database, failing, async () => {
        const opened = connectAgain(recipe.issuer, () => token);
        sockets.push(opened);
        await until(() => log.mock.calls.length > 0);
        return opened;
      });
      expect(log.mock.calls[0]).toEqual(['refused', { status: 503, error: 'temporarily_unavailable' }]);
      await until(() => client.connected);
      log.mockRestore();
    },
  );
});
