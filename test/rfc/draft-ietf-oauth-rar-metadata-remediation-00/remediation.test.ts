import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import express, { type Express } from 'express';
import request, { type Response } from 'supertest';

import { bearerGuard, errorHandler } from '../../../lib/guard.js';
import type { ClientWithSecret } from '../../../lib/index.js';
import { detailsParameter } from '../../support/authorization-details.js';
import { codeQuery, logInPerson, type Person, type Query } from '../../support/person.js';
import { openSite, type Site, type SiteOptions } from '../../support/site.js';
import { siteFor } from '../../support/site-for.js';
import { introspectAs, redeem, refreshTokens } from '../../support/tokens.js';
import { DETAILS } from './types.js';

const ISSUER = 'https://photos.example';
const JWT_API = 'https://jwt.photos.example';
const OPAQUE_API = 'https://opaque.photos.example';
const MCP = 'https://photos.example/mcp';

interface Remediation {
  readonly authorization_details: readonly Record<string, unknown>[];
  readonly authorization_reference?: string;
}
/** The parameters of the first challenge. */
function challengeOf({ headers }: Response): Record<string, string> {
  const pairs = String(headers['www-authenticate']).matchAll(/(\w+)="([^"]*)"/g);
  return Object.fromEntries([...pairs].map(([, name, value]) => [name, value]));
}
function remediationOf(response: Response): Remediation {
  const text = Buffer.from(String(challengeOf(response).authorization_remediation), 'base64url').toString();
  return JSON.parse(text) as Remediation;
}

let client: ClientWithSecret;
let ada: Person;

const options: SiteOptions = {
  issuer: ISSUER,
  authorizationDetails: DETAILS,
  resources: { [JWT_API]: { accessTokenFormat: 'jwt' }, [OPAQUE_API]: {}, [MCP]: {} },
  stepUp: { acrValues: ['mfa'] },
  people: { authentication: () => ({ acr: 'pwd' }) },
};

/** Routes that need the authorization details in the body of the request. */
function mountRoutes({ app, oauth }: Site): void {
  const { guard } = oauth;
  const needed = (type: string) => (req: express.Request) => [
    { type, amount: Number(req.body.amount), to: String(req.body.to) },
  ];
  const answer = (path: string, route: object) =>
    app.post(path, express.json(), guard(route as never), (_req, res) => void res.json({ done: true }));
  answer('/pay', { details: needed('budget') });
  answer('/once', { details: needed('voucher') });
  answer('/strict', { scopes: ['photos:write'], acr: ['mfa'], details: needed('budget') });
  answer('/scoped', { scopes: ['photos:read'], details: needed('budget') });
  answer('/none', { details: () => [] });
  answer('/later', { details: (req: express.Request) => Promise.resolve(needed('budget')(req)) });
  answer('/own', {
    details: (_req: unknown, auth: { userId: string }) => [{ type: 'budget', amount: 1, to: auth.userId }],
  });
  answer('/broken/nothing', { details: () => undefined });
  answer('/broken/no-list', { details: () => ({ type: 'budget' }) });
  // a list-like object that is no array, such as the result of a query
  answer('/broken/like-a-list', { details: () => ({ length: 0, find: () => undefined }) });
  answer('/broken/no-type', { details: () => [{ amount: 1 }] });
  answer('/broken/unknown', { details: () => [{ type: 'other' }] });
  answer('/broken/throws', {
    details: () => {
      throw new Error('of the host');
    },
  });
  answer('/broken/long', { details: () => [{ type: 'budget', amount: 1, to: 'x'.repeat(5000) }] });
  app.use(
    '/mcp',
    oauth.mcp({
      resource: MCP,
      tools: {
        pay: {
          scopes: ['photos:read'],
          details: ({ amount, to }) => [{ type: 'budget', amount: Number(amount), to: String(to) }],
        },
      },
      handle: (_req, res) => void res.json({ done: true }),
    }),
  );
  app.use(oauth.errorHandler);
}

const post = (token: string, path: string, body: object = {}, at = site) =>
  request(at.server).post(path).set('Authorization', `Bearer ${token}`).send(body);
/** The answer of the token endpoint to a request that the person allows. */
async function tokensFor(
  query: Query,
  person = ada,
): Promise<{ access_token: string; refresh_token: string }> {
  const { searchParams } = await person.authorize(codeQuery(client, { scope: 'photos:read', ...query }));
  const answer = await redeem(site, client, String(searchParams.get('code')));
  if (answer.status !== 200) throw new Error(`no token: ${searchParams.toString()} ${answer.text}`);
  return answer.body;
}
const tokenFor = async (query: Query = {}, person = ada) => (await tokensFor(query, person)).access_token;

const site = siteFor(options);
/** Another process of the same site. */
const second = siteFor(() => ({ ...options, database: site.database }));

beforeAll(() => {
  for (const each of [site, second]) mountRoutes(each);
});
beforeEach(async () => {
  client = await site.client({ introspection: true });
  ada = await logInPerson(site);
});

describe('§4 a call that lacks authorization details', () => {
  test('a call without the required authorization details gets a 401 challenge that lists the details [4-1] [4-2] [4-9] [7.3.2-1]', async () => {
    const response = await post(await tokenFor(), '/pay', { amount: 20, to: 'Print' });
    expect(response.status).toBe(401);
    expect(challengeOf(response)).toMatchObject({
      error: 'insufficient_authorization',
      error_description: 'additional authorization is required',
      scope: 'photos:read',
    });
    expect(remediationOf(response).authorization_details).toEqual([
      { type: 'budget', amount: 20, to: 'Print' },
    ]);
    expect(response.body).toMatchObject({ error: 'insufficient_authorization' });
  });

  test('a token that was requested with the authorization details of the challenge is accepted [4-3] [7.1-1]', async () => {
    const refused = await post(await tokenFor(), '/pay', { amount: 20, to: 'Print' });
    const { scope } = challengeOf(refused);
    const { authorization_details: details } = remediationOf(refused);
    const token = await tokenFor({ scope, ...detailsParameter(...details) });
    expect((await post(token, '/pay', { amount: 20, to: 'Print' })).status).toBe(200);
    // the comparison of the type covers a smaller amount
    expect((await post(token, '/pay', { amount: 5, to: 'Print' })).status).toBe(200);
    for (const more of [
      { amount: 21, to: 'Print' },
      { amount: 20, to: 'Mallory' },
    ]) {
      const again = await post(token, '/pay', more);
      expect(again.status).toBe(401);
      expect(remediationOf(again).authorization_details).toEqual([{ type: 'budget', ...more }]);
    }
  });

  test.each(['/later', '/scoped'])('the challenge at %s lists the missing details', async (path) => {
    const refused = await post(await tokenFor(), path, { amount: 3, to: 'Print' });
    expect(remediationOf(refused).authorization_details).toEqual([
      { type: 'budget', amount: 3, to: 'Print' },
    ]);
  });

  test('a call that needs no authorization details is accepted, and the details function gets the caller', async () => {
    const token = await tokenFor();
    expect((await post(token, '/none')).status).toBe(200);
    expect(remediationOf(await post(token, '/own')).authorization_details).toEqual([
      { type: 'budget', amount: 1, to: 'ada' },
    ]);
  });

  test('the authorization_reference is the same for equal details of one person, and differs otherwise [4-4] [4-5] [4-6]', async () => {
    const referenceOf = async (token: string, body: object, at = site) =>
      String(remediationOf(await post(token, '/pay', body, at)).authorization_reference);
    const [one, other] = [await tokenFor(), await tokenFor()];
    const reference = await referenceOf(one, { amount: 20, to: 'Print' });
    expect(reference).toMatch(/^[\w-]{22}$/);
    expect(await referenceOf(other, { to: 'Print', amount: 20 }, second)).toBe(reference);
    expect(await referenceOf(one, { amount: 21, to: 'Print' })).not.toBe(reference);
    const grace = await logInPerson(site, 'grace');
    // the reference of another person differs
    expect(await referenceOf(await tokenFor({}, grace), { amount: 20, to: 'Print' })).not.toBe(reference);
  });

  test('an authorization_reference of another person grants nothing [7.3.4-1]', async () => {
    const refused = await post(await tokenFor(), '/pay', { amount: 20, to: 'Print' });
    const { authorization_reference: reference } = remediationOf(refused);
    const eve = await logInPerson(site, 'eve');
    const token = await tokenFor({ authorization_reference: reference }, eve);
    expect((await post(token, '/pay', { amount: 20, to: 'Print' })).status).toBe(401);
  });

  test('the consent page shows widened authorization details, and a refresh with widened details is refused', async () => {
    const wide = detailsParameter({ type: 'budget', amount: 900, to: 'Print' });
    const page = await ada.openAuthorize(codeQuery(client, { scope: 'photos:read', ...wide }));
    expect(page.text).toContain('Spend up to 900 EUR at Print');
    const { refresh_token } = await tokensFor(detailsParameter({ type: 'budget', amount: 20, to: 'Print' }));
    const widened = await refreshTokens(site, client, refresh_token, { ...wide });
    expect(widened.body).toMatchObject({ error: 'invalid_authorization_details' });
  });
});

describe('§7.2 the order of the checks', () => {
  test('the guard checks the token, then the scopes, then the authentication, then the authorization details [7.2-1] [7.2-2]', async () => {
    const errorOf = async (token: string, path: string) =>
      challengeOf(await post(token, path, { amount: 20, to: 'Print' })).error;
    expect(await errorOf('unknown', '/strict')).toBe('invalid_token');
    expect(await errorOf(await tokenFor(), '/strict')).toBe('insufficient_scope');
    expect(await errorOf(await tokenFor({ scope: 'photos:write' }), '/strict')).toBe(
      'insufficient_user_authentication',
    );
    expect(await errorOf(await tokenFor(), '/scoped')).toBe('insufficient_authorization');
  });
});

describe('§4 single-use details', () => {
  const VOUCHER = { type: 'voucher', amount: 20, to: 'Print' };
  const body = { amount: 20, to: 'Print' };

  test('single-use authorization details are consumed by one call, and the challenge has no reference [4-8]', async () => {
    const token = await tokenFor(detailsParameter(VOUCHER));
    expect((await post(token, '/once', body)).status).toBe(200);
    const again = await post(token, '/once', body);
    expect(again.status).toBe(401);
    expect(remediationOf(again)).toEqual({ authorization_details: [VOUCHER] });
  });

  test('only one of many concurrent calls to two processes may use single-use authorization details', async () => {
    const token = await tokenFor(detailsParameter(VOUCHER));
    const calls = Array.from({ length: 8 }, (_each, index) =>
      post(token, '/once', body, index % 2 === 0 ? site : second),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 401)).toHaveLength(7);
  });

  test('single-use authorization details are consumed for all access tokens of the grant', async () => {
    const { access_token, refresh_token } = await tokensFor(detailsParameter(VOUCHER));
    const refresh = async (token: string, more = {}) =>
      (await refreshTokens(site, client, token, { ...more })).body as {
        access_token: string;
        refresh_token: string;
        authorization_details?: unknown;
      };
    const narrow = await refresh(refresh_token, detailsParameter({ ...VOUCHER, amount: 5 }));
    expect((await post(narrow.access_token, '/once', { amount: 5, to: 'Print' })).status).toBe(200);
    expect((await post(access_token, '/once', body)).status).toBe(401);
    const later = await refresh(narrow.refresh_token);
    expect(later).not.toHaveProperty('authorization_details');
    expect((await post(later.access_token, '/once', body)).status).toBe(401);
  });

  test('single-use authorization details that were allowed twice cover two calls', async () => {
    const token = await tokenFor(detailsParameter(VOUCHER, VOUCHER));
    const statuses = await Promise.all([1, 2, 3].map(async () => (await post(token, '/once', body)).status));
    expect(statuses.sort()).toEqual([200, 200, 401]);
  });

  test('introspection omits single-use authorization details after their use [6-1]', async () => {
    const token = await tokenFor(detailsParameter(VOUCHER));
    expect(await introspectAs(site, client, token)).toMatchObject({ authorization_details: [VOUCHER] });
    await post(token, '/once', body).expect(200);
    expect(await introspectAs(site, client, token)).not.toHaveProperty('authorization_details');
  });

  test('people are asked for single-use authorization details each time', async () => {
    const asking = codeQuery(client, { scope: 'photos:read' });
    await tokenFor(detailsParameter(VOUCHER));
    expect((await ada.openAuthorize({ ...asking, ...detailsParameter(VOUCHER) })).status).toBe(200);
    const budget = detailsParameter({ type: 'budget', amount: 20, to: 'Print' });
    await tokenFor(budget);
    expect((await ada.openAuthorize({ ...asking, ...budget })).status).toBe(302);
  });

  test('single-use authorization details are refused once the grant has ended', async () => {
    const token = await tokenFor(detailsParameter(VOUCHER));
    await site.oauth.grants.revoke({ userId: 'ada', clientId: client.clientId });
    expect(challengeOf(await post(token, '/once', body)).error).toBe('invalid_token');
  });
});

describe('mistakes of the site', () => {
  test.each(['nothing', 'no-list', 'like-a-list', 'no-type', 'unknown', 'throws', 'long'])(
    'a failing details function leads to status 500: %s',
    async (problem) => {
      const response = await post(await tokenFor(), `/broken/${problem}`);
      expect(response.status).toBe(500);
      expect(response.headers).not.toHaveProperty('www-authenticate');
    },
  );

  test('guard throws at startup if the site cannot meet its options', async () => {
    const plain = await openSite();
    try {
      expect(() => plain.oauth.guard({ details: () => [] })).toThrow(/write authorizationDetails/);
      expect(() => plain.oauth.guard({ maxAge: 5 })).toThrow(/stepUp/);
      expect(() => site.oauth.guard({ acr: ['mfa'] }).orSession).toThrow(/orSession/);
    } finally {
      await plain.close();
    }
  });
});

describe('other resource servers', () => {
  const api = (resource: string, more: object = {}): Express => {
    const guard = bearerGuard({ issuer: site.url, resource, onError: () => undefined, ...more });
    const app = express();
    app.post(
      '/pay',
      express.json(),
      guard({ details: (req) => [{ type: 'budget', amount: req.body.amount, to: req.body.to }] }),
      (_req, res) => void res.json({}),
    );
    return app.use(errorHandler);
  };
  let other: Site;
  beforeAll(async () => {
    // bearerGuard finds the issuer where it listens
    const { issuer: _public, ...rest } = options;
    other = await openSite(rest);
  });
  afterAll(() => other.close());

  test.each([
    ['a JWT', JWT_API, false],
    ['an opaque token', OPAQUE_API, true],
  ])('bearerGuard checks the details of %s [4-1] [4-3] [6-1]', async (_what, resource, isRequested) => {
    const own = await other.client({ introspection: true });
    const person = await logInPerson(other);
    const tokenWith = async (more: Query) => {
      const { searchParams } = await person.authorize(codeQuery(own, { resource, ...more }));
      return ((await redeem(other, own, String(searchParams.get('code')))).body as { access_token: string })
        .access_token;
    };
    const credentials = isRequested && { clientId: own.clientId, clientSecret: own.clientSecret ?? '' };
    const guard = { issuer: other.url, ...credentials };
    const pay = (app: Express, token: string, body: object) =>
      request(app).post('/pay').set('Authorization', `Bearer ${token}`).send(body);
    const refused = await pay(api(resource, guard), await tokenWith({}), { amount: 20, to: 'Print' });
    expect(challengeOf(refused).error).toBe('insufficient_authorization');
    const token = await tokenWith(detailsParameter(...remediationOf(refused).authorization_details));
    expect((await pay(api(resource, guard), token, { amount: 20, to: 'Print' })).status).toBe(200);
    expect((await pay(api(resource, guard), token, { amount: 5, to: 'Print' })).status).toBe(401);
    const comparing = api(resource, {
      ...guard,
      authorizationDetails: { budget: DETAILS.budget.compare },
    });
    expect((await pay(comparing, token, { amount: 5, to: 'Print' })).status).toBe(200);
    expect((await pay(comparing, token, { amount: 25, to: 'Print' })).status).toBe(401);
  });

  test('oauth.mcp derives the required authorization details of a tool from the arguments of the call [4-1]', async () => {
    const tool = (token: string, args: unknown) =>
      post(token, '/mcp', {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'pay', arguments: args },
      });
    const refused = await tool(await tokenFor({ resource: MCP }), { amount: 20, to: 'Print' });
    expect(refused.status).toBe(401);
    const { authorization_details: details } = remediationOf(refused);
    const token = await tokenFor({ resource: MCP, ...detailsParameter(...details) });
    expect((await tool(token, { amount: 20, to: 'Print' })).status).toBe(200);
    for (const args of [{ amount: 21, to: 'Print' }, { amount: 20 }, [], 'all', null])
      expect((await tool(token, args)).status).toBe(401);
  });
});
