import { EventEmitter, once } from 'node:events';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Duplex } from 'node:stream';

import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import express, { type Express } from 'express';

import { bearerGuard, errorHandler } from '../../lib/guard.js';
import type { ClientWithSecret } from '../../lib/index.js';
import { describeHearing, hasChangeStreams } from '../support/change-streams.js';
import { letPass } from '../support/clock.js';
import { openServer } from '../support/open-server.js';
import { openSite } from '../support/site.js';
import { siteFor } from '../support/site-for.js';
import { callApi, obtainTokens } from '../support/tokens.js';
import { until } from '../support/until.js';

const API = 'https://api.photos.example';
const MCP = 'https://photos.example/mcp';

const streams: { close(): void }[] = [];
afterEach(() => streams.splice(0).forEach((stream) => stream.close()));

/** A stream of events, as its client sees it. */
async function openStream(url: string, token: string) {
  const controller = new AbortController();
  const response = await fetch(url, {
    headers: { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' },
    signal: controller.signal,
  });
  let isEnded = false;
  const reader = response.body!.getReader();
  void (async () => {
    while (!(await reader.read()).done);
  })()
    .catch(() => undefined)
    .finally(() => (isEnded = true));
  const stream = { status: response.status, isEnded: () => isEnded, close: () => controller.abort() };
  streams.push(stream);
  return stream;
}

/** A route that sends events while its token is valid. */
function mountStream(app: Express, path: string, guard: express.RequestHandler): void {
  app.get(path, guard, (req, res) => {
    res.type('text/event-stream').flushHeaders();
    res.write('data: 1\n\n');
    req.auth!.signal!.addEventListener('abort', () => res.end());
  });
}
/** A server that has taken over a connection sends the data of a WebSocket. */
const takeOver = (_req: unknown, socket: Duplex) => {
  socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: test\r\nConnection: Upgrade\r\n\r\n');
};
async function upgrade(url: string, token: string | undefined) {
  const { port, pathname } = new URL(url);
  const requested = httpRequest({
    port,
    path: pathname,
    headers: {
      Connection: 'Upgrade',
      Upgrade: 'test',
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    },
  });
  requested.end();
  const outcome = await Promise.race([
    once(requested, 'upgrade').then(([response, socket]) => ({ response, socket })),
    once(requested, 'response').then(([response]) => ({ response, socket: undefined })),
  ]);
  const { socket } = outcome;
  socket?.on('error', () => undefined);
  if (socket !== undefined) streams.push({ close: () => socket.destroy() });
  return {
    status: outcome.response.statusCode as number,
    headers: outcome.response.headers as Record<string, string>,
    isEnded: () => socket?.destroyed !== false,
  };
}

let client: ClientWithSecret;
let token: string;

const options = {
  security: { rateLimits: false },
  guard: { cache: hasChangeStreams, recheck: 3600 },
  resources: { [API]: {}, [MCP]: {} },
} as const;
const here = siteFor(options);
const there = siteFor(() => ({ ...options, issuer: here.url, database: here.database }));
beforeAll(() => {
  for (const { app, oauth, server } of [here, there]) {
    mountStream(app, '/events', oauth.guard('photos:read'));
    app.get('/quick', oauth.guard(), (req, res) => {
      const { signal } = req.auth!;
      res.json({ isAborted: signal?.aborted, keys: Object.keys(req.auth!) });
    });
    app.use(
      '/mcp',
      oauth.mcp({
        resource: MCP,
        handle: (_req, res) => {
          res.type('text/event-stream').flushHeaders();
          res.write('data: 1\n\n');
        },
      }),
    );
    app.use(oauth.errorHandler);
    oauth.guard.upgrade(server, { path: '/live', scopes: ['photos:read'] }, takeOver);
  }
});
beforeEach(async () => {
  client = await here.client();
  token = (await obtainTokens(here, client)).access_token;
});

describeHearing('an open stream', () => {
  const open = async () => {
    const opened = await Promise.all([here, there].map(({ url }) => openStream(`${url}/events`, token)));
    expect(opened.map(({ status }) => status)).toEqual([200, 200]);
    return opened;
  };
  const allEnd = (opened: readonly { readonly isEnded: () => boolean }[]) =>
    until(() => opened.every(({ isEnded }) => isEnded()));

  test('an open stream ends in every process once its grant is revoked', async () => {
    const opened = await open();
    const other = (await obtainTokens(here, await here.client(), { as: 'grace' })).access_token;
    const foreign = await openStream(`${here.url}/events`, other);
    await here.oauth.grants.revoke({ userId: 'ada' });
    await allEnd(opened);
    expect(foreign.isEnded()).toBe(false);
  });

  test('an open stream ends once its client is blocked', async () => {
    const opened = await open();
    await there.oauth.clients.block(client.clientId, { reason: 'it sends spam' });
    await allEnd(opened);
  });

  test('an open stream ends once its token has fewer scopes than its route needs', async () => {
    const narrow = (scopes: readonly string[]) =>
      here.oauth.models.Grant.updateMany(
        { clientId: client.clientId },
        { $set: { 'authorization.scopes': scopes } },
      );
    const opened = await open();
    await narrow(['photos:read']);
    const still = await openStream(`${here.url}/events`, token);
    expect(still.status).toBe(200);
    expect(opened.some(({ isEnded }) => isEnded())).toBe(false);
    await narrow(['profile']);
    await allEnd([...opened, still]);
  });

  test('an open stream ends once the user changes a choice of its grant', async () => {
    const pick = (album: string) =>
      here.oauth.models.Grant.updateMany(
        { clientId: client.clientId },
        { $set: { 'authorization.choices': { album } } },
      );
    await pick('summer');
    await until(async () => (await callApi(here, token)).body.choices?.album === 'summer');
    const opened = await open();
    await pick('summer');
    const still = await openStream(`${here.url}/events`, token);
    await pick('winter');
    await allEnd([...opened, still]);
  });

  test('an open stream ends when its token expires, even if the expiry moves forward meanwhile', async () => {
    const opened = await open();
    const expiresAt = new Date(Date.now() + 1500);
    await here.oauth.models.Grant.updateMany(
      { clientId: client.clientId },
      { $set: { 'accessTokens.$[].expiresAt': expiresAt } },
    );
    await allEnd(opened);
  });

  test('an open stream ends even if its route reads the signal after the revocation', async () => {
    const arrived = new EventEmitter();
    here.app.get('/late', here.oauth.guard(), (req, res) => {
      arrived.once('go on', () => {
        res.type('text/event-stream').flushHeaders();
        req.auth!.signal!.addEventListener('abort', () => res.end());
      });
      arrived.emit('here');
    });
    const opening = openStream(`${here.url}/late`, token);
    await once(arrived, 'here');
    await there.oauth.grants.revoke({ userId: 'ada' });
    await until(async () => (await callApi(here, token)).status === 401);
    arrived.emit('go on');
    const stream = await opening;
    expect(stream.status).toBe(200);
    await allEnd([stream]);
  });

  test('an open stream ends when its token expires', async () => {
    const opened = await open();
    letPass(7200);
    await allEnd(opened);
  });

  test('an open stream of oauth.mcp ends without a line of the host', async () => {
    const mcp = (await obtainTokens(here, client, { query: { resource: MCP } })).access_token;
    const stream = await openStream(`${there.url}/mcp`, mcp);
    expect(stream.status).toBe(200);
    await here.oauth.grants.revoke({ userId: 'ada' });
    await allEnd([stream]);
  });

  test('a finished call is not watched, and its req.auth is unchanged', async () => {
    const response = await fetch(`${here.url}/quick`, { headers: { Authorization: `Bearer ${token}` } });
    const { isAborted, keys } = (await response.json()) as { isAborted: boolean; keys: string[] };
    expect(isAborted).toBe(false);
    expect(keys).not.toContain('signal');
  });
});

describeHearing('a connection that leaves HTTP', () => {
  test('an upgrade is accepted with a token, and refused with a challenge without one', async () => {
    expect((await upgrade(`${here.url}/live`, token)).status).toBe(101);
    const none = await upgrade(`${here.url}/live`, undefined);
    expect(none.status).toBe(401);
    expect(none.headers['www-authenticate']).toMatch(/^Bearer .*scope="photos:read"/);
    const wrong = await upgrade(`${here.url}/live`, 'wrong');
    expect(wrong.headers['www-authenticate']).toMatch(/invalid_token/);
    const poor = (await obtainTokens(here, client, { query: { scope: 'profile' } })).access_token;
    expect((await upgrade(`${here.url}/live`, poor)).status).toBe(403);
    expect((await upgrade(`${here.url}/other`, token)).status).toBe(404);
  });

  test('an upgraded connection is closed in every process once its grant is revoked', async () => {
    const opened = await Promise.all([here, there].map(({ url }) => upgrade(`${url}/live`, token)));
    expect(opened.some(({ isEnded }) => isEnded())).toBe(false);
    await here.oauth.grants.revoke({ userId: 'ada' });
    await until(() => opened.every(({ isEnded }) => isEnded()));
  });

  test('an upgraded connection is destroyed if onUpgrade throws, and onError hears it', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const remove = here.oauth.guard.upgrade(server, {}, () => {
      throw new Error('of the host');
    });
    const { port } = server.address() as AddressInfo;
    await expect(upgrade(`http://127.0.0.1:${port}/live`, token)).rejects.toThrow(/hang up|ECONNRESET/);
    expect(here.errors.at(-1)).toMatchObject({ error: 'server_error', endpoint: 'guard' });
    remove();
    expect(server.listenerCount('upgrade')).toBe(0);
    server.close();
  });
});

test('a connection that breaks during a refusal of its path does not end the process', async () => {
  const server = new EventEmitter();
  bearerGuard({ issuer: 'https://photos.example', resource: API }).upgrade(
    server as Server,
    { path: '/live' },
    takeOver,
  );
  const socket = new Duplex({
    read: () => undefined,
    write: (_chunk, _encoding, done) => done(new Error('write ECONNRESET')),
  });
  const closed = new Promise((resolve) => socket.on('close', resolve));
  server.emit('upgrade', { url: '/other' }, socket, Buffer.alloc(0));
  await closed;
  expect(socket.destroyed).toBe(true);
});

describeHearing('a socket that has sent its token', () => {
  const enter = async (socket: EventEmitter, at = here) => {
    const auth = await at.oauth.verify(token, { scopes: ['photos:read'], socket });
    return auth.signal!;
  };

  test('the signal of oauth.verify with a socket aborts in every process after a revocation', async () => {
    const signals = await Promise.all([here, there].map((at) => enter(new EventEmitter(), at)));
    expect(signals.some(({ aborted }) => aborted)).toBe(false);
    await here.oauth.grants.revoke({ userId: 'ada' });
    await until(() => signals.every(({ aborted }) => aborted));
    expect(signals[0]!.reason).toMatchObject({ error: 'invalid_token' });
  });

  test('the signal of oauth.verify with a socket aborts when the token expires', async () => {
    const signal = await enter(new EventEmitter());
    letPass(7200);
    await until(() => signal.aborted);
  });

  test('the signal of oauth.verify with a socket aborts when the token has fewer scopes', async () => {
    const signal = await enter(new EventEmitter());
    const of = { clientId: client.clientId };
    await here.oauth.models.Grant.updateMany(of, { $set: { 'authorization.scopes': ['profile'] } });
    await until(() => signal.aborted);
  });

  test('a socket is not watched after its close, even before the token was read', async () => {
    const [closed, gone, open] = [new EventEmitter(), new EventEmitter(), new EventEmitter()];
    const signals = [await enter(closed), await enter(open)];
    closed.emit('close');
    const late = enter(gone);
    gone.emit('close');
    signals.push(await late);
    await here.oauth.grants.revoke({ userId: 'ada' });
    await until(() => signals[1]!.aborted);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true, false]);
  });

  test('oauth.verify refuses a socket without events', async () => {
    await expect(here.oauth.verify(token, { socket: {} as never })).rejects.toThrow(
      "verify: the option socket must be what emits 'close'",
    );
    expect(await here.oauth.verify(token)).not.toHaveProperty('signal');
  });
});

describe('without change streams', () => {
  test('without change streams a stream ends after recheck seconds', async () => {
    await using site = await openSite({ guard: { recheck: 1 }, security: { rateLimits: false } });
    mountStream(site.app, '/events', site.oauth.guard());
    const own = await site.client();
    const { access_token } = await obtainTokens(site, own);
    const stream = await openStream(`${site.url}/events`, access_token);
    await site.oauth.grants.revoke({ userId: 'ada' });
    await until(stream.isEnded);
  });

  test('without change streams bearerGuard introspects again despite its cache', async () => {
    const asking = await here.client({ introspection: true });
    const guard = bearerGuard({
      issuer: here.url,
      resource: API,
      clientId: asking.clientId,
      clientSecret: asking.clientSecret ?? '',
      recheck: 1,
      cacheMaxAge: 3600,
    });
    const app = express();
    mountStream(app, '/events', guard('photos:read'));
    app.use(errorHandler);
    await using server = await openServer(app);
    const { access_token } = await obtainTokens(here, client, { query: { resource: API } });
    const stream = await openStream(`${server.url}/events`, access_token);
    expect(stream.status).toBe(200);
    await here.oauth.grants.revoke({ userId: 'ada' });
    await until(stream.isEnded);
  });
});
