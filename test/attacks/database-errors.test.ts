import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Response } from 'supertest';

import type { ClientWithSecret } from '../../lib/index.js';
import { untilServed } from '../stress/asking.js';
import { openNewApplication } from '../support/applications.js';
import { openDatabase } from '../support/database.js';
import { describeFailing, type FailPoint, type Failure, whileFailing } from '../support/fail-point.js';
import { startMongo } from '../support/mongodb.js';
import {
  codeQuery,
  hiddenFields,
  locationOf,
  logInPerson,
  pageAfter,
  type Person,
  postForm,
  type Query,
} from '../support/person.js';
import { openSite, REDIRECT_URI, type Site } from '../support/site.js';
import {
  callApi,
  obtainCode,
  obtainTokens,
  redeem,
  refreshTokens,
  tokenRequest,
  whoseGrantIs,
} from '../support/tokens.js';

/** A separate server, unless the run was given one: other suites would wait for its many failures. */
const mongo = await startMongo({ testCommands: true, log: () => undefined });
const database = await openDatabase(undefined, mongo.uri);
/** The site's connection may be broken at the moment when the failures are to be switched off. */
const control = await openDatabase(undefined, mongo.uri);

let site: Site;
/** Another process of the same site: the first one does not know its codes without a query. */
let other: Site;
let client: ClientWithSecret;
let ada: Person;

beforeAll(async () => {
  const options = {
    database,
    grantTypes: ['authorization_code', 'refresh_token', 'client_credentials', 'password', 'implicit'],
    security: { rateLimits: false },
    advanced: { databaseTimeout: 2000, clientCacheTtl: 0 },
  } as const;
  site = await openSite(options);
  other = await openSite({ ...options, issuer: site.url });
  client = await site.client();
  ada = await logInPerson(site);
});
afterAll(async () => {
  await other.close();
  await site.close();
  await database.close();
  await control.close();
  await mongo.stop();
});

const failing = <T>(failPoint: FailPoint, work: () => PromiseLike<T>) =>
  whileFailing(control, { only: database, ...failPoint }, work);
const grants = () => database.collection('oauth_grants');
const grantOf = (token: string) => grants().findOne(whoseGrantIs(token));

/** The command is not run. */
const NOT_DONE: readonly [string, Failure][] = [
  ['an error', { errorCode: 8 }],
  ['an error after which the driver tries again', { errorCode: 262 }],
  ['a connection that breaks', { closeConnection: true }],
];
/** The command is run, but its answer is lost. */
const DONE: Failure = { writeConcernError: { code: 64, errmsg: 'waiting for replication timed out' } };

function expectUnavailable(response: Response): void {
  expect(response.status).toBe(503);
  expect(response.headers['content-type']).toBe('application/json;charset=UTF-8');
  expect(response.headers['retry-after']).toMatch(/^\d+$/);
  expect(response.body).toEqual({ error: 'temporarily_unavailable', error_description: expect.any(String) });
}

const codeRequest = (of: ClientWithSecret, more: Query = {}): Query =>
  codeQuery(of, { state: 'xyz', ...more });

const CODE_STEPS: readonly [string, Pick<FailPoint, 'command' | 'skip'>][] = [
  ['finding the client', { command: 'find' }],
  ['finding the grant', { command: 'find', skip: 1 }],
  ['the atomic update', { command: 'update' }],
];

describeFailing.each(NOT_DONE)('%s, before the command is done', (_what, failure) => {
  test.each(CODE_STEPS)('a code still works after a 503 by a failure at %s', async (_step, at) => {
    const code = await obtainCode(other, client);
    expectUnavailable(await failing({ ...at, failure }, () => redeem(site, client, code)));
    const response = await redeem(site, client, code);
    expect(response.status).toBe(200);
    expect((await callApi(site, response.body.access_token)).status).toBe(200);
    expect((await grantOf(code))?.accessTokens).toHaveLength(1);
  });

  test.each(CODE_STEPS)('a refresh token still works after a 503 by a failure at %s', async (_step, at) => {
    const { refresh_token: refreshToken } = await obtainTokens(site, client);
    const refresh = () => refreshTokens(site, client, refreshToken);
    expectUnavailable(await failing({ ...at, failure }, refresh));
    const response = await refresh();
    expect(response.status).toBe(200);
    expect((await callApi(site, response.body.access_token)).status).toBe(200);
    expect(await grantOf(refreshToken)).toMatchObject({
      accessTokens: [{}, {}],
    });
  });

  test.each([
    ['client_credentials', {}],
    ['password', { username: 'ada', password: 'password of ada' }],
  ])('a failed insert of a %s token is 503, and nothing is stored', async (grantType, fields) => {
    const before = await grants().countDocuments();
    expectUnavailable(
      await failing({ command: 'insert', failure }, () =>
        tokenRequest(site, client, { grant_type: grantType, ...fields }),
      ),
    );
    expect(await grants().countDocuments()).toBe(before);
  });

  test.each(['/api/me', '/api/maybe', '/api/photos'])(
    'a guard of %s with a failure is 503 without a challenge, and its route is not reached',
    async (path) => {
      const { access_token: token } = await obtainTokens(site, client);
      const response = await failing({ command: 'find', failure }, () => callApi(site, token, path));
      expectUnavailable(response);
      expect(response.headers).not.toHaveProperty('www-authenticate');
      expect((await callApi(site, token, path)).status).toBe(200);
    },
  );

  test('an authorization request without a client lookup is a page with 503, no redirect', async () => {
    const response = await failing({ command: 'find', failure }, () =>
      ada.openAuthorize(codeRequest(client)),
    );
    expect(response.status).toBe(503);
    expect(response.headers['content-type']).toMatch(/^text\/html/);
    expect(response.headers['retry-after']).toMatch(/^\d+$/);
    expect(response.headers.location).toBeUndefined();
  });

  test.each([
    ['finding the consent', { command: 'find', skip: 1 }],
    ['storing the code', { command: 'insert' }],
  ] as const)('RFC 6749 §4.1.2.1 a failure at %s is temporarily_unavailable', async (_step, at) => {
    const fresh = await site.client();
    await ada.authorize(codeRequest(fresh));
    const before = await grants().countDocuments();
    const location = locationOf(
      await failing({ ...at, failure }, () => ada.openAuthorize(codeRequest(fresh))),
    );
    expect(`${location.origin}${location.pathname}`).toBe(REDIRECT_URI);
    expect(Object.fromEntries(location.searchParams)).toEqual({
      error: 'temporarily_unavailable',
      error_description: expect.any(String),
      state: 'xyz',
      iss: site.url,
    });
    expect(await grants().countDocuments()).toBe(before);
  });

  test.each([
    ['storing the consent', 'update'],
    ['storing the code', 'insert'],
  ] as const)(
    'a decision with a failure at %s gives no code, and can be sent again',
    async (_step, command) => {
      const fresh = await site.client();
      const page = await ada.openAuthorize(codeRequest(fresh));
      const answer = await failing({ command, failure }, () => ada.choose(page));
      // a broken connection can also stop the look-up of the client, without which nobody is sent back
      const isBroken = 'closeConnection' in failure;
      if (isBroken && answer.status === 503) expect(answer.headers).not.toHaveProperty('location');
      else expect(locationOf(answer).searchParams.get('error')).toBe('temporarily_unavailable');
      expect(await grants().countDocuments({ clientId: fresh.clientId })).toBe(0);
      const again = await (isBroken ? untilServed(() => ada.choose(page)) : ada.choose(page));
      expect(locationOf(again).searchParams.has('code')).toBe(true);
    },
  );

  test('an application form with a failure is 503, and registers one application when repeated', async () => {
    const register = await openNewApplication(ada.agent);
    expect((await failing({ command: 'insert', failure }, register)).status).toBe(503);
    expect((await register()).status).toBe(201);
    expect((await pageAfter(ada.agent, await register())).text).toContain('was registered before');
  });

  test.each([
    ['ending its grants', 'update'],
    ['deleting it', 'delete'],
  ] as const)(
    'a deletion of an application that fails at %s is 503, and its repetition ends the tokens',
    async (_step, command) => {
      const own = await site.client({ ownerId: 'ada' });
      const { access_token: token } = await obtainTokens(site, own);
      // opened before: this page may have something to store, too
      const form = hiddenFields(await ada.agent.get(`/oauth/applications/${own.clientId}/delete`));
      const remove = () =>
        postForm(ada.agent, `/oauth/applications/${own.clientId}/delete`, {
          ...form,
          confirmation: own.clientId,
        });
      expect((await failing({ command, failure }, remove)).status).toBe(503);
      await remove();
      expect((await callApi(site, token)).status).toBe(401);
      expect(await site.oauth.clients.find(own.clientId)).toBeNull();
    },
  );
});

describeFailing('an error after the command is done', () => {
  test('a code exchange whose answer is lost is 503, and its repetition has the only tokens', async () => {
    const code = await obtainCode(site, client);
    expectUnavailable(await failing({ command: 'update', failure: DONE }, () => redeem(site, client, code)));
    const response = await redeem(site, client, code);
    expect(response.status).toBe(200);
    expect((await grantOf(code))?.accessTokens).toHaveLength(1);
    expect((await redeem(site, client, code)).body.error).toBe('invalid_grant');
    expect((await callApi(site, response.body.access_token)).status).toBe(401);
  });

  test('a refresh whose answer is lost is 503, and its repetition has the only tokens', async () => {
    const { access_token: token, refresh_token: refreshToken } = await obtainTokens(site, client);
    const refresh = () => refreshTokens(site, client, refreshToken);
    expectUnavailable(await failing({ command: 'update', failure: DONE }, refresh));
    const { body } = await refresh();
    expect((await callApi(site, body.access_token)).status).toBe(200);
    expect((await grantOf(refreshToken))?.accessTokens).toHaveLength(2);
    expect((await refresh()).body.error).toBe('invalid_grant');
    for (const each of [token, body.access_token]) expect((await callApi(site, each)).status).toBe(401);
  });

  test('an application form whose answer is lost is 503, and finds its application later', async () => {
    const register = await openNewApplication(ada.agent);
    expect((await failing({ command: 'insert', failure: DONE }, register)).status).toBe(503);
    expect((await pageAfter(ada.agent, await register())).text).toContain('was registered before');
  });
});

describeFailing('a command that is done after the answer', () => {
  test('a code exchange that is done after its answer gives tokens to one of two tries at most', async () => {
    const code = await obtainCode(site, client);
    await using impatient = await openSite({ database, advanced: { databaseTimeout: 1000 } });
    const late = await failing(
      { command: 'update', failure: { blockConnection: true, blockTimeMS: 1500 } },
      () => redeem(impatient, client, code),
    );
    expectUnavailable(late);
    const second = await redeem(site, client, code);
    // the late command has run by then
    await failing({ command: 'find', failure: { blockConnection: true, blockTimeMS: 2000 } }, () =>
      grantOf(code),
    );
    const grant = await grantOf(code);
    if (second.status === 200) {
      expect(grant?.accessTokens).toHaveLength(1);
      expect((await callApi(site, second.body.access_token)).status).toBe(200);
    } else {
      expect(second.body.error).toBe('invalid_grant');
      expect(grant?.revokedAt).toBeInstanceOf(Date);
    }
  });
});

describeFailing('a failure of the database', () => {
  test('the cause of a database failure goes to onError alone, in the words of the driver', async () => {
    site.errors.length = 0;
    const response = await failing({ command: 'find', failure: { errorCode: 8 } }, () =>
      tokenRequest(site, client, { grant_type: 'client_credentials' }),
    );
    expect(site.errors).toEqual([
      {
        error: 'temporarily_unavailable',
        detail: expect.any(String),
        endpoint: 'token',
        requestId: response.headers['x-request-id'],
      },
    ]);
    expect(response.text).not.toMatch(/mongo|failCommand|failpoint|database|127\.0\.0\.1/i);
  });
});
