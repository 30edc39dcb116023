import { describe, expect, test } from '@jest/globals';

import { createUsers, localLogin } from '../../../lib/index.js';
import { openDatabase } from '../../support/database.js';
import { discover, openid, verifyIdToken } from '../../support/openid.js';
import { codeQuery, createPerson, hiddenFields, locationOf, postForm } from '../../support/person.js';
import { register } from '../../support/registration.js';
import { openSite, REDIRECT_URI } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { redeem } from '../../support/tokens.js';

const database = fixture(() => openDatabase());

const site = siteFor(async () => {
  const users = createUsers(database.connection);
  await users.create({ username: 'ada', password: 'correct horse battery staple' });
  return {
    openid,
    database,
    registration: { open: true, grantTypes: ['authorization_code', 'refresh_token', 'implicit'] },
    security: { rateLimits: false },
    grantTypes: ['authorization_code', 'refresh_token', 'implicit'],
    mountLogin: (app, passport) => void app.use(localLogin({ passport: passport.unuse('local'), users })),
  };
});

const REGISTERED = {
  redirect_uris: [REDIRECT_URI],
  id_token_signed_response_alg: 'ES256',
  userinfo_signed_response_alg: 'RS256',
  default_max_age: 3600,
  require_auth_time: true,
  default_acr_values: ['urn:two'],
  initiate_login_uri: 'https://print.example/login',
  application_type: 'web',
  subject_type: 'public',
};

describe('§2, §3.2', () => {
  test('registered values are returned, and apply to a login on the page of the package [2-2] [3.2-1]', async () => {
    const { status, body } = await register(site, { ...REGISTERED, scope: 'openid' });
    expect([status, body]).toEqual([201, expect.objectContaining(REGISTERED)]);
    const client = { clientId: String(body.client_id), clientSecret: String(body.client_secret) };
    const person = createPerson(site);
    const before = Math.floor(Date.now() / 1000);
    const page = await person.agent.get('/login');
    await postForm(person.agent, '/login', {
      ...hiddenFields(page),
      username: 'ada',
      password: 'correct horse battery staple',
    }).expect(303);
    const url = await person.authorize(codeQuery(client, { scope: 'openid' }));
    const code = String(url.searchParams.get('code'));
    const tokens = await redeem(site, client as never, code).expect(200);
    const claims = await verifyIdToken(site, String(tokens.body.id_token), { ...client, algorithm: 'ES256' });
    expect(claims.auth_time).toBeGreaterThanOrEqual(before);
    expect(claims.auth_time).toBeLessThanOrEqual(Math.floor(Date.now() / 1000));
  });

  test.each([
    ['web', 'http://127.0.0.1/callback', ['implicit'], 400],
    ['web', 'https://print.example/callback', ['implicit'], 201],
    ['native', 'http://127.0.0.1/callback', ['authorization_code'], 201],
    ['native', 'com.example.app:/callback', ['authorization_code'], 201],
  ])('a %s client with %s and %j gets %i [2-1]', async (application_type, uri, grant_types, status) => {
    const metadata = {
      ...(grant_types.includes('implicit') && { response_types: ['token'] }),
      redirect_uris: [uri],
      application_type,
      grant_types,
      token_endpoint_auth_method: 'none',
    };
    const { status: got, body } = await register(site, metadata);
    expect([got, body.error_description]).toEqual([
      status,
      status === 201 ? undefined : expect.stringContaining('implicit grant'),
    ]);
  });

  test('an initiate_login_uri with http: is refused [2-5]', async () => {
    const metadata = { redirect_uris: [REDIRECT_URI], initiate_login_uri: 'http://print.example/login' };
    expect((await register(site, metadata)).status).toBe(400);
  });

  test('an initiate_login_uri on loopback is accepted only by a site on loopback [2-5]', async () => {
    const metadata = { redirect_uris: [REDIRECT_URI], initiate_login_uri: 'http://127.0.0.1:8080/login' };
    expect((await register(site, metadata)).status).toBe(201);
    await using open = await openSite({
      issuer: 'https://photos.example',
      registration: { open: true },
      openid,
    });
    const { status, body } = await register(open, metadata);
    expect([status, body]).toEqual([
      400,
      { error: 'invalid_client_metadata', error_description: 'initiate_login_uri must be an https: URL.' },
    ]);
    expect(body.error_description).toContain('must be an https: URL');
  });

  test('subject_type pairwise is refused without pairwiseSalt, and is not in the metadata [2-6]', async () => {
    const { status, body } = await register(site, {
      redirect_uris: [REDIRECT_URI],
      subject_type: 'pairwise',
    });
    expect([status, body.error]).toEqual([400, 'invalid_client_metadata']);
    expect((await discover(site)).subject_types_supported).toEqual(['public']);
  });
});

describe('bad values', () => {
  test.each([
    ['default_max_age', -1],
    ['default_max_age', '60'],
    ['require_auth_time', 'yes'],
    ['id_token_signed_response_alg', 'none'],
    ['userinfo_signed_response_alg', 'HS256'],
    ['id_token_encrypted_response_alg', 'RSA1_5'],
    ['application_type', 'toaster'],
    ['default_acr_values', 'urn:two'],
  ])('a registration with %s: %j is refused', async (name, value) => {
    const { status, body } = await register(site, { redirect_uris: [REDIRECT_URI], [name]: value });
    expect([status, body.error]).toEqual([400, 'invalid_client_metadata']);
  });

  test('a client cannot register for optional PKCE', async () => {
    const { body } = await register(site, {
      redirect_uris: [REDIRECT_URI],
      pkce: 'optional',
      token_endpoint_auth_method: 'none',
    });
    const person = createPerson(site);
    const page = await person.openAuthorize({
      response_type: 'code',
      client_id: String(body.client_id),
      redirect_uri: REDIRECT_URI,
      prompt: 'none',
    });
    expect(locationOf(page).searchParams.get('error')).toBe('invalid_request');
  });
});
