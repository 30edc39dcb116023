import { afterAll, describe, expect, test } from '@jest/globals';

import { refusal } from '../../support/refusal.js';
import { METADATA, register } from '../../support/registration.js';
import { siteFor } from '../../support/site-for.js';

describe('RFC 7591 §3.2.2: invalid registrations', () => {
  // runs before the site is closed
  afterAll(async () => {
    expect(await site.database.collection('oauth_clients').countDocuments()).toBe(0);
    // no registration was refused because of a crash
    expect(site.errors.filter(({ error }) => error === 'server_error')).toEqual([]);
  });
  const site = siteFor({ registration: { open: true }, security: { rateLimits: false } });

  test.each([
    ['not JSON', '{"client_name":'],
    ['empty', ''],
    ['a list', '[{"redirect_uris":["https://print.example/callback"]}]'],
    ['a string', '"client_name"'],
    ['a number', '7'],
    ['null', 'null'],
    ['deeply nested', '['.repeat(10_000) + ']'.repeat(10_000)],
  ])('a registration body that is %s is answered invalid_request', async (_what, body) => {
    expect(await register(site, body)).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  test('a registration body of 1 MB is answered 413', async () => {
    expect(await register(site, { ...METADATA, client_name: 'x'.repeat(1024 * 1024) })).toMatchObject(
      refusal(413, 'invalid_request'),
    );
  });

  test.each([
    ['javascript:alert(1)'],
    ['https:///print.example/callback'],
    ['https://print.example/\u202ecallback'],
    [''],
    [`https://print.example/${'x'.repeat(3000)}`],
  ])('§5 the redirect URI %j is answered invalid_redirect_uri [5-5]', async (uri) => {
    expect(await register(site, { ...METADATA, redirect_uris: [uri] })).toMatchObject(
      refusal(400, 'invalid_redirect_uri'),
    );
  });

  test.each([
    ['missing (§5: MUST require clients to register)', undefined],
    ['empty', []],
    ['null', null],
    ['a string', 'https://print.example/callback'],
    ['an object', { 0: 'https://print.example/callback', length: 1 }],
    ['a list in a list', [['https://print.example/callback']]],
    ['a list with an object', [{ href: 'https://print.example/callback' }]],
    ['a thousand', Array.from({ length: 1000 }, (_, index) => `https://print.example/${index}`)],
  ])('redirect_uris that are %s are answered invalid_redirect_uri [2-1] [5-4]', async (_what, value) => {
    expect(await register(site, { ...METADATA, redirect_uris: value })).toMatchObject(
      refusal(400, 'invalid_redirect_uri'),
    );
  });

  test.each([
    ['client_name', 'Bank\u202egnitnirp'],
    ['client_name', 'Bank\nof England'],
    ['client_name', '...'],
    ['grant_types', 'authorization_code'],
    ['grant_types', [{ $ne: null }]],
    ['response_types', { code: true }],
    ['scope', ['photos:read']],
    ['token_endpoint_auth_method', { $gt: '' }],
    ['jwks', 'https://print.example/jwks'],
    ['jwks', { keys: 'all' }],
  ])('%s with the value %j is answered invalid_client_metadata [3.2.2-1]', async (field, value) => {
    const response = await register(site, { ...METADATA, [field]: value });
    expect(response).toMatchObject({ status: 400, body: { error: 'invalid_client_metadata' } });
    expect(response.body.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  });
});
