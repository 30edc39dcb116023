import { afterEach, describe, expect, test } from '@jest/globals';
import type { Response } from 'supertest';

import { carryText } from '../../../lib/core/http/carried-text.js';
import type { ClientWithSecret } from '../../../lib/index.js';
import { createTestKey } from '../../support/assertions.js';
import { letPass } from '../../support/clock.js';
import { hostKey, signWith } from '../../support/jwt.js';
import { discover, openid, verifyIdToken } from '../../support/openid.js';
import {
  codeOf,
  codeQuery,
  createPerson,
  errorOf,
  fragmentOf,
  hiddenFields,
  leaveLogin,
  locationOf,
  logInAgain,
  logInPerson,
  type Person,
} from '../../support/person.js';
import { pushed } from '../../support/pushed-requests.js';
import { signingClient, signRequest } from '../../support/request-objects.js';
import { openSite } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { obtainTokens, redeem } from '../../support/tokens.js';

let data: Record<string, unknown> | undefined;

const site = siteFor({
  openid: { ...openid, signUp: '/join' },
  people: { authentication: () => data },
  pushedRequests: true,
  signedRequests: true,
});
const client = fixture(() => site.client({ trusted: true }));
const key = fixture(() => createTestKey());
afterEach(() => {
  data = undefined;
});

const ago = (seconds: number) => ({ at: Date.now() - seconds * 1000 });
const asking = (query: Record<string, string>, by = client) => codeQuery(by, { scope: 'openid', ...query });
const ada = () => logInPerson(site);
const isSentToLogin = ({ status, text }: Pick<Response, 'status' | 'text'>) =>
  status === 200 && text.includes('Please log in again') && !text.includes('value="continue"');

describe('§3.1.2.1 max_age', () => {
  test('a login younger than max_age is accepted, and auth_time has its time [3.1.2.1-2]', async () => {
    data = ago(50);
    const tokens = await obtainTokens(site, client, { query: { scope: 'openid', max_age: '60' } });
    const claims = await verifyIdToken(site, tokens.id_token, client);
    expect(claims.auth_time).toBe(Math.floor(Number(data.at) / 1000));
  });

  test.each(['60', '0'])(
    'max_age=%s with an older login leads to a page for a new login',
    async (max_age) => {
      data = ago(61);
      const person = await ada();
      const page = await person.openAuthorize(asking({ max_age }));
      expect(isSentToLogin(page)).toBe(true);
      // the form of the page accepts no other answer
      const stayed = await person.sendForm({ ...hiddenFields(page), account: 'continue' });
      expect([stayed.status, isSentToLogin({ status: 200, text: stayed.text })]).toEqual([403, true]);
      const back = await leaveLogin(person, page);
      await person.logIn();
      data = ago(2);
      expect(codeOf(await person.agent.get(back))).toEqual(expect.any(String));
    },
  );

  test('an old login after the login page is answered login_required, without a loop', async () => {
    data = ago(1000);
    const person = await ada();
    const page = await person.openAuthorize(asking({ max_age: '60' }));
    expect(errorOf(await logInAgain(person, page))).toBe('login_required');
  });

  test('max_age with prompt=none and an older login is answered login_required [3.1.2.1-3]', async () => {
    data = ago(61);
    const person = await ada();
    expect(errorOf(await person.openAuthorize(asking({ max_age: '60', prompt: 'none' })))).toBe(
      'login_required',
    );
  });

  test('max_age is answered server_error if the site does not report the login time', async () => {
    const person = await ada();
    expect(errorOf(await person.openAuthorize(asking({ max_age: '60' })))).toBe('server_error');
    expect(site.errors.at(-1)?.detail).toMatch(/write people: { authentication/);
  });

  test.each(['-1', '1.5', 'soon', '99999999999', '0x10'])('max_age=%s is refused', async (max_age) => {
    expect(errorOf(await (await ada()).openAuthorize(asking({ max_age })))).toBe('invalid_request');
  });

  test('default_max_age and require_auth_time of a client apply to each of its requests', async () => {
    const strict = await site.client({ trusted: true, defaultMaxAge: 60 });
    data = ago(61);
    expect(isSentToLogin(await (await ada()).openAuthorize(asking({}, strict)))).toBe(true);
    const curious = await site.client({ trusted: true, requireAuthTime: true });
    data = undefined;
    expect(errorOf(await (await ada()).openAuthorize(asking({}, curious)))).toBe('server_error');
  });
});

describe('§3.1.2.1 a client with default_max_age=0', () => {
  const strict = () => signingClient(site, key, { defaultMaxAge: 0 });
  test.each([
    ['in the query', (by: ClientWithSecret) => Promise.resolve(asking({}, by))],
    ['that was pushed', (by: ClientWithSecret) => pushed(site, by, asking({}, by))],
    [
      'that is signed',
      async (by: ClientWithSecret) => ({
        client_id: by.clientId,
        request: await signRequest(site, by.clientId, key, { claims: { scope: 'openid' } }),
      }),
    ],
  ])('default_max_age=0 requires one login for a request %s', async (_name, requestOf) => {
    data = ago(5);
    const person = await ada();
    const page = await person.openAuthorize(await requestOf(await strict()));
    expect(isSentToLogin(page)).toBe(true);
    data = ago(1);
    expect(locationOf(await logInAgain(person, page)).searchParams.has('code')).toBe(true);
  });
});

describe('the form of the consent page', () => {
  const asks: Record<string, string>[] = [
    { prompt: 'login' },
    { max_age: '10' },
    { prompt: 'login', max_age: '0' },
    { max_age: '0' },
  ];
  const formOf = async (person: Person, by: ClientWithSecret) =>
    hiddenFields(await person.openAuthorize(asking({}, by)));
  const decide = (person: Person, form: Record<string, string>, name: Record<string, string>) =>
    person.sendForm({
      ...form,
      authorization_request: carryText(String(new URLSearchParams(name))),
      granted_scope: ['openid'],
      decision: 'allow',
    });

  test.each(asks)('a consent form for a request with %j is refused before a new login', async (query) => {
    for (const isPushed of [false, true]) {
      data = ago(3000);
      const asker = await site.client();
      const person = await ada();
      const name = asking(query, asker);
      const form = await formOf(person, asker);
      const page = await decide(person, form, isPushed ? await pushed(site, asker, name) : name);
      expect([page.status, page.text.includes('Please log in again')]).toEqual([403, true]);
      // the request continues after the login
      data = ago(1);
      const consent = await logInAgain(person, page);
      expect(locationOf(await person.choose(consent)).searchParams.has('code')).toBe(true);
    }
  });

  test('a consent form stays valid for longer than max_age after a new login', async () => {
    data = ago(50);
    const asker = await site.client();
    const person = await ada();
    const page = await person.openAuthorize(asking({ max_age: '10', prompt: 'consent' }, asker));
    data = ago(1);
    const consent = await logInAgain(person, page);
    data = ago(1200);
    expect(locationOf(await person.choose(consent)).searchParams.has('code')).toBe(true);
  });
});

describe('§3.1.2.1 id_token_hint', () => {
  const hintFor = async (name: string, by = client) => {
    const tokens = await obtainTokens(site, by, { query: { scope: 'openid' }, as: name });
    return tokens.id_token;
  };

  test('an id_token_hint of the person who is logged in is accepted, also with prompt=none', async () => {
    const id_token_hint = await hintFor('ada');
    const response = await (await ada()).openAuthorize(asking({ id_token_hint, prompt: 'none' }));
    expect(locationOf(response).searchParams.get('code')).toEqual(expect.any(String));
  });

  test('an id_token_hint of another person leads to login_required or to a login page [3.1.2.1-4]', async () => {
    const id_token_hint = await hintFor('grace');
    const person = await ada();
    expect(errorOf(await person.openAuthorize(asking({ id_token_hint, prompt: 'none' })))).toBe(
      'login_required',
    );
    const page = await person.openAuthorize(asking({ id_token_hint }));
    expect(isSentToLogin(page)).toBe(true);
    expect(locationOf(await logInAgain(person, page, 'grace')).searchParams.has('code')).toBe(true);
    const again = await person.openAuthorize(asking({ id_token_hint: await hintFor('ada') }));
    expect(errorOf(await logInAgain(person, again, 'bob'))).toBe('login_required');
  });

  test('an expired id_token_hint is accepted [3.1.2.1-5]', async () => {
    const short = await openSite({
      openid,
      lifetimes: { idToken: 1 },
      database: site.database,
      issuer: site.url,
    });
    const tokens = await obtainTokens(short, client, { query: { scope: 'openid' } });
    await short.close();
    const { id_token: id_token_hint } = tokens;
    letPass(1.1);
    const response = await (await ada()).openAuthorize(asking({ id_token_hint, prompt: 'none' }));
    expect(locationOf(response).searchParams.has('code')).toBe(true);
  });

  test('an id_token_hint of another client, issuer or key is refused', async () => {
    const other = await site.client({ trusted: true });
    const claims = { iss: site.url, sub: 'ada', aud: client.clientId, iat: 1, exp: 9_999_999_999 };
    const person = await ada();
    for (const id_token_hint of [
      await hintFor('ada', other),
      await signWith(hostKey().key, { alg: 'ES256', typ: 'JWT', kid: 'of the host' }, claims),
      'no.jwt.at-all',
      (await obtainTokens(site, client)).access_token,
    ])
      expect(errorOf(await person.openAuthorize(asking({ id_token_hint })))).toBe('invalid_request');
  });
});

describe('prompt', () => {
  test('prompt=create leads to the sign-up page, and from there back to the client', async () => {
    const person = createPerson(site);
    const response = await person.openAuthorize(asking({ prompt: 'create', login_hint: 'ada@x.example' }));
    const to = locationOf(response);
    expect([to.pathname, to.searchParams.get('login_hint')]).toEqual(['/join', 'ada@x.example']);
    await person.logIn();
    const on = await person.agent.get(String(to.searchParams.get('return_to')));
    expect(locationOf(on).searchParams.has('code')).toBe(true);
    expect((await discover(site)).prompt_values_supported).toEqual([
      'none',
      'login',
      'consent',
      'select_account',
      'create',
    ]);
  });

  test('an unsupported prompt is refused, and so is create without a sign-up page', async () => {
    expect(errorOf(await (await ada()).openAuthorize(asking({ prompt: 'dance' })))).toBe('invalid_request');
    await using without = await openSite({ openid, database: site.database, issuer: site.url });
    const person = await logInPerson(without);
    expect(errorOf(await person.openAuthorize(asking({ prompt: 'create' })))).toBe('invalid_request');
    expect((await discover(without)).prompt_values_supported).not.toContain('create');
  });
});

describe('parameters without effect', () => {
  test.each([
    ['display', 'popup'],
    ['display', 'hologram'],
    ['claims_locales', 'xx de'],
    ['ui_locales', 'xx'],
    ['acr_values', 'urn:nobody:knows'],
  ])('the parameter %s=%s is ignored [3.1.2.1-6]', async (name, value) => {
    const response = await (await ada()).openAuthorize(asking({ [name]: value }));
    expect(locationOf(response).searchParams.has('code')).toBe(true);
  });

  test('a registration parameter is refused with registration_not_supported [3.1.2.6-1]', async () => {
    const response = await (await ada()).openAuthorize(asking({ registration: '{}' }));
    expect(errorOf(response)).toBe('registration_not_supported');
  });
});

describe('PKCE', () => {
  test('a client with optional PKCE needs no code_challenge at a site that requires PKCE', async () => {
    await using strict = await openSite({
      openid,
      security: { pkce: 'all' },
      database: site.database,
      issuer: site.url,
    });
    const old = await strict.client({ trusted: true, pkce: 'optional' });
    const person = await logInPerson(strict);
    expect(errorOf(await person.openAuthorize(asking({})))).toBe('invalid_request');
    const code = locationOf(await person.openAuthorize(asking({}, old))).searchParams.get('code');
    await redeem(strict, old, String(code)).expect(200);
    expect(fragmentOf(locationOf(await person.openAuthorize(asking({}, old)))).size).toBe(0);
  });
});
