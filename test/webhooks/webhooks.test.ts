import { randomBytes } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';

import { authorizationServer, type ClientWithSecret } from '../../lib/index.js';
import { runCli } from '../support/cli.js';
import { letPass } from '../support/clock.js';
import { commandsDuring } from '../support/commands.js';
import { type JwksServer, openJwksServer } from '../support/jwks-server.js';
import { HOSTILE_ANSWERS, openRawServer } from '../support/raw-server.js';
import { exitWith } from '../support/refusal.js';
import { openSite, type Site, type SiteOptions } from '../support/site.js';
import { exchanged, exchanger, handingOn } from '../support/token-exchange.js';
import { obtainTokens } from '../support/tokens.js';
import { until } from '../support/until.js';

const createSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const [NEW, OLD] = [createSecret(), createSecret()];

interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly body: { readonly type: string; readonly timestamp: string; readonly data: { clientId?: string } };
}

let receiver: JwksServer;
let site: Site;
let client: ClientWithSecret;
const received: Received[] = [];
/** Leaves requests unanswered; the returned function waits until one has come. */
function hang(): () => Promise<void> {
  const before = receiver.requests.length;
  receiver.answer(() => undefined);
  return () => until(() => receiver.requests.length > before);
}
const bodyOf = async (req: IncomingMessage) => (await req.toArray()).join('');

/** Accepts messages, unless `refuse` answers them. */
function takeAll(refuse: (got: Received, res: ServerResponse) => boolean = () => false): void {
  const listener: RequestListener = (req, res) =>
    void bodyOf(req).then((text) => {
      const headers = req.headers as Record<string, string>;
      const got = { path: req.url ?? '', headers, text, body: JSON.parse(text) as Received['body'] };
      received.push(got);
      if (!refuse(got, res)) res.writeHead(204).end();
    });
  receiver.answer(listener);
}

const base = () => `http://127.0.0.1:${receiver.port}`;
const hooks = (): SiteOptions['webhooks'] => {
  const common = { allowPrivateAddresses: true, secret: NEW };
  return [
    {
      ...common,
      url: `${base()}/main`,
      secret: [NEW, OLD],
      events: ['token.issued', 'grant.revoked', 'client.*'],
    },
    { ...common, url: `${base()}/desk`, name: 'desk', events: ['login.*', 'client.blocked'] },
    { ...common, url: `${base()}/gone`, name: 'gone', events: ['rate.limited', 'client.approved'] },
    // the address of its name is checked when a message is sent
    { url: `https://localhost:${receiver.port}/`, secret: NEW, name: 'inside', events: ['consent.denied'] },
  ];
};
const stored = () => site.database.collection('oauth_webhooks');
const ofType = (type: string) => received.filter(({ body }) => body.type === type);
const problems = () =>
  site.errors.filter(({ endpoint }) => endpoint === 'webhooks').map(({ detail }) => detail);

beforeAll(async () => {
  receiver = await openJwksServer();
  site = await openSite({ webhooks: hooks(), tokenExchange: true });
  takeAll();
  client = await site.client();
  // of the client itself
  await until(() => received.length > 0);
  await until(async () => (await stored().countDocuments()) === 0);
});
beforeEach(async () => {
  takeAll();
  await stored().deleteMany({});
  received.length = 0;
  site.errors.length = 0;
});
afterAll(async () => {
  // first, so that requests that hang there end
  await receiver.close();
  await site.oauth.close();
  await site.close();
});

describe('a message', () => {
  test('a message about an exchanged token names its actors, the latest first (RFC 8693 §4.1)', async () => {
    const [print, binder] = [await exchanger(site), await exchanger(site, { name: 'Binder' })];
    const photos = await handingOn(site, [print, binder]);
    const { access_token: token } = await obtainTokens(site, photos);
    await exchanged(site, binder, await exchanged(site, print, token));
    const sentFor = ({ clientId }: ClientWithSecret) =>
      ofType('token.issued').find(({ body }) => body.data.clientId === clientId);
    await until(() => sentFor(binder) !== undefined && sentFor(print) !== undefined);
    expect(sentFor(print)?.body.data).toMatchObject({ userId: 'ada', actors: [print.clientId] });
    expect(sentFor(binder)?.body.data).toMatchObject({
      userId: 'ada',
      actors: [binder.clientId, print.clientId],
    });
  });

  test('a webhook is sent as signed JSON with the data of the audit, and then deleted', async () => {
    const { access_token, refresh_token } = await obtainTokens(site, client);
    await until(() => received.length > 0);
    const [{ headers, text, body }] = received as [Received];
    expect(body).toEqual({
      type: 'token.issued',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: {
        clientId: client.clientId,
        userId: 'ada',
        grantId: expect.any(String),
        scopes: expect.any(Array),
        grantType: 'authorization_code',
        ip: expect.any(String),
        requestId: expect.any(String),
      },
    });
    for (const secret of [NEW, OLD]) expect(new Webhook(secret).verify(text, headers)).toEqual(body);
    expect(() => new Webhook(createSecret()).verify(text, headers)).toThrow();
    expect(() => new Webhook(NEW).verify(text.replace('ada', 'eve'), headers)).toThrow();
    expect(headers).toMatchObject({ 'content-type': 'application/json' });
    for (const token of [access_token, refresh_token]) expect(text).not.toContain(token);
    await until(async () => (await stored().countDocuments()) === 0);
  });

  test('a webhook is sent to the subscribers of its event, without a typed user name', async () => {
    site.oauth.events.emit('login.failed', { username: 'my password by mistake' });
    site.oauth.events.emit('code.replayed', { clientId: 'c', grantId: 'g' });
    site.oauth.events.emit('client.blocked', { clientId: 'c' });
    await until(() => received.length >= 3);
    expect(received.map(({ path, body }) => `${path} ${body.type}`).sort()).toEqual([
      '/desk client.blocked',
      '/desk login.failed',
      '/main client.blocked',
    ]);
    expect(JSON.stringify(received)).not.toContain('by mistake');
  });

  test('a webhook delays no request, however slow its receiver is', async () => {
    const hasCome = hang();
    await obtainTokens(site, client);
    expect(await site.oauth.webhooks.list()).toMatchObject([{ type: 'token.issued', attempts: 0 }]);
    await hasCome();
    const [waiting] = await stored().find().toArray();
    // none of the secrets is there
    expect(JSON.stringify(waiting)).not.toContain(NEW.slice(6));
  });

  test('webhooks about one grant arrive in order, even if an earlier one fails first', async () => {
    let failures = 0;
    takeAll(({ body }, res) => {
      if (body.type !== 'token.issued' || failures > 0) return false;
      failures += 1;
      res.writeHead(500).end();
      return true;
    });
    const about = { clientId: 'c', grantId: 'g-ordered' };
    const tokens = { ...about, scopes: [], grantType: 'authorization_code' };
    site.oauth.events.emit('token.issued', tokens);
    await until(() => received.length >= 1);
    await until(async () => (await stored().findOne({ attempts: 1 })) !== null);
    site.oauth.events.emit('grant.revoked', { ...about, reason: 'user' });
    site.oauth.events.emit('grant.revoked', { clientId: 'c', grantId: 'another', reason: 'user' });
    await until(() => received.length >= 2);
    expect(received[1]?.body.data).toMatchObject({ grantId: 'another' });
    await until(async () => (await stored().countDocuments({ isSending: true })) === 0);
    letPass(10);
    await site.oauth.webhooks.retry();
    await until(() => received.length >= 4);
    expect(received.slice(2).map(({ body }) => body.type)).toEqual(['token.issued', 'grant.revoked']);
  });
});

describe('a message that its receiver refuses', () => {
  const fail = () => site.oauth.events.emit('login.succeeded', { userId: 'ada' });
  const waiting = async () => {
    await until(async () => (await stored().findOne({ attempts: { $gt: 0 } })) !== null);
    return (await site.oauth.webhooks.list())[0];
  };

  test.each(HOSTILE_ANSWERS.filter(([what]) => what === 'hangs up'))(
    'a webhook stays in the outbox if the receiver %s',
    async (_what, answer, problem) => {
      const server = await openRawServer(answer);
      receiver.answer((_req, res) => res.destroy());
      const hooked = await openSite({
        database: site.database,
        webhooks: [
          {
            url: server.url,
            secret: NEW,
            events: ['login.failed'],
            allowPrivateAddresses: true,
          },
        ],
      });
      hooked.oauth.events.emit('login.failed', {});
      const [host] = [new URL(server.url).host];
      await until(async () => (await stored().findOne({ endpoint: host, attempts: 1 })) !== null);
      expect((await stored().findOne({ endpoint: host }))?.problem).toMatch(problem);
      await hooked.oauth.close();
      await hooked.close();
      await server.close();
    },
  );

  test('a webhook stays in the outbox if the receiver redirects, and no redirect is followed', async () => {
    takeAll((_got, res) => Boolean(res.writeHead(307, { location: `${base()}/elsewhere` }).end()));
    fail();
    expect(await waiting()).toMatchObject({
      endpoint: 'desk',
      attempts: 1,
      problem: 'answered with status 307',
    });
    expect(received.map(({ path }) => path)).toEqual(['/desk']);
  });

  test('a webhook stays in the outbox for a private address, unless the option allows it', async () => {
    site.oauth.events.emit('consent.denied', { clientId: 'c', userId: 'u', scopes: [] });
    expect(await waiting()).toMatchObject({
      endpoint: 'inside',
      problem: expect.stringMatching(/not on the public internet/),
    });
    expect(received).toEqual([]);
  });

  test('a webhook is delivered by its status, and an endless body is not read', async () => {
    takeAll((_got, res) => {
      res.writeHead(200);
      const timer = setInterval(() => res.write(Buffer.alloc(65_536)), 1);
      res.on('close', () => clearInterval(timer));
      return true;
    });
    fail();
    await until(() => received.length >= 1);
    await until(async () => (await stored().countDocuments()) === 0);
  });

  test('a webhook is sent again at growing intervals with the same id', async () => {
    takeAll((_got, res) => Boolean(res.writeHead(503).end()));
    let begin = Date.now();
    fail();
    for (const [index, least] of [5, 30, 300, 1800].entries()) {
      await until(async () => (await stored().findOne({ attempts: index + 1 })) !== null);
      const { nextAt } = (await stored().findOne({ attempts: index + 1 })) as unknown as { nextAt: Date };
      // the pause began between these two, however long the attempt has taken
      const pause = (nextAt.getTime() - Date.now()) / 1000;
      expect((nextAt.getTime() - begin) / 1000).toBeGreaterThanOrEqual(least);
      expect(pause).toBeLessThanOrEqual(least * 1.2);
      letPass(pause + 1);
      begin = Date.now();
      await site.oauth.webhooks.retry({ endpoint: 'nobody' });
    }
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(problems()).toEqual(['webhooks to desk: answered with status 503; they are kept and sent again']);
  });

  test('a webhook waits for the time in Retry-After', async () => {
    takeAll((_got, res) => Boolean(res.writeHead(429, { 'retry-after': '120' }).end()));
    fail();
    const { nextAt } = (await waiting()) as { nextAt: Date };
    expect(nextAt.getTime() - Date.now()).toBeGreaterThan(100_000);
  });

  test('a webhook is given up after a time, reported, and sent again on demand', async () => {
    const reported: unknown[] = [];
    site.oauth.events.once('webhook.failed', (event) => reported.push(event));
    takeAll((_got, res) => Boolean(res.writeHead(500).end()));
    fail();
    await waiting();
    letPass(3 * 86_400 + 10);
    await site.oauth.webhooks.retry({ endpoint: 'nobody' });
    await until(() => reported.length >= 1);
    expect(reported).toMatchObject([{ endpoint: 'desk', reason: 'given_up', count: 1 }]);
    const [failed] = await site.oauth.webhooks.list({ failed: true });
    expect(failed).toMatchObject({ endpoint: 'desk', attempts: 2, failedAt: expect.any(Date) });
    expect(failed).not.toHaveProperty('nextAt');
    // the same on the command line, from another process
    const { stdout } = await runCli(['webhooks', 'list', '--failed'], { uri: site.database.uri });
    expect(stdout).toContain('given up');
    expect(stdout).toContain('answered with status 500');
    const json = await runCli(['webhooks', 'list', '--json'], { uri: site.database.uri });
    expect(JSON.parse(json.stdout)).toMatchObject([{ id: failed?.id }]);
    takeAll();
    const retried = await runCli(['webhooks', 'retry', failed!.id], { uri: site.database.uri });
    expect(retried).toMatchObject({ code: 0, stdout: '1 is sent again, within ten seconds.\n' });
    await site.oauth.webhooks.retry({ endpoint: 'nobody' });
    await until(async () => (await stored().countDocuments()) === 0);
    expect(received.at(-1)?.headers['webhook-id']).toBe(failed?.id);
  });

  test('a webhook receiver that answers 410 gets no more messages, and none is lost', async () => {
    takeAll((_got, res) => Boolean(res.writeHead(410).end()));
    site.oauth.events.emit('client.approved', { clientId: 'first' });
    await until(
      async () => (await stored().findOne({ endpoint: 'gone', failedAt: { $exists: true } })) !== null,
    );
    const before = ofType('client.approved').filter(({ path }) => path === '/gone').length;
    site.oauth.events.emit('rate.limited', { endpoint: 'token' });
    await until(
      async () => (await stored().countDocuments({ endpoint: 'gone', failedAt: { $exists: true } })) === 2,
    );
    expect(received.filter(({ path }) => path === '/gone')).toHaveLength(before);
    expect(problems()).toContain('webhooks to gone: the receiver wants no more of them (410)');
    takeAll();
    // retry just one of them, which is not the one with that answer
    const { _id: id } = (await stored().findOne({ endpoint: 'gone', type: 'rate.limited' }))!;
    expect(await site.oauth.webhooks.retry({ id: String(id) })).toBe(1);
    await until(() => ofType('rate.limited').length >= 1);
    await until(async () => (await stored().countDocuments({ endpoint: 'gone' })) === 1);
    expect(await site.oauth.webhooks.retry({ endpoint: 'gone' })).toBe(1);
    await until(async () => (await stored().countDocuments({ endpoint: 'gone' })) === 0);
  });
});

describe('messages of several processes', () => {
  test('several processes send each webhook once, also webhooks of each other', async () => {
    const other = await openSite({ database: site.database, webhooks: hooks(), issuer: site.url });
    for (let index = 0; index < 30; index += 1) {
      const { events } = (index % 2 === 0 ? site : other).oauth;
      events.emit('client.deleted', { clientId: `c${index}` });
    }
    await Promise.all([site.oauth.webhooks.retry(), other.oauth.webhooks.retry()]);
    await until(() => received.length >= 30);
    await until(async () => (await stored().countDocuments()) === 0);
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(30);
    expect(received).toHaveLength(30);
    await other.oauth.close();
    await other.close();
  });

  test('a webhook of a process that dies while it sends is sent by another one later', async () => {
    const hasCome = hang();
    site.oauth.events.emit('client.unblocked', { clientId: 'c' });
    await hasCome();
    const other = await openSite({ database: site.database, webhooks: hooks(), issuer: site.url });
    takeAll();
    // the first process holds it, so neither a routine check nor an operator can have it sent twice
    expect(await other.oauth.webhooks.retry()).toBe(0);
    expect(received).toEqual([]);
    letPass(15 + 30 + 1);
    await other.oauth.webhooks.retry({ endpoint: 'nobody' });
    await until(() => received.length >= 1);
    await other.oauth.close();
    await other.close();
  });

  test('close() stores pending webhooks', async () => {
    const other = await openSite({ database: site.database, webhooks: hooks(), issuer: site.url });
    receiver.answer((_req, res) => res.writeHead(500).end());
    other.oauth.events.emit('client.deleted', { clientId: 'c' });
    await other.oauth.close();
    expect(await stored().countDocuments({ type: 'client.deleted' })).toBe(1);
    await other.close();
  });
});

describe('the option webhooks', () => {
  const start = (webhook: object, ...more: object[]) => {
    const right = { url: 'https://hooks.example/', secret: NEW, events: ['grant.revoked'] };
    return () =>
      authorizationServer({
        issuer: site.url,
        connection: site.database.connection,
        scopes: {},
        login: '/login',
        webhooks: [{ ...right, ...webhook }, ...more] as never,
      });
  };

  test.each([
    ['an unknown event', { events: ['grant.revokd'] }, "did you mean 'grant.revoked'?"],
    ['an http: URL', { url: 'http://hooks.example/' }, 'must be an https: URL'],
    ['a malformed URL', { url: 'https://' }, 'is not a URL'],
    ['a password in the URL', { url: 'https://a:b@hooks.example/' }, 'no user name, password or fragment'],
    ['a missing secret', { secret: '' }, 'openssl rand -base64 32'],
    ['a short secret', { secret: 'whsec_c2hvcnQ=' }, '24 to 64 random bytes'],
    ['an empty list of events', { events: [] }, 'a list of events'],
  ])('the option webhooks is refused with the reason: %s', (_what, webhook, terms) => {
    expect(start(webhook)).toThrow(terms);
  });

  test('two webhook receivers of one host need a name', () => {
    expect(start({}, { url: 'https://hooks.example/2', secret: NEW, events: ['*'] })).toThrow(
      "two are called 'hooks.example'",
    );
  });

  test('an error about a webhook does not contain its secret', () => {
    const secret = 'whsec_not base64 at all';
    expect(start({ secret })).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining(secret) }),
    );
  });

  test('without the option webhooks nothing is stored, and webhooks.list says how to set it', async () => {
    const without = await openSite({ database: site.database });
    expect(await commandsDuring(site.database, () => obtainTokens(without, client))).not.toContain(
      'insert oauth_webhooks',
    );
    await expect(without.oauth.webhooks.list()).rejects.toThrow('write the option webhooks');
    await expect(without.oauth.webhooks.retry()).rejects.toThrow('write the option webhooks');
    await without.close();
  });
});

describe('webhooks on the command line', () => {
  const run = (...args: string[]) => runCli(['webhooks', ...args], { uri: site.database.uri });

  test('webhooks list says that nothing waits, and webhooks retry asks for a message', async () => {
    expect(await run('list')).toMatchObject({ code: 0, stdout: 'Nothing waits.\n' });
    expect(await run('list', '--failed')).toMatchObject({ code: 0, stdout: 'Nothing was given up.\n' });
    expect(await run('retry')).toMatchObject(exitWith(2, 'which webhooks?'));
    expect(await run('retry', 'x', '--endpoint', 'y')).toMatchObject({ code: 2 });
    expect(await run('retry', 'no-such-id')).toMatchObject({ code: 1 });
  });

  test('webhooks list --limit says if there are more messages', async () => {
    receiver.answer((_req, res) => res.writeHead(500).end());
    for (const clientId of ['a', 'b']) site.oauth.events.emit('client.updated', { clientId });
    await site.oauth.webhooks.list();
    const { stdout, stderr } = await run('list', '--limit', '1');
    expect(stdout.split('\n')).toHaveLength(3);
    expect(stderr).toContain('--limit 10');
  });
});
