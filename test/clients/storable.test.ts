import { describe, expect, test } from '@jest/globals';

import { OAuthError } from '../../lib/index.js';
import { METADATA, register } from '../support/registration.js';
import { openSite } from '../support/site.js';
import { siteFor } from '../support/site-for.js';

describe('a value that the database cannot store unchanged', () => {
  const site = siteFor({ registration: { open: true }, security: { rateLimits: false } });

  test.each([
    ['jwks', { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'a', _bsontype: 'ObjectId' }] }],
    ['description', 'half of a character \ud800'],
  ])('code cannot store a value unfit for the database as %s of a client', async (field, value) => {
    const created = site.client({ [field]: value });
    await expect(created).rejects.toThrow(OAuthError);
    const { clientId } = await site.client();
    await expect(site.oauth.clients.update(clientId, { [field]: value })).rejects.toMatchObject({
      error: 'invalid_client_metadata',
    });
  });

  test.each([
    ['redirect_uris', ['https://a.example/\ud800'], 'invalid_redirect_uri'],
    [
      'jwks',
      { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'a', _bsontype: 'ObjectId' }] },
      'invalid_client_metadata',
    ],
  ])('a registration with a value unfit for the database as %s is refused', async (name, value, error) => {
    const { status, body } = await register(site, { ...METADATA, [name]: value });
    expect([status, body.error]).toEqual([400, error]);
  });

  test.each([
    ['software_id', 'a\udc00'],
    ['contacts', ['a\udc00@a.example']],
    ['logo_uri', 'https://a.example/\udc00'],
  ])('a registration drops a value unfit for the database as %s', async (name, value) => {
    const { status, body } = await register(site, { ...METADATA, [name]: value });
    expect(status).toBe(201);
    expect(body).not.toHaveProperty(name);
    const stored = await site.database.find('oauth_clients', body.client_id);
    expect(stored).toHaveProperty('registration.details', {});
    expect(JSON.stringify(stored)).not.toMatch(/\ufffd|\\ud[c8]00/);
  });

  test('the name constructor is refused for a choice', async () => {
    const label = 'Which?';
    await expect(
      openSite({ choices: { constructor: { label, number: { min: 1, max: 2 } } } }),
    ).rejects.toThrow(/choices\.constructor.*take another/);
  });
});
