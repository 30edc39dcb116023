import { describe, expect, test } from '@jest/globals';
import request from 'supertest';

import {
  codeQuery,
  createPerson,
  formatQuery,
  locationOf,
  logInPerson,
  postForm,
  type Query,
} from '../../support/person.js';
import { REDIRECT_URI } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';

const site = siteFor();
const client = fixture(() => site.client());
const ada = fixture(() => logInPerson(site));

function codeRequest(more: Query = {}): Query {
  return codeQuery(client, { state: 'xyz', ...more });
}

/** The request as text, for repeated parameters and any spelling. */
function codeRequestText(more: string): string {
  return `${formatQuery(codeRequest())}&${more}`;
}

/** The request of a client without consent, so that the person is asked. */
async function newClientsRequest(): Promise<Query> {
  return codeRequest({ client_id: (await site.client()).clientId });
}

function grantCount(): Promise<number> {
  return site.database.collection('oauth_grants').countDocuments();
}

describe('§3.1 authentication of the resource owner', () => {
  test('§3.1 a person who is not logged in is sent to the login page, and nothing is stored [3.1-1]', async () => {
    const before = await grantCount();
    const response = await createPerson(site).openAuthorize(codeRequest());
    expect(response.status).toBe(302);
    expect(locationOf(response).pathname).toBe('/login');
    expect(response.headers.location).not.toContain('code=');
    expect(await grantCount()).toBe(before);
  });

  test('§3.1 an authorization request continues after the login [3.1-1] [3.1-5]', async () => {
    const person = createPerson(site);
    const atLogin = await person.openAuthorize(codeRequest({ scope: 'profile', state: 'a b+c%20&=ü' }));
    const back = await postForm(person.agent, atLogin.headers.location as string, {
      username: 'ada',
      password: 'password of ada',
    });
    expect(back.status).toBe(303);
    const page = await person.agent.get(back.headers.location as string);
    expect(page.status).toBe(200);
    expect(page.text).toContain('See your name');
    const location = locationOf(await person.choose(page));
    expect(location.searchParams.get('code')).toMatch(/./);
    expect(location.searchParams.get('state')).toBe('a b+c%20&=ü');
  });
});

describe('§3.1 methods and URI', () => {
  test('§3.1 the authorization and token endpoints have no fragment [3.1-3] [3.2-2]', async () => {
    const { body } = await request(site.server).get('/.well-known/oauth-authorization-server');
    expect(body.authorization_endpoint).toBe(`${site.url}/oauth/authorize`);
    expect(body.token_endpoint).toBe(`${site.url}/oauth/token`);
  });

  test('§3.1 the authorization endpoint accepts POST', async () => {
    const page = await ada.sendForm(await newClientsRequest());
    expect(page.status).toBe(200);
    expect(locationOf(await ada.choose(page)).searchParams.get('code')).toMatch(/./);
  });

  test.each(['put', 'delete', 'head'] as const)(
    '§3.1 the authorization endpoint refuses %s',
    async (method) => {
      const response = await ada.agent[method](`/oauth/authorize?${codeRequestText('')}`);
      expect(response.status).toBe(405);
      expect(response.headers.allow).toBe('GET, POST');
    },
  );
});

describe('§3.1 parameters', () => {
  test('§3.1 an empty scope, state, redirect_uri or code_challenge counts as omitted [3.1-6]', async () => {
    const location = await ada.authorize(
      codeRequest({ scope: '', state: '', redirect_uri: '', code_challenge: '', code_challenge_method: '' }),
    );
    expect(location.href.startsWith(`${REDIRECT_URI}?`)).toBe(true);
    expect(location.searchParams.get('code')).toMatch(/./);
    expect(location.searchParams.has('state')).toBe(false);
  });

  test('§3.1 unknown parameters are ignored, also repeated and nested parameters [3.1-7]', async () => {
    const page = await ada.openAuthorize(
      `${formatQuery(await newClientsRequest())}&nonce=1&nonce=2&claims[a]=b&__proto__=x&constructor=y&prompt=`,
    );
    expect(page.status).toBe(200);
    const location = locationOf(await ada.choose(page));
    expect([...location.searchParams.keys()].sort()).toEqual(['code', 'iss', 'state']);
  });

  test.each([
    ['response_type', 'response_type=code'],
    ['scope', 'scope=profile&scope=profile'],
    ['code_challenge', 'code_challenge=a&code_challenge=b'],
    ['code_challenge_method', 'code_challenge_method=S256&code_challenge_method=S256'],
  ])('§3.1 a repeated %s is reported to the client [3.1-8] [4.1.2.1-8]', async (_name, repeated) => {
    const location = locationOf(await ada.openAuthorize(codeRequestText(repeated)));
    expect(location.searchParams.get('error')).toBe('invalid_request');
    expect(location.searchParams.get('state')).toBe('xyz');
    expect(location.searchParams.has('code')).toBe(false);
  });

  test('§3.1 a repeated state is an error, and no state is returned [3.1-8]', async () => {
    const location = locationOf(await ada.openAuthorize(codeRequestText('state=other')));
    expect(location.searchParams.get('error')).toBe('invalid_request');
    expect(location.searchParams.has('state')).toBe(false);
  });

  test.each(['client_id', 'redirect_uri'])(
    '§3.1 a repeated %s is reported to the person [3.1-8]',
    async (name) => {
      const page = await ada.openAuthorize(
        codeRequestText(`${name}=${encodeURIComponent(codeRequest()[name] ?? '')}`),
      );
      expect(page.status).toBe(400);
      expect(page.headers.location).toBeUndefined();
    },
  );

  test('§3.1 no parameter of a response is repeated, whatever the request has [3.1-8]', async () => {
    const granted = await ada.authorize(codeRequest({ iss: 'evil', code: 'evil', error: 'evil' }));
    const refused = await ada.authorize(
      codeRequest({ iss: 'evil', code: 'evil', error: 'evil', scope: 'unknown' }),
    );
    for (const location of [granted, refused]) {
      const names = [...location.searchParams.keys()];
      expect(names).toEqual([...new Set(names)]);
      expect(location.searchParams.get('iss')).toBe(site.url);
    }
  });
});

describe('§3.1.1 response_type', () => {
  test.each([
    'token',
    'code token',
    'token id_token',
    'code id_token token',
    'CODE',
    'id_token',
    'authorization_code',
    '__proto__',
    'toString',
  ])('§3.1.1 the disabled response_type %s is refused [3.1.1-2] [3.1.1-3]', async (responseType) => {
    const location = await ada.authorize(codeRequest({ response_type: responseType }));
    expect(location.searchParams.get('error')).toBe('unsupported_response_type');
    expect(location.searchParams.get('state')).toBe('xyz');
    expect(location.hash).toBe('');
  });

  test('§4.1.1 a request without a client_id gets an error page [3.1-6] [4.1.1-2]', async () => {
    for (const client_id of [undefined, '']) {
      const page = await ada.openAuthorize(codeRequest({ client_id }));
      expect([page.status, page.headers.location]).toEqual([400, undefined]);
    }
  });

  test('§4.1.1 redirect_uri, scope and state may be omitted', async () => {
    const location = await ada.authorize({ response_type: 'code', client_id: client.clientId });
    expect(location.href.startsWith(`${REDIRECT_URI}?`)).toBe(true);
    expect([...location.searchParams.keys()].sort()).toEqual(['code', 'iss']);
  });
});
