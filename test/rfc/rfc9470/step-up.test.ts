import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import request, { type Response } from 'supertest';

import type { ClientWithSecret } from '../../../lib/index.js';
import { letPass } from '../../support/clock.js';
import {
  codeQuery,
  errorOf,
  hiddenFields,
  locationOf,
  logInAgain,
  logInPerson,
  type Person,
  type Query,
} from '../../support/person.js';
import { openSite, type Site } from '../../support/site.js';
import {
  callApi,
  introspectAs,
  type ObtainedTokens,
  obtainTokens,
  redeem,
  refreshTokens,
  tokenRequest,
} from '../../support/tokens.js';

/** The login of a person, which a route of the test sets in the session. */
interface SessionOfTest {
  readonly session: { acr?: string; at?: number; amr?: string[] };
}

const JWT_API = 'https://jwt.photos.example';

const isSentToLogin = ({ status, text }: Response) => status === 200 && text.includes('Please log in again');
/** The parameters of the first challenge. */
function challengeOf({ headers }: Response): Record<string, string> {
  const [first = ''] = String(headers['www-authenticate']).split(/, (?=DPoP )/);
  return Object.fromEntries([...first.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
}

let site: Site;
let client: ClientWithSecret;
let ada: Person;

async function open(): Promise<void> {
  site = await openSite({
    resources: { [JWT_API]: { accessTokenFormat: 'jwt' } },
    tokens: { accessTokenClaims: () => ({ acr: 'forged', auth_time: 1, amr: ['forged'], plan: 'gold' }) },
    stepUp: { acrValues: ['mfa', 'pwd'] },
    people: { authentication: (req) => (req as unknown as SessionOfTest).session },
  });
  site.app.post('/strength/:acr', (req, res) => {
    const { acr } = req.params;
    Object.assign((req as unknown as SessionOfTest).session, {
      at: Date.now(),
      acr,
      amr: acr === 'mfa' ? ['pwd', 'otp'] : ['pwd'],
    });
    res.end();
  });
  const { guard } = site.oauth;
  const answer = (path: string, route: Parameters<typeof guard>[0]) =>
    site.app.get(path, guard(route as never), (req, res) => void res.json(req.auth));
  answer('/new', { maxAge: 300 });
  answer('/strong', { acr: ['mfa'] });
  answer('/both', { scopes: ['photos:write'], maxAge: 300, acr: ['mfa', 'pwd'] });
  answer('/jwt', { resource: JWT_API, maxAge: 300, acr: ['mfa'] });
  site.app.use(site.oauth.errorHandler);
}

/** A person who has just logged in. */
async function loggedIn(acr = 'pwd', name = 'ada'): Promise<Person> {
  const person = await logInPerson(site, name);
  await person.agent.post(`/strength/${acr}`);
  return person;
}
const asking = (query: Query = {}): Query =>
  codeQuery(client, { scope: 'photos:read photos:write', ...query });
async function tokenFor(person: Person, query: Query = {}): Promise<string> {
  const { searchParams } = await person.authorize(asking(query));
  const answer = await redeem(site, client, String(searchParams.get('code')));
  if (answer.status !== 200) throw new Error(`no token: ${searchParams.toString()} ${answer.text}`);
  return (answer.body as { access_token: string }).access_token;
}

describe('RFC 9470 step-up at a site with people.authentication', () => {
  beforeAll(open);
  afterAll(() => site.close());
  beforeEach(async () => {
    client = await site.client({ introspection: true });
    ada = await loggedIn();
  });

  test('§3 a login older than maxAge is answered 401 with max_age [3-1] [3-3]', async () => {
    const token = await tokenFor(ada);
    expect((await callApi(site, token, '/new')).status).toBe(200);
    letPass(301);
    const response = await callApi(site, token, '/new');
    expect(response.status).toBe(401);
    expect(challengeOf(response)).toMatchObject({
      error: 'insufficient_user_authentication',
      error_description: 'more recent authentication is required',
      max_age: '300',
    });
    expect(challengeOf(response)).not.toHaveProperty('acr_values');
    expect(response.body).toMatchObject({ error: 'insufficient_user_authentication' });
  });

  test('§3 a login with another acr is answered 401 with acr_values [3-1] [3-2]', async () => {
    const response = await callApi(site, await tokenFor(ada), '/strong');
    expect(response.status).toBe(401);
    expect(challengeOf(response)).toMatchObject({
      error: 'insufficient_user_authentication',
      error_description: 'a different authentication level is required',
      acr_values: 'mfa',
    });
    expect((await callApi(site, await tokenFor(await loggedIn('mfa')), '/strong')).status).toBe(200);
  });

  test('§3 the step-up challenge has max_age, acr_values and the scopes of the token [3-2] [3-4] [3-5]', async () => {
    const token = await tokenFor(await loggedIn('none'));
    expect(challengeOf(await callApi(site, token, '/both'))).toMatchObject({
      max_age: '300',
      acr_values: 'mfa pwd',
      scope: 'photos:write photos:read',
    });
    expect((await callApi(site, await tokenFor(ada), '/both')).status).toBe(200);
  });

  test('a missing scope is reported before a weak login', async () => {
    const token = await tokenFor(await loggedIn('none'), { scope: 'photos:read' });
    const response = await callApi(site, token, '/both');
    expect(response.status).toBe(403);
    expect(challengeOf(response).error).toBe('insufficient_scope');
  });

  test('an invalid token gets a challenge without login requirements', async () => {
    const challenge = challengeOf(await callApi(site, `eas_at_${'x'.repeat(65)}`, '/both'));
    expect(challenge).toMatchObject({ error: 'invalid_token' });
    expect(challenge).not.toHaveProperty('max_age');
    expect(challengeOf(await request(site.server).get('/both'))).not.toHaveProperty('acr_values');
  });

  test('a client that repeats the challenge in its request gets access [4-1] [4-2] [5-1] [5-4]', async () => {
    const weak = await callApi(site, await tokenFor(ada), '/strong');
    const { acr_values } = challengeOf(weak);
    const page = await ada.openAuthorize(asking({ acr_values }));
    expect(isSentToLogin(page)).toBe(true);
    const sent = await ada.sendForm({ ...hiddenFields(page), account: 'switch' });
    const to = new URL(String(sent.headers.location), site.url);
    expect(to.searchParams.get('acr_values')).toBe('mfa');
    await ada.logIn();
    await ada.agent.post('/strength/mfa');
    const back = await ada.agent.get(String(to.searchParams.get('return_to')));
    const code = String(locationOf(back).searchParams.get('code'));
    const { access_token } = (await redeem(site, client, code)).body as { access_token: string };
    const answer = await callApi(site, access_token, '/strong');
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ acr: 'mfa', amr: ['pwd', 'otp'], authTime: expect.any(Number) });
  });

  test('§5 a login that stays too weak gets an error and no token [5-3]', async () => {
    const answer = await ada.openAuthorize(asking({ acr_values: 'mfa', login_done: 'yes' }));
    expect(errorOf(answer)).toBe('unmet_authentication_requirements');
    const silent = await ada.openAuthorize(asking({ acr_values: 'mfa', prompt: 'none' }));
    expect(locationOf(silent).searchParams.has('code')).toBe(false);
  });

  test('§5 a login with any of several acr_values is enough [5-3]', async () => {
    expect(isSentToLogin(await ada.openAuthorize(asking({ acr_values: 'mfa' })))).toBe(true);
    await tokenFor(ada, { acr_values: 'mfa pwd' });
  });

  test('§5 an unsupported acr is refused without a login [5-3]', async () => {
    expect(errorOf(await ada.openAuthorize(asking({ acr_values: 'retina' })))).toBe(
      'unmet_authentication_requirements',
    );
  });

  test('§4 max_age requires a new login, and an invalid max_age or acr_values is refused [4-2]', async () => {
    letPass(400);
    expect(isSentToLogin(await ada.openAuthorize(asking({ max_age: '300' })))).toBe(true);
    expect(errorOf(await ada.openAuthorize(asking({ max_age: 'soon' })))).toBe('invalid_request');
    const long = 'x'.repeat(201);
    expect(errorOf(await ada.openAuthorize(asking({ acr_values: long })))).toBe('invalid_request');
  });

  test('§6.1 a JWT has auth_time, acr and amr of the login, also after a refresh [5-4] [6.1-1]', async () => {
    const at = Math.floor(Date.now() / 1000);
    const { searchParams } = await ada.authorize(asking({ resource: JWT_API }));
    const first = (await redeem(site, client, String(searchParams.get('code')))).body as ObtainedTokens;
    const claims = decodeJwt(first.access_token);
    expect(claims).toMatchObject({ acr: 'pwd', amr: ['pwd'], plan: 'gold' });
    expect(Number(claims.auth_time)).toBeGreaterThanOrEqual(at - 60);
    letPass(400);
    const renewed = await refreshTokens(site, client, first.refresh_token);
    const { access_token } = renewed.body as ObtainedTokens;
    expect(decodeJwt(access_token)).toMatchObject({ acr: 'pwd', auth_time: claims.auth_time });
    expect((await callApi(site, access_token, '/jwt')).status).toBe(401);
  });

  test('§6.1 accessTokenClaims cannot replace acr, auth_time and amr [6.1-1]', async () => {
    const { access_token } = (
      await tokenRequest(site, client, { grant_type: 'client_credentials', resource: JWT_API })
    ).body as ObtainedTokens;
    const claims = decodeJwt(access_token);
    expect(claims.plan).toBe('gold');
    for (const name of ['acr', 'auth_time', 'amr']) expect(claims).not.toHaveProperty(name);
  });

  test('§6.2 introspection returns acr, auth_time and amr [6.2-1]', async () => {
    const token = await tokenFor(ada);
    const { body } = await callApi(site, token);
    expect(await introspectAs(site, client, token)).toMatchObject({
      acr: 'pwd',
      auth_time: (body as { authTime: number }).authTime,
      amr: ['pwd'],
    });
  });

  test('§7 the metadata lists acr_values_supported [7-1]', async () => {
    const { body } = await request(site.server).get('/.well-known/oauth-authorization-server');
    expect(body).toMatchObject({ acr_values_supported: ['mfa', 'pwd'] });
  });

  test('a token of a client itself has no login and is refused', async () => {
    const { access_token } = (await tokenRequest(site, client, { grant_type: 'client_credentials' }))
      .body as ObtainedTokens;
    for (const path of ['/new', '/strong'])
      expect(challengeOf(await callApi(site, access_token, path)).error).toBe(
        'insufficient_user_authentication',
      );
  });

  test('a token of the password grant has no login and is refused', async () => {
    await using host = await openSite({ stepUp: true, grantTypes: ['password'] });
    host.app.get('/new', host.oauth.guard({ maxAge: 300 }), (_req, res) => void res.json({}));
    host.app.use(host.oauth.errorHandler);
    const { access_token } = (
      await tokenRequest(host, await host.client(), {
        grant_type: 'password',
        username: 'ada',
        password: 'password of ada',
      })
    ).body as ObtainedTokens;
    expect((await callApi(host, access_token, '/new')).status).toBe(401);
  });

  test('grants.create accepts the login of the person', async () => {
    const make = (authentication: object) =>
      site.oauth.grants.create({ clientId: client.clientId, userId: 'ada', authentication });
    const { accessToken } = await make({ at: new Date(), acr: 'mfa' });
    expect((await callApi(site, accessToken, '/strong')).status).toBe(200);
    const later = await make({ at: Date.now() + 3_600_000, acr: 'mfa' });
    expect((await callApi(site, later.accessToken, '/new')).status).toBe(401);
    await expect(make({ at: 'yesterday' })).rejects.toThrow(/authentication/);
    await expect(
      site.oauth.grants.create({ clientId: client.clientId, authentication: { acr: 'mfa' } }),
    ).rejects.toThrow(/needs a userId/);
  });
});

describe('RFC 9470 with Passport alone, without openid', () => {
  let token: string;
  beforeAll(async () => {
    site = await openSite({ stepUp: true });
    client = await site.client();
    site.app.get('/new', site.oauth.guard({ maxAge: 300 }), (req, res) => void res.json(req.auth));
    site.app.use(site.oauth.errorHandler);
    ada = await logInPerson(site);
    token = (await obtainTokens(site, client)).access_token;
  });
  afterAll(() => site.close());

  test('§3 a login that the server has not seen is not recent [3-1]', async () => {
    expect((await callApi(site, token, '/new')).status).toBe(401);
  });

  test('§4 max_age leads to one more login, and then the token is accepted [4-1] [4-2] [5-4]', async () => {
    const { max_age } = challengeOf(await callApi(site, token, '/new'));
    const page = await ada.openAuthorize(asking({ max_age, scope: undefined }));
    expect(isSentToLogin(page)).toBe(true);
    const consent = await logInAgain(ada, page);
    const answer = consent.status === 200 ? await ada.choose(consent) : consent;
    const code = String(locationOf(answer).searchParams.get('code'));
    const { access_token } = (await redeem(site, client, code)).body as ObtainedTokens;
    expect((await callApi(site, access_token, '/new')).status).toBe(200);
    letPass(301);
    expect((await callApi(site, access_token, '/new')).status).toBe(401);
  });

  test('§7 the metadata has no acr_values_supported without acrValues [7-1]', async () => {
    const { body } = await request(site.server).get('/.well-known/oauth-authorization-server');
    expect(body).not.toHaveProperty('acr_values_supported');
    expect(errorOf(await ada.openAuthorize(asking({ acr_values: 'mfa' })))).toBe(
      'unmet_authentication_requirements',
    );
  });
});
