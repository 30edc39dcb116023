import { beforeEach, describe, expect, test } from '@jest/globals';
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose';

import type { ClientWithSecret, NewClient } from '../../../lib/index.js';
import { commandsDuring } from '../../support/commands.js';
import { openJwksServer } from '../../support/jwks-server.js';
import { fetchKeys } from '../../support/jwt.js';
import {
  AFTER,
  answerLogout,
  isLoggedIn,
  openLogout,
  openLogoutReceiver,
  signIn,
} from '../../support/logout.js';
import { discover, openid, verifyIdToken } from '../../support/openid.js';
import { codeOf, codeQuery, logInAgain, logInPerson, type Person } from '../../support/person.js';
import { refusal } from '../../support/refusal.js';
import { register } from '../../support/registration.js';
import { openSite, REDIRECT_URI } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { callApi, obtainCode, redeem, refreshTokens } from '../../support/tokens.js';
import { until } from '../../support/until.js';

const site = siteFor({
  openid: { ...openid, algorithms: ['ES256'] },
  registration: { open: true },
  clientAuthentication: { allowPrivateAddresses: true },
});
const receiver = fixture(() => openLogoutReceiver());
beforeEach(() => void receiver.tokens.splice(0));

const clientWith = (path = '/logout', more: Partial<NewClient> = {}) =>
  site.client({ trusted: true, backchannelLogoutUri: new URL(path, receiver.url).href, ...more });
const loggedIn = (name?: string) => logInPerson(site, name);
const logOut = async (person: Person) => answerLogout(person, await openLogout(person));
const signInAt = (person: Person, client: ClientWithSecret, scope = 'openid photos:read') =>
  signIn(site, person, client, { scope });
const waiting = () => site.oauth.models.Webhook!.find({ type: 'backchannel_logout' }).lean();
const nothingWaits = () => until(async () => (await waiting()).length === 0);

test('§2.4 a logout token as id_token_hint logs nobody out', async () => {
  const client = await clientWith('/logout', { postLogoutRedirectUris: [AFTER] });
  const ada = await loggedIn();
  await signInAt(ada, client);
  await logOut(ada);
  await until(() => receiver.tokens.length > 0);
  const grace = await loggedIn('grace');
  const answer = await openLogout(grace, {
    id_token_hint: receiver.tokens[0]!.token,
    post_logout_redirect_uri: AFTER,
  });
  expect([answer.status, answer.headers.location]).toEqual([400, undefined]);
  expect(answer.text).toContain('id_token_hint is no ID token of this server');
  expect(await isLoggedIn(grace)).toBe(true);
});

describe('§2.1 sid', () => {
  test('the sid is the same for all clients of a session, and differs for another session [2.1-1]', async () => {
    const [client, other] = [await clientWith(), await clientWith('/other')];
    const person = await loggedIn('ada');
    const sidOf = async (of: ClientWithSecret) =>
      (await verifyIdToken(site, (await signInAt(person, of)).id_token, of)).sid;
    const sid = await sidOf(client);
    expect(sid).toMatch(/^[0-9a-f-]{36}$/);
    expect(await sidOf(other)).toBe(sid);
    await person.logIn('ada');
    expect(await sidOf(client)).not.toBe(sid);
  });

  /** Signs in at a client that requests a new login, while the person is logged in. */
  async function signInAnew(person: Person, client: ClientWithSecret, as = 'ada'): Promise<string> {
    const page = await person.openAuthorize(codeQuery(client, { scope: 'openid', prompt: 'login' }));
    const code = codeOf(await logInAgain(person, page, as));
    const { body } = await redeem(site, client, String(code));
    return String(decodeJwt(body.id_token as string).sid);
  }

  test('the sid survives a login that a client requested, so that all clients get the logout', async () => {
    const [client, strict] = [await clientWith('/first'), await clientWith('/strict')];
    const person = await loggedIn('ada');
    const first = await signInAt(person, client);
    expect(await signInAnew(person, strict)).toBe(decodeJwt(first.id_token).sid);
    await logOut(person);
    await nothingWaits();
    expect(receiver.tokens.map(({ path }) => path).sort()).toEqual(['/first', '/strict']);
    const { refresh_token } = first;
    const refreshed = await refreshTokens(site, client, refresh_token);
    expect(refreshed.status).toBe(400);
    // a login after the logout starts a new session
    await person.logIn('ada');
    expect(decodeJwt((await signInAt(person, client)).id_token).sid).not.toBe(decodeJwt(first.id_token).sid);
  });

  test('the sid changes if another person logs in', async () => {
    const [client, strict] = [await clientWith('/first'), await clientWith('/strict')];
    const person = await loggedIn('ada');
    const { sid } = decodeJwt((await signInAt(person, client)).id_token);
    expect(await signInAnew(person, strict, 'grace')).not.toBe(sid);
  });

  test('the ID token of a refresh has the same sid', async () => {
    const client = await clientWith();
    const first = await signInAt(await loggedIn(), client);
    const { body } = await refreshTokens(site, client, first.refresh_token);
    expect(decodeJwt(body.id_token as string).sid).toBe(decodeJwt(first.id_token).sid);
  });

  test('a sign-in costs one more command only for a client with a backchannel_logout_uri [2.3-1]', async () => {
    const [plain, reported] = [await site.client({ trusted: true }), await clientWith()];
    const countFor = async (of: ClientWithSecret) => {
      const code = await obtainCode(site, of, { query: { scope: 'openid' } });
      return (await commandsDuring(site.database, () => redeem(site, of, code))).length;
    };
    await countFor(plain);
    expect((await countFor(reported)) - (await countFor(plain))).toBe(1);
    expect(await site.oauth.models.SignIn!.countDocuments({ clientId: plain.clientId })).toBe(0);
  });
});

describe('§2.4, §2.5 a logout', () => {
  test('each client of a session gets a logout token for itself [2.4-1] [2.4-2] [2.4-4] [2.5-1]', async () => {
    const [client, other] = [await clientWith('/a?x=1'), await clientWith('/b')];
    const person = await loggedIn('grace');
    const { id_token: idToken } = await signInAt(person, client);
    await signInAt(person, other);
    await logOut(person);
    expect(await isLoggedIn(person)).toBe(false);
    await nothingWaits();
    expect(receiver.tokens.map(({ path }) => path).sort()).toEqual(['/a?x=1', '/b']);
    const { token, type } = receiver.tokens.find(({ path }) => path.startsWith('/a'))!;
    expect(type).toBe('application/x-www-form-urlencoded');
    const { payload, protectedHeader } = await jwtVerify(
      token,
      createLocalJWKSet({ keys: await fetchKeys(site) }),
      { issuer: site.url, audience: client.clientId, typ: 'logout+jwt', algorithms: ['RS256'] },
    );
    expect(payload).toEqual({
      iss: site.url,
      sub: 'grace',
      aud: client.clientId,
      iat: expect.any(Number),
      exp: payload.iat! + 120,
      jti: expect.any(String),
      sid: decodeJwt(idToken).sid,
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    });
    expect(protectedHeader.alg).toBe('RS256');
    expect(await site.oauth.models.SignIn!.countDocuments({ sid: payload.sid as string })).toBe(0);
  });

  test('a logout token has the algorithm of the ID tokens of its client [2.6-1]', async () => {
    const client = await clientWith('/es', { idTokenSignedResponseAlg: 'ES256' });
    const person = await loggedIn();
    await signInAt(person, client);
    await logOut(person);
    await nothingWaits();
    const keys = createLocalJWKSet({ keys: await fetchKeys(site) });
    await jwtVerify(receiver.tokens[0]!.token, keys, { algorithms: ['ES256'], typ: 'logout+jwt' });
  });

  test('a logout token is refused as an id_token_hint and as an access token [4.1-1]', async () => {
    const client = await clientWith('/confused', { postLogoutRedirectUris: ['https://print.example/'] });
    const person = await loggedIn();
    await signInAt(person, client);
    await logOut(person);
    await nothingWaits();
    const { token } = receiver.tokens[0]!;
    const page = await openLogout(await loggedIn(), { id_token_hint: token });
    expect(page.status).toBe(400);
    expect((await callApi(site, token)).status).toBe(401);
  });

  test('a logout ends the OpenID grants of the session, and no other grants [2.7-1] [2.7-2]', async () => {
    const client = await clientWith('/tokens');
    const plain = await site.client({ trusted: true });
    const person = await loggedIn();
    const [bySignIn, without] = [
      await signInAt(person, client),
      await signInAt(person, plain, 'photos:read'),
    ];
    const elsewhere = await logInPerson(site);
    const ofOther = await signInAt(elsewhere, client);
    await logOut(person);
    const refreshed = async (of: ClientWithSecret, refresh_token: string) =>
      (await refreshTokens(site, of, refresh_token)).status;
    expect(await refreshed(client, bySignIn.refresh_token)).toBe(400);
    expect(await refreshed(plain, without.refresh_token)).toBe(200);
    // another session of the same person
    expect(await refreshed(client, ofOther.refresh_token)).toBe(200);
  });

  test('a logout is reported neither for another session nor for another person', async () => {
    const client = await clientWith('/others');
    const [ada, other] = [await loggedIn('ada'), await loggedIn('ada')];
    const eve = await loggedIn('grace');
    for (const person of [ada, other, eve]) await signInAt(person, client);
    await logOut(ada);
    await nothingWaits();
    expect(receiver.tokens).toHaveLength(1);
    await logOut(eve);
    await nothingWaits();
    expect(receiver.tokens.map(({ token }) => decodeJwt(token).sub)).toEqual(['ada', 'grace']);
    expect(await isLoggedIn(other)).toBe(true);
  });

  test('no client is notified if the person stays logged in', async () => {
    const client = await clientWith('/stays');
    const person = await loggedIn();
    await signInAt(person, client);
    await answerLogout(person, await openLogout(person), 'no');
    await nothingWaits();
    expect(receiver.tokens).toEqual([]);
  });
});

describe('§2.5, §2.8 receivers', () => {
  test('a failed logout token is sent again with the same jti, and delays no other client [2.5-2]', async () => {
    const [failing, fine] = [await clientWith('/fails'), await clientWith('/fine')];
    const person = await loggedIn();
    await signInAt(person, failing);
    receiver.next(503);
    await logOut(person);
    await until(async () => (await waiting()).some(({ attempts }) => attempts === 1));
    const [message] = await waiting();
    expect(message!.nextAt!.getTime()).toBeGreaterThan(message!.createdAt.getTime() + 3000);
    const dueIn = (seconds: number) => {
      const nextAt = new Date(Date.now() + seconds * 1000);
      return site.oauth.models.Webhook!.updateMany({}, { $set: { nextAt } });
    };
    await dueIn(3600);
    // no token is stored
    expect(JSON.stringify(message)).not.toMatch(/eyJ[\w-]+\./);
    await signInAt(await loggedIn(), fine);
    expect(receiver.tokens).toHaveLength(1);
    const second = await loggedIn();
    await signInAt(second, fine);
    await logOut(second);
    await until(() => receiver.tokens.length >= 2);
    await dueIn(0);
    const third = await loggedIn();
    await signInAt(third, fine);
    await logOut(third);
    await nothingWaits();
    const reported = receiver.tokens
      .filter(({ path }) => path === '/fails')
      .map(({ token }) => decodeJwt(token));
    expect(reported).toHaveLength(2);
    expect(reported[0]!.jti).toBe(reported[1]!.jti);
  });

  test('a client that never answers does not block logout tokens for other clients', async () => {
    await using hanging = await openJwksServer();
    // the number of open requests at each request
    const open: number[] = [];
    let isOpen = 0;
    hanging.answer((_req, res) => {
      isOpen += 1;
      open.push(isOpen);
      res.on('close', () => void (isOpen -= 1));
    });
    const [never, fine] = [
      await site.client({ trusted: true, backchannelLogoutUri: hanging.url }),
      await clientWith('/quick'),
    ];
    await signInAt(await loggedIn('eve'), never);
    const { _id, ...first } = (await site.oauth.models.SignIn!.findOne({ clientId: never.clientId }).lean())!;
    const many = Array.from({ length: 80 }, (_each, n) => ({
      ...first,
      _id: `${_id}${n}`,
      sid: `session-${n}`,
    }));
    await site.oauth.models.SignIn!.insertMany(many);
    const person = await loggedIn();
    await signInAt(person, fine);
    // no slow step between the two logouts: the requests to `never` go on meanwhile
    await site.oauth.sessions.end({ userId: 'eve' });
    await logOut(person);
    await until(() => receiver.tokens.length >= 1);
    expect(open.length).toBeLessThan(many.length);
    // at first sixteen at once; once the receiver hangs, four, while four others may still close
    await until(() => open.length > 24);
    expect(Math.max(...open.slice(0, 16))).toBe(16);
    expect(Math.max(...open.slice(16))).toBeLessThanOrEqual(8);
    await site.oauth.models.Webhook!.deleteMany({});
  });

  test('a logout token that cannot be encrypted is tried for a day, and delays no other client', async () => {
    await using keys = await openJwksServer();
    keys.answer((_req, res) => res.writeHead(500).end());
    const [encrypted, fine] = [
      await clientWith('/encrypted', { tokenEndpointAuthMethod: 'client_secret_basic' }),
      await clientWith('/fine-too'),
    ];
    const person = await loggedIn();
    await signInAt(person, encrypted);
    await signInAt(person, fine);
    const byKey = { jwksUri: keys.url, idTokenEncryptedResponseAlg: 'RSA-OAEP-256' } as const;
    await site.oauth.clients.update(encrypted.clientId, byKey);
    const errors = site.errors.length;
    await logOut(person);
    await until(async () => (await waiting()).some(({ attempts }) => attempts === 1));
    await until(() => receiver.tokens.length >= 1);
    expect(receiver.tokens[0]!.path).toBe('/fine-too');
    const [message] = await waiting();
    expect(message?.problem).toMatch(/key/);
    expect(site.errors.length).toBe(errors);
    // after a day the server gives up, as for a client that does not answer
    const nextAt = new Date();
    await site.oauth.models.Webhook!.updateMany({}, { $set: { nextAt, triedSince: new Date(0) } });
    const other = await loggedIn();
    await signInAt(other, fine);
    await logOut(other);
    await until(async () => (await waiting()).some(({ failedAt }) => failedAt !== undefined));
    // the report follows the write
    await until(() =>
      site.errors.slice(errors).some(({ detail }) => detail?.includes('1 clients could not be told')),
    );
    // wait for the other message too, so that it is not sent during the next test
    await until(async () => (await waiting()).every(({ failedAt }) => failedAt !== undefined));
    await site.oauth.models.Webhook!.deleteMany({});
  });

  test.each([400, 404, 410, 302])('a logout token answered %s is not repeated [2.5-3]', async (status) => {
    const client = await clientWith(`/answers-${status}`);
    const person = await loggedIn();
    await signInAt(person, client);
    receiver.next(status);
    const errors = site.errors.length;
    await logOut(person);
    await until(async () => (await waiting()).some(({ failedAt }) => failedAt !== undefined));
    expect((await waiting()).map(({ nextAt, problem }) => [nextAt, problem])).toEqual([
      [undefined, `answered with status ${status}`],
    ]);
    await until(() => site.errors.slice(errors).some(({ detail }) => detail?.includes('could not be told')));
    await site.oauth.models.Webhook!.deleteMany({});
    // the next logout token of the same client is sent
    await signInAt(person, client);
    expect(await isLoggedIn(person)).toBe(false);
    const again = await loggedIn();
    await signInAt(again, client);
    await logOut(again);
    await nothingWaits();
    expect(receiver.tokens).toHaveLength(2);
  });

  test('a receiver in a private network is not called without allowPrivateAddresses', async () => {
    await using strict = await openSite({ openid });
    const client = await strict.client({ trusted: true, backchannelLogoutUri: receiver.url });
    const person = await logInPerson(strict);
    await signIn(strict, person, client);
    const { status } = await answerLogout(person, await openLogout(person));
    expect(status).toBe(200);
    const messages = () => strict.oauth.models.Webhook!.find({}).lean();
    await until(async () => (await messages()).some(({ attempts }) => attempts === 1));
    expect((await messages())[0]!.problem).toMatch(/public internet|https/);
    expect(receiver.tokens).toEqual([]);
  });

  test('a client that has removed its backchannel_logout_uri is not notified', async () => {
    const client = await clientWith('/gone');
    const person = await loggedIn();
    await signInAt(person, client);
    await site.oauth.clients.update(client.clientId, { backchannelLogoutUri: undefined });
    await logOut(person);
    await nothingWaits();
    expect(receiver.tokens).toEqual([]);
  });
});

describe('oauth.sessions.end', () => {
  test('oauth.sessions.end ends one session or all sessions of a person', async () => {
    const client = await clientWith('/code');
    await site.oauth.sessions.end({ userId: 'grace' });
    await nothingWaits();
    receiver.tokens.splice(0);
    const [one, two] = [await loggedIn('grace'), await loggedIn('grace')];
    const { id_token: idToken } = await signInAt(one, client);
    const left = await signInAt(two, client);
    const other = await signInAt(await loggedIn(), client);
    const sid = decodeJwt(idToken).sid as string;
    expect(await site.oauth.sessions.end({ userId: 'grace', sid })).toBe(1);
    expect((await callApi(site, left.access_token)).status).toBe(200);
    expect(await site.oauth.sessions.end({ userId: 'grace' })).toBe(1);
    expect(await site.oauth.sessions.end({ userId: 'grace' })).toBe(0);
    await nothingWaits();
    expect(receiver.tokens.map(({ token }) => decodeJwt(token).sub)).toEqual(['grace', 'grace']);
    expect((await callApi(site, left.access_token)).status).toBe(401);
    expect((await callApi(site, other.access_token)).status).toBe(200);
  });

  test('oauth.sessions.end rejects invalid arguments', async () => {
    const end = (given: object) => site.oauth.sessions.end(given as never);
    await expect(end({})).rejects.toThrow(/userId/);
    await expect(end({ userId: { $ne: '' } })).rejects.toThrow(/userId/);
    await expect(end({ userId: 'ada', sid: undefined })).rejects.toThrow(/sid/);
    await using without = await openSite();
    await expect(without.oauth.sessions.end({ userId: 'ada' })).rejects.toThrow(/write the option openid/);
  });
});

describe('§2.1, §2.2 metadata and registration', () => {
  test('the metadata lists back-channel logout with sessions [2.1-2]', async () => {
    expect(await discover(site)).toMatchObject({
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    });
  });

  test('dynamic registration returns a valid backchannel_logout_uri and refuses others [2.2-1] [2.2-2]', async () => {
    const metadata = { client_name: 'Frame maker', redirect_uris: [REDIRECT_URI] };
    const own = {
      backchannel_logout_uri: 'https://print.example/logout?x=1',
    };
    const { status, body } = await register(site, { ...metadata, ...own });
    expect([status, body]).toEqual([201, expect.objectContaining(own)]);
    for (const uri of [
      'http://print.example/logout',
      'https://print.example/logout#x',
      'https://print.example/logout#',
      'https://a:b@print.example/logout',
      '/logout',
      'javascript:alert(1)',
    ])
      expect(await register(site, { ...metadata, backchannel_logout_uri: uri })).toMatchObject(
        refusal(400, 'invalid_client_metadata'),
      );
  });
});
