import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Response } from 'supertest';

import { answerLogout, openLogout, signIn } from '../support/logout.js';
import { openid } from '../support/openid.js';
import { createPerson, locationOf, type Person, type Query } from '../support/person.js';
import { register } from '../support/registration.js';
import { type Site } from '../support/site.js';
import { siteFor } from '../support/site-for.js';

const PHISH = 'https://phish.example/login';
const CHALLENGE = {
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
};

async function selfRegistered(site: Site): Promise<Query> {
  const metadata = {
    client_name: 'Lamp Pictures',
    redirect_uris: [PHISH],
    token_endpoint_auth_method: 'none',
  };
  const { client_id: clientId } = (await register(site, metadata)).body as { client_id: string };
  return { response_type: 'code', client_id: clientId, redirect_uri: PHISH, state: 'xyz', ...CHALLENGE };
}
async function newPerson(site: Site, name?: string): Promise<Person> {
  const person = createPerson(site);
  if (name !== undefined) await person.logIn(name);
  return person;
}
const WRONG: readonly [string, Query][] = [
  ['an unknown response type', { response_type: 'token' }],
  ['an unknown scope', { scope: 'everything' }],
  ['no code challenge', { code_challenge: undefined, code_challenge_method: undefined }],
  ['an unsupported parameter', { request: 'eyJ' }],
  ['a contradictory prompt', { prompt: 'none login' }],
];

describe('RFC 9700 §4.11.2 the authorization endpoint as an open redirector', () => {
  let link: Query;

  const site = siteFor({ registration: { open: true }, security: { rateLimits: false } });
  beforeAll(async () => {
    link = await selfRegistered(site);
  });

  test.each(WRONG)('a visitor without a login is not redirected to a client for %s', async (_what, more) => {
    const eve = await newPerson(site);
    const first = locationOf(await eve.openAuthorize({ ...link, ...more, login_hint: 'ada' }));
    expect(first.origin).toBe('http://same.invalid');
    expect(first.pathname).toBe('/login');
    expect(first.searchParams.get('login_hint')).toBe('ada');
    // the client gets the error only after the login
    await eve.logIn('ada');
    const answer = locationOf(await eve.agent.get(first.searchParams.get('return_to') ?? ''));
    expect(`${answer.origin}${answer.pathname}`).toBe(PHISH);
    expect(answer.searchParams.get('error')).toMatch(/./);
    expect(answer.searchParams.get('state')).toBe('xyz');
  });

  test('the authorization endpoint answers prompt=none at once', async () => {
    const answer = locationOf(
      await (await newPerson(site)).openAuthorize({ ...link, prompt: 'none', scope: 'everything' }),
    );
    expect(answer.searchParams.get('error')).toBe('invalid_scope');
  });
});

describe('RFC 9700 §4.11.2 with linkToUnverifiedClients', () => {
  let ada: Person;
  let link: Query;

  const site = siteFor({
    registration: { open: true },
    security: { rateLimits: false },
    pages: { linkToUnverifiedClients: true },
    siteName: 'Lantern Photos',
  });
  beforeAll(async () => {
    ada = await newPerson(site, 'ada');
    link = await selfRegistered(site);
  });

  function expectLink(response: Response, error: string): void {
    expect(response.headers.location).toBeUndefined();
    expect(response.status).toBeGreaterThanOrEqual(400);
    const [, href = ''] = /<a id="error-client" href="([^"]*)"/.exec(response.text) ?? [];
    const url = new URL(href.replaceAll('&amp;', '&'));
    expect(`${url.origin}${url.pathname}`).toBe(PHISH);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ error, state: 'xyz', iss: site.url });
    expect(response.text).toContain('Go on to <bdi>phish.example</bdi>');
  }

  test('linkToUnverifiedClients shows an error with a link to the client', async () => {
    expectLink(await ada.openAuthorize({ ...link, scope: 'everything' }), 'invalid_scope');
    const nobody = await newPerson(site);
    expectLink(await nobody.openAuthorize({ ...link, prompt: 'none' }), 'login_required');
  });

  test('with linkToUnverifiedClients a denial is a page with a link to the client', async () => {
    const page = await ada.choose(await ada.openAuthorize(link), { decision: 'deny' });
    expectLink(page, 'access_denied');
    expect(page.text).toContain('Access denied');
  });

  test('linkToUnverifiedClients sends a code to the client as usual', async () => {
    expect((await ada.authorize(link)).searchParams.get('code')).toMatch(/./);
  });

  test('linkToUnverifiedClients holds for applications of users, unless verified', async () => {
    const options = { type: 'public', redirectUris: [PHISH] } as const;
    const of = ({ clientId }: { clientId: string }) => ({
      ...link,
      client_id: clientId,
      scope: 'everything',
    });
    const own = await site.client({ ...options, ownerId: 'eve' });
    expectLink(await ada.openAuthorize(of(own)), 'invalid_scope');
    await site.oauth.clients.update(own.clientId, { verified: true });
    for (const client of [own, await site.client(options)])
      expect(locationOf(await ada.openAuthorize(of(client))).searchParams.get('error')).toBe('invalid_scope');
  });
});

describe('parameters without support', () => {
  let ada: Person;
  let base: Query;

  const site = siteFor({ grantTypes: ['authorization_code', 'implicit'] });
  beforeAll(async () => {
    ada = await newPerson(site, 'ada');
    const { clientId } = await site.client();
    base = { response_type: 'code', client_id: clientId, state: 'xyz' };
  });

  test.each<[Query, string]>([
    [{ request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
    [{ request_uri: 'https://print.example/request.jwt' }, 'request_uri_not_supported'],
    [{ registration: '{}' }, 'registration_not_supported'],
    [{ authorization_details: '[{"type":"payment"}]' }, 'invalid_authorization_details'],
    [{ max_age: '0' }, 'invalid_request'],
    [{ response_mode: 'form_post' }, 'invalid_request'],
  ])('the parameters %j are refused, not ignored', async (more, error) => {
    const { searchParams } = locationOf(await ada.openAuthorize({ ...base, ...more }));
    expect(searchParams.get('error')).toBe(error);
    expect(searchParams.get('state')).toBe('xyz');
  });

  test.each<[Query]>([
    [{ request: '', request_uri: '', max_age: '', response_mode: '' }],
    [{ response_mode: 'query' }],
    [{ response_mode: 'fragment' }],
    [{ response_type: 'token', response_mode: 'fragment' }],
    [{ nonce: 'n', acr_values: 'a', display: 'page' }],
  ])('the parameters %j are accepted', async (more) => {
    expect((await ada.openAuthorize({ ...base, ...more })).text).toContain('id="consent-form"');
  });

  test('an implicit request with response_mode=query is refused in the fragment', async () => {
    const answer = locationOf(
      await ada.openAuthorize({ ...base, response_type: 'token', response_mode: 'query' }),
    );
    expect(answer.search).toBe('');
    expect(new URLSearchParams(answer.hash.slice(1)).get('error')).toBe('invalid_request');
  });
});

describe.each([true, false])(
  'the logout endpoint, linkToUnverifiedClients: %s',
  (linkToUnverifiedClients) => {
    const site = siteFor({ openid, pages: { linkToUnverifiedClients }, security: { rateLimits: false } });

    test('the logout endpoint links nobody without a login to an unverified client directly', async () => {
      const eve = await newPerson(site, 'eve');
      const client = await site.client({ ownerId: 'eve', postLogoutRedirectUris: [PHISH] });
      const { id_token: hint } = await signIn(site, eve, client);
      const query = { id_token_hint: hint, post_logout_redirect_uri: PHISH };
      const page = await openLogout(createPerson(site), query);
      expect([page.status, page.headers.location]).toEqual([200, undefined]);
      expect(page.text).toContain(`id="end-session-back" href="${PHISH}"`);
      // a click on our page goes on, unless the host wants a second click
      const answered = await answerLogout(eve, await openLogout(eve, query));
      expect(answered.headers.location).toBe(linkToUnverifiedClients ? undefined : PHISH);
      await site.oauth.clients.update(client.clientId, { verified: true });
      expect(locationOf(await openLogout(createPerson(site), query)).href).toBe(PHISH);
    });
  },
);
