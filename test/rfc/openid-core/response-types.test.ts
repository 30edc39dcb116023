import { createHash } from 'node:crypto';

import { describe, expect, test } from '@jest/globals';

import type { ClientWithSecret } from '../../../lib/index.js';
import { discover, openid, userinfo, verifyIdToken } from '../../support/openid.js';
import { createPerson, fragmentOf, locationOf, logInPerson, tickedScopes } from '../../support/person.js';
import { register } from '../../support/registration.js';
import { openSite, REDIRECT_URI } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { redeem } from '../../support/tokens.js';

const RESPONSE_TYPES = [
  'id_token',
  'id_token token',
  'code id_token',
  'code token',
  'code id_token token',
] as const;

const site = siteFor({
  openid: { ...openid, responseTypes: RESPONSE_TYPES },
  grantTypes: ['authorization_code', 'refresh_token', 'implicit'],
  registration: { open: true },
  formPost: true,
  signedResponses: true,
  // a list with methods, like a list of a Mongoose document
  people: { authentication: () => ({ amr: Object.assign(['pwd'], { isModified: () => false }) }) },
});
const client = fixture(() => site.client({ trusted: true }));
const person = fixture(() => logInPerson(site));

const half = (value: string) =>
  createHash('sha256').update(value).digest().subarray(0, 16).toString('base64url');
const ask = (response_type: string, more: Record<string, string> = {}, by = client) =>
  person.openAuthorize({
    response_type,
    client_id: by.clientId,
    redirect_uri: REDIRECT_URI,
    scope: 'openid email',
    state: 's',
    nonce: 'n',
    ...more,
  });

describe('response types by name', () => {
  test.each(RESPONSE_TYPES)(
    'response_type %s returns its parts in the fragment, and nothing else [3.2.2.10-1] [3.3.2.11-1] [3.3.3.6-1] [5.4-2]',
    async (response_type) => {
      const url = locationOf(await ask(response_type));
      expect(url.search).toBe('');
      const answer = Object.fromEntries(fragmentOf(url));
      const terms = response_type.split(' ');
      expect([
        answer.code !== undefined,
        answer.access_token !== undefined,
        answer.id_token !== undefined,
      ]).toEqual([terms.includes('code'), terms.includes('token'), terms.includes('id_token')]);
      expect(answer).toMatchObject({ state: 's', iss: site.url });
      expect(answer.token_type).toBe(terms.includes('token') ? 'Bearer' : undefined);
      if (answer.id_token !== undefined) {
        const claims = await verifyIdToken(site, answer.id_token, client);
        expect(claims).toMatchObject({ sub: 'ada', nonce: 'n', amr: ['pwd'] });
        expect(claims.at_hash).toBe(answer.access_token && half(answer.access_token));
        expect(claims.c_hash).toBe(answer.code && half(answer.code));
        // §5.4: only without an access token for userinfo
        expect(claims.email).toBe(response_type === 'id_token' ? 'ada@photos.example' : undefined);
      }
      if (answer.access_token !== undefined)
        expect((await userinfo(site, answer.access_token)).body).toMatchObject({
          email: 'ada@photos.example',
        });
      if (answer.code !== undefined) {
        const { body } = await redeem(site, client, answer.code).expect(200);
        expect(await verifyIdToken(site, body.id_token, client)).toMatchObject({ sub: 'ada', nonce: 'n' });
        if (answer.access_token !== undefined)
          expect((await userinfo(site, answer.access_token)).status).toBe(200);
      }
    },
  );

  test('the order of the words in response_type does not matter', async () => {
    expect(fragmentOf(locationOf(await ask('id_token code'))).has('id_token')).toBe(true);
  });

  test.each(['id_token', 'id_token token', 'code id_token', 'code id_token token'])(
    'response_type %s needs a nonce and the scope openid [3.2.2.1-1]',
    async (response_type) => {
      for (const more of [{ nonce: '' }, { scope: 'email' }] as Record<string, string>[]) {
        const answer = fragmentOf(locationOf(await ask(response_type, more)));
        expect([answer.get('error'), answer.has('id_token')]).toEqual(['invalid_request', false]);
      }
    },
  );

  /** The place of a response for each mode; `refused` if an error goes to the default place. */
  const MODES = {
    code: {
      query: 'query',
      fragment: 'fragment',
      form_post: 'form',
      'query.jwt': 'query',
      'fragment.jwt': 'fragment',
    },
    // tokens never go by query: Multiple Response Types §3, §5; JARM §2.3.1
    token: {
      query: 'refused',
      fragment: 'fragment',
      form_post: 'form',
      'query.jwt': 'refused',
      'fragment.jwt': 'fragment',
    },
    'code id_token': {
      query: 'refused',
      fragment: 'fragment',
      form_post: 'form',
      'query.jwt': 'refused',
      'fragment.jwt': 'fragment',
    },
  } as const;

  test.each(
    Object.entries(MODES).flatMap(([type, modes]) =>
      Object.entries(modes).flatMap(([mode, expected]) =>
        ([{}, { scope: 'unknown' }] as readonly Record<string, string>[]).map(
          (more) => [type, mode, more, expected] as const,
        ),
      ),
    ),
  )('a response to %s with response_mode=%s and %j goes by: %s', async (type, mode, more, expected) => {
    const response = await ask(type, { ...more, response_mode: mode });
    if (expected === 'form')
      return expect(response.text).toContain(`name="${more.scope ? 'error' : 'state'}"`);
    const { search, hash } = locationOf(response);
    const parameters = new URLSearchParams(expected === 'query' ? search : hash.slice(1));
    expect(expected === 'query' ? hash : search).toBe('');
    if (expected === 'refused') return expect(parameters.get('error')).toBe('invalid_request');
    if (mode.endsWith('.jwt')) return expect([...parameters.keys()]).toEqual(['response']);
    expect(parameters.get('error')).toBe(more.scope ? 'invalid_scope' : null);
    expect(parameters.get('state')).toBe('s');
  });

  test('a client without the implicit grant gets no access token at the authorization endpoint', async () => {
    const careful = await site.client({ trusted: true, grantTypes: ['authorization_code'] });
    for (const type of ['code token', 'code id_token token', 'id_token', 'id_token token']) {
      const answer = fragmentOf(locationOf(await ask(type, {}, careful)));
      expect([answer.get('error'), answer.has('access_token')]).toEqual(['unauthorized_client', false]);
    }
    expect(fragmentOf(locationOf(await ask('code id_token', {}, careful))).has('code')).toBe(true);
  });

  test('an error for prompt=none goes into the fragment [3.2.2.5-1]', async () => {
    const stranger = createPerson(site);
    const response = await stranger.openAuthorize({
      response_type: 'id_token',
      client_id: client.clientId,
      redirect_uri: REDIRECT_URI,
      scope: 'openid',
      nonce: 'n',
      prompt: 'none',
    });
    expect(fragmentOf(locationOf(response)).get('error')).toBe('login_required');
  });

  test('registration accepts the response types of the metadata if the grant types fit', async () => {
    expect((await discover(site)).response_types_supported).toEqual(['code', 'token', ...RESPONSE_TYPES]);
    const metadata = {
      redirect_uris: [REDIRECT_URI],
      grant_types: ['authorization_code', 'implicit'],
      response_types: ['code id_token'],
    };
    expect((await register(site, metadata)).status).toBe(201);
    expect((await register(site, { ...metadata, grant_types: ['implicit'] })).status).toBe(400);
  });

  test('the server does not start with an implicit response type without the implicit grant', async () => {
    await expect(openSite({ openid: { ...openid, responseTypes: ['id_token'] } })).rejects.toThrow(
      /openid\.responseTypes: 'id_token' needs the grant type implicit/,
    );
  });
});

describe('response types without the scope openid', () => {
  test.each(['id_token', 'code id_token'])(
    'response_type %s is answered access_denied if the policy removes the scope openid',
    async (response_type) => {
      await using strict = await openSite({
        openid: { ...openid, responseTypes: RESPONSE_TYPES },
        grantTypes: ['authorization_code', 'refresh_token', 'implicit'],
        policy: {
          onAuthorize: ({ scopes }) => ({ scopes: scopes.filter((scope) => scope !== 'openid') }),
        },
      });
      const by = await strict.client({ trusted: true });
      const ada = await logInPerson(strict);
      const answer = fragmentOf(
        await ada.authorize({
          response_type,
          client_id: by.clientId,
          redirect_uri: REDIRECT_URI,
          scope: 'openid email',
          nonce: 'n',
        }),
      );
      expect(answer.get('error')).toBe('access_denied');
      expect([answer.has('id_token'), answer.has('code')]).toEqual([false, false]);
      // no grant is stored
      expect(await strict.oauth.models.Grant.countDocuments({})).toBe(0);
    },
  );

  test.each(['Sign you in', { description: 'Sign you in', optional: true }])(
    'a person cannot deselect the scope openid with the description %j',
    async (described) => {
      await using own = await openSite({
        openid: { ...openid, responseTypes: RESPONSE_TYPES },
        grantTypes: ['authorization_code', 'refresh_token', 'implicit'],
        scopes: { openid: described, 'photos:read': 'See your photos' },
      });
      const by = await own.client();
      const ada = await logInPerson(own);
      const page = await ada.openAuthorize({
        response_type: 'id_token',
        client_id: by.clientId,
        redirect_uri: REDIRECT_URI,
        scope: 'openid photos:read',
        nonce: 'n',
      });
      expect(page.text).toContain('Sign you in');
      expect(tickedScopes(page)).toEqual(['photos:read']);
    },
  );
});

test('a client that registers for code, or for no response type, gets no code id_token', async () => {
  const base = { redirect_uris: [REDIRECT_URI], grant_types: ['authorization_code'], scope: 'openid' };
  const errorFor = async (response_types: readonly string[] | undefined) => {
    const { body } = await register(site, { ...base, response_types }).expect(201);
    const by = await site.oauth.clients.update(body.client_id, { trusted: true });
    const url = locationOf(await ask('code id_token', { scope: 'openid' }, by as ClientWithSecret));
    return [body.response_types, fragmentOf(url).get('error')];
  };
  expect(await errorFor(['code'])).toEqual([['code'], 'unauthorized_client']);
  expect(await errorFor(undefined)).toEqual([['code'], 'unauthorized_client']);
  const both = ['code', 'code id_token'];
  expect(await errorFor(both)).toEqual([both, null]);
});
