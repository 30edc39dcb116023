import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Request } from 'express';
import request from 'supertest';

import { EVENT_NAMES } from '../../lib/core/observability/events.js';
import type { ClientWithSecret, GrantsOf, OAuthEvent } from '../../lib/index.js';
import { DETAIL_TYPES, detailsParameter, PAYMENT } from '../support/authorization-details.js';
import { letPass } from '../support/clock.js';
import { codeQuery, hiddenFields, logInPerson, type Person, postForm } from '../support/person.js';
import { openSite, type Site, type SiteOptions } from '../support/site.js';
import { ACCESS_TOKEN, exchange, exchanged, exchanger, handingOn } from '../support/token-exchange.js';
import {
  callApi,
  clientRequest,
  introspectAs,
  redeem,
  refreshTokens,
  tokenRequest,
} from '../support/tokens.js';
import { until } from '../support/until.js';

const BLOCKED_HOST = 'app.example';
const OPTIONS = {
  tokenExchange: true,
  openid: { claims: () => ({}) },
  authorizationDetails: { payment: { ...DETAIL_TYPES.payment, singleUse: true } },
  personalAccessTokens: true,
  applications: { isDeveloper: () => true },
  security: { rateLimits: false },
} satisfies SiteOptions;

/** A site, a client that introspects tokens there, and one that exchanges them. */
interface Stage {
  readonly site: Site;
  readonly api: ClientWithSecret;
  readonly print: ClientWithSecret;
}
/** Tokens stored with the grant, and JWTs. */
const stages = {} as Record<'opaque' | 'jwt', Stage>;
const seen: OAuthEvent[] = [];

beforeAll(async () => {
  for (const format of ['opaque', 'jwt'] as const) {
    const site = await openWithApi({ tokens: { accessTokenFormat: format } });
    site.oauth.events.on('*', (event) => void seen.push(event));
    stages[format] = { site, print: await exchanger(site), api: await site.client({ introspection: true }) };
  }
});
afterAll(async () => {
  for (const { site } of Object.values(stages)) await site.close();
});

async function openWithApi(more: SiteOptions = {}): Promise<Site> {
  const opened = await openSite({ ...OPTIONS, ...more });
  const details = () => [PAYMENT];
  opened.app.post('/pay', opened.oauth.guard({ details }), (_req, res) => void res.json({}));
  opened.app.post('/verify', async (req: Request, res) => {
    await opened.oauth.verify(req.get('x-token')).then(
      () => res.json({}),
      () => res.status(401).end(),
    );
  });
  opened.oauth.guard.upgrade(opened.server, { path: '/live' }, (_req, socket) => {
    socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: test\r\nConnection: Upgrade\r\n\r\n');
  });
  return opened;
}

/** A user's token, its refresh token, its exchanged token of another client; the client's token; tokens of programs. */
type Kind = 'user' | 'refresh' | 'exchanged' | 'client' | 'personal' | 'service';
/** A client of the user on a host that can be blocked, with a token of each kind. */
interface App extends Stage {
  readonly app: ClientWithSecret;
  readonly tokens: Record<Kind, string>;
  /** The code of the user's token. */
  readonly code: string;
  readonly user: string;
  readonly person: Person;
  /** The ids of the personal and service tokens. */
  readonly personal: string;
  readonly service: string;
  /** A token of another user at another client, for which the client may act. */
  readonly subject: string;
}

let count = 0;
async function obtain(stage: Stage, user: string): Promise<App> {
  const { site, print } = stage;
  count += 1;
  const app = await site.client({
    clientId: `https://${BLOCKED_HOST}/${count}`,
    ownerId: user,
    mayAct: [print.clientId],
    grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
  });
  const photos = await handingOn(site, [print, app]);
  const person = await logInPerson(site, user);
  const query = { scope: 'openid profile', ...detailsParameter(PAYMENT, PAYMENT, PAYMENT) };
  const code = (await person.authorize(codeQuery(app, query))).searchParams.get('code') ?? '';
  const { body } = await redeem(site, app, code).expect(200);
  const fields = { grant_type: 'client_credentials', scope: 'photos:read' };
  const { body: ofClient } = await tokenRequest(site, app, fields).expect(200);
  const ofProgram = { name: 'Backup', scopes: ['photos:read'] };
  const personal = await site.oauth.personalAccessTokens.create({ ...ofProgram, userId: user });
  const service = await site.oauth.personalAccessTokens.create({ ...ofProgram, owners: [user] });
  const subject = await site.oauth.grants.create({
    clientId: photos.clientId,
    userId: 'bob',
    scopes: ['photos:read'],
  });
  const tokens = {
    user: body.access_token as string,
    refresh: body.refresh_token as string,
    exchanged: await exchanged(site, print, body.access_token as string),
    client: ofClient.access_token as string,
    personal: personal.token,
    service: service.token,
  };
  return {
    ...stage,
    ...{ app, user, person, tokens, code },
    ...{ personal: personal.id, service: service.id, subject: subject.accessToken },
  };
}

type Reader = (at: Site, token: string, app: App) => PromiseLike<{ readonly status: number }>;
const introspection: Reader = async (at, token, { api }) => ({
  status: (await introspectAs(at, api, token)).active === true ? 200 : 401,
});
/** Every place that reads an access token of any kind. */
const READERS: Readonly<Record<string, Reader>> = {
  guard: (at, token) => callApi(at, token),
  'oauth.verify': (at, token) => request(at.server).post('/verify').set('X-Token', token),
  'guard.upgrade': async ({ url }, token) => {
    const headers = { Connection: 'Upgrade', Upgrade: 'test', Authorization: `Bearer ${token}` };
    const sent = httpRequest(`${url}/live`, { headers }).end();
    const [response] = await Promise.race([once(sent, 'upgrade'), once(sent, 'response')]);
    response.socket.destroy();
    return { status: response.statusCode === 101 ? 200 : response.statusCode };
  },
  introspection,
};
const OF_USERS: typeof READERS = {
  ...READERS,
  'subject token of an exchange': (at, token, { print }) => exchange(at, print, token),
};
const READERS_OF: Readonly<Record<Kind, typeof READERS>> = {
  user: {
    ...OF_USERS,
    userinfo: (at, token) => request(at.server).get('/oauth/userinfo').auth(token, { type: 'bearer' }),
    'use of details': (at, token) => request(at.server).post('/pay').auth(token, { type: 'bearer' }),
  },
  refresh: {
    introspection,
    refresh: async (at, token, { app, tokens }) => {
      const { status, body } = await refresh(at, app, token);
      if (status === 200) tokens.refresh = body.refresh_token;
      return { status };
    },
  },
  exchanged: OF_USERS,
  client: {
    ...READERS,
    'actor token of an exchange': (at, token, { subject, print }) =>
      exchange(at, print, subject, { actor_token: token, actor_token_type: ACCESS_TOKEN }),
  },
  personal: READERS,
  service: READERS,
};
const KINDS = Object.keys(READERS_OF) as Kind[];
const PROGRAMS: readonly Kind[] = ['personal', 'service'];
const OF_USER: readonly Kind[] = ['user', 'refresh', 'exchanged'];
const OF_APP: readonly Kind[] = [...OF_USER, 'client'];

async function read(at: Site, app: App): Promise<Record<string, boolean>> {
  const result: Record<string, boolean> = {};
  for (const kind of KINDS)
    for (const [reader, send] of Object.entries(READERS_OF[kind])) {
      const { status } = await send(at, app.tokens[kind], app);
      if (![200, 400, 401].includes(status)) throw new Error(`${kind} at ${reader}: ${status}`);
      result[`${kind}: ${reader}`] = status === 200;
    }
  return result;
}

const refresh = (at: Site, app: ClientWithSecret, token: string) => refreshTokens(at, app, token);
const revoke = async ({ app, site }: App, token: string) => {
  await clientRequest(site, app, '/oauth/revoke', { token }).expect(200);
};
const sendFormOf = async ({ person: { agent } }: App, page: string, to = page, more = {}) => {
  const formPage = await agent.get(page).expect(200);
  await postForm(agent, to, { ...hiddenFields(formPage), ...more }).expect(303);
};

/** A way to end tokens: the tokens that it ends (all others stay), and another site that reads them. */
interface Way {
  readonly ends: readonly Kind[];
  readonly run: (app: App) => unknown;
  readonly format?: keyof typeof stages;
  /** The user of the tokens. Default: ada. The end of an account continues in the background. */
  readonly user?: string;
}
const byHost = (of: (app: App) => GrantsOf, ends: readonly Kind[]): Way => ({
  ends,
  run: (app) => app.site.oauth.grants.revoke(of(app)),
});
/** Each member of the filter of `grants.revoke`. */
const BY_FILTER: Readonly<
  Record<`grants.revoke by ${Exclude<keyof GrantsOf | 'issuedBefore' | 'all', 'dryRun'>}`, Way>
> = {
  'grants.revoke by userId': byHost(({ user }) => ({ userId: user }), [...OF_USER, 'personal']),
  'grants.revoke by clientId': byHost(({ app: { clientId } }) => ({ clientId }), OF_APP),
  'grants.revoke by scope': byHost(() => ({ scope: 'profile' }), OF_USER),
  'grants.revoke by kind': byHost(() => ({ kind: 'service' }), ['service']),
  'grants.revoke by issuedBefore': byHost(() => {
    letPass(10);
    return { issuedBefore: new Date() };
  }, KINDS),
  'grants.revoke by all': byHost(() => ({ all: true }), KINDS),
};
const WAYS: Readonly<Record<string, Way>> = {
  ...BY_FILTER,
  'grants.revoke by all, of JWTs': { ...BY_FILTER['grants.revoke by all'], format: 'jwt' },
  'keys.revoke': {
    format: 'jwt',
    ends: ['user', 'exchanged', 'client'],
    async run({ site: { oauth } }) {
      for (const { kid } of await oauth.keys.list()) await oauth.keys.revoke(kid);
    },
  },
  'clients.block': { ends: OF_APP, run: ({ site, app }) => site.oauth.clients.block(app.clientId) },
  'clients.delete': { ends: OF_APP, run: ({ site, app }) => site.oauth.clients.delete(app.clientId) },
  'people.end': { ends: KINDS, user: 'eve', run: ({ site, user }) => site.oauth.people.end(user) },
  'sessions.end': { ends: OF_USER, run: ({ site, user }) => site.oauth.sessions.end({ userId: user }) },
  'personalAccessTokens.revoke': {
    ends: PROGRAMS,
    async run({ site, personal, service }) {
      for (const id of [personal, service]) await site.oauth.personalAccessTokens.revoke(id);
    },
  },
  'personalAccessTokens.block': {
    ends: PROGRAMS,
    async run({ site, personal, service }) {
      for (const id of [personal, service]) await site.oauth.personalAccessTokens.block(id);
    },
  },
  'personalAccessTokens.revokeLeaked': {
    ends: ['personal'],
    run: ({ site, tokens }) => site.oauth.personalAccessTokens.revokeLeaked(tokens.personal),
  },
  'personalAccessTokens.rotate': {
    ends: ['personal'],
    run: ({ site, personal }) => site.oauth.personalAccessTokens.rotate(personal, { overlap: 0 }),
  },
  'a report of a leaked token': {
    ends: ['service'],
    run: ({ site, tokens }) =>
      request(site.server).post('/oauth/leaked-token').send({ token: tokens.service }).expect(200),
  },
  'access tokens that the client revokes': {
    ends: ['user', 'exchanged', 'client'],
    async run(app) {
      for (const kind of ['user', 'client'] as const) await revoke(app, app.tokens[kind]);
    },
  },
  'a refresh token that the client revokes': { ends: OF_USER, run: (app) => revoke(app, app.tokens.refresh) },
  'a code that is used again': { ends: OF_USER, run: ({ site, app, code }) => redeem(site, app, code) },
  'a refresh token that is used again': {
    ends: OF_USER,
    async run({ site, app, tokens }) {
      const { body } = await refresh(site, app, tokens.refresh).expect(200);
      await refresh(site, app, body.refresh_token).expect(200);
      await refresh(site, app, tokens.refresh).expect(400);
    },
  },
  'the page of connected apps': {
    ends: OF_USER,
    run: (app) =>
      sendFormOf(
        app,
        `/oauth/authorizations/${encodeURIComponent(app.app.clientId)}`,
        '/oauth/authorizations/revoke',
        { client_id: app.app.clientId },
      ),
  },
  'the owner’s page of the application': {
    ends: OF_APP,
    run: (app) => sendFormOf(app, `/oauth/applications/${encodeURIComponent(app.app.clientId)}/disconnect`),
  },
  'their lifetime': { ends: ['user', 'exchanged', 'client'], run: () => letPass(2 * 3600) },
  'a host that the options block': {
    ends: OF_APP,
    run: ({ site }) =>
      openWithApi({
        database: site.database,
        issuer: site.url,
        clientIdMetadataDocuments: { trust: { block: [BLOCKED_HOST] } },
      }),
  },
};

describe('every reader of tokens', () => {
  test.each<[string, Way]>(Object.entries(WAYS))(
    'every reader refuses the tokens that were ended by %s, and no others',
    async (_how, { ends, run, format = 'opaque', user = 'ada' }) => {
      // `iat` is in whole seconds: wait until the second of a previous revocation is over
      const begin = Math.floor(Date.now() / 1000);
      if (format === 'jwt') await until(() => Math.floor(Date.now() / 1000) > begin);
      const app = await obtain(stages[format], user);
      const before = await read(app.site, app);
      expect(Object.keys(before).filter((place) => before[place] === false)).toEqual([]);
      const ended = await run(app);
      const at = (ended as Partial<Site> | undefined)?.server === undefined ? app.site : (ended as Site);
      const after = await read(at, app);
      if (at !== app.site) await at.close();
      expect(after).toEqual(
        Object.fromEntries(
          Object.keys(before).map((place) => [place, !ends.some((kind) => place.startsWith(`${kind}: `))]),
        ),
      );
    },
  );
});

/** Ways to end something else than the tokens of the table. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'personalAccessTokens.narrow': 'the token stays, with fewer scopes',
  'grant.narrowed': 'the grant stays, with fewer scopes',
  'personalAccessTokens.removeOwner': 'owners are people',
  'owner.removed': 'owners are people',
  'owner.invitation_ended': 'owners are people',
  'clients.removeOwner': 'owners are people',
  'clients.revokeInvitation': 'owners are people',
  'clients.rotateSecret': 'a secret is no token',
  'clients.revokeOldSecrets': 'a secret is no token',
  'client.secret_rotated': 'a secret is no token',
  'keys.rotate': 'the key before still verifies',
  device_code_replayed: 'test/rfc/rfc8628: the same operation as code_replayed',
  choice_lost: 'test/grants/ended-grants.test.ts: only a refresh finds out',
  shared_signal: 'test/features/shared-signals: calls grants.revoke',
};

test('the table has each way to end tokens: methods, events and reasons of grant.revoked', () => {
  const oauth = stages.opaque.site.oauth as unknown as Readonly<Record<string, object>>;
  const methods = ['clients', 'grants', 'keys', 'people', 'personalAccessTokens', 'sessions'].flatMap(
    (name) =>
      Object.keys(oauth[name]!)
        .filter((method) => /^(revoke|end|delete|block|remove|narrow|rotate)/.test(method))
        .map((method) => `${name}.${method}`),
  );
  const events = EVENT_NAMES.filter((name) =>
    /revoked|ended|deleted|blocked|removed|reused|replayed|narrowed|rotated/.test(
      name.replace('unblocked', ''),
    ),
  );
  const source = readFileSync('lib/core/observability/events.ts', 'utf8');
  const [, documented = ''] = /`reason` is (`code_replayed`[^]*?)\*\/\s*'grant\.revoked'/.exec(source) ?? [];
  const reasons = [...documented.replace(/\([^)]*\)/g, '').matchAll(/`([a-z_]+)`/g)].map(
    ([, reason]) => reason!,
  );
  expect(reasons).toContain('host');
  const covered = new Set([
    ...Object.keys(WAYS).map((way) => way.replace(/ .*/, '')),
    ...seen.map(({ type }) => type),
    ...seen.flatMap((event) => ('reason' in event ? [String(event.reason)] : [])),
    ...Object.keys(ELSEWHERE),
  ]);
  expect([...methods, ...events, ...reasons].filter((name) => !covered.has(name))).toEqual([]);
});
