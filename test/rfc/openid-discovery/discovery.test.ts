import { expect, test } from '@jest/globals';
import request from 'supertest';

import { discover, openid } from '../../support/openid.js';
import { siteFor } from '../../support/site-for.js';

const site = siteFor({ openid, issuer: 'https://photos.example/tenant' });

test('§3 the OpenID configuration has the required members [3-1]', async () => {
  const metadata = await discover(site);
  expect(metadata.issuer).toBe('https://photos.example/tenant');
  for (const name of [
    'authorization_endpoint',
    'token_endpoint',
    'jwks_uri',
    'response_types_supported',
    'subject_types_supported',
    'id_token_signing_alg_values_supported',
  ])
    expect(metadata).toHaveProperty(name);
});

test('§4.2 the OpenID configuration is JSON without empty lists [4.2-1] [4.2-2]', async () => {
  const response = await request(site.server).get('/.well-known/openid-configuration').expect(200);
  expect(response.headers['content-type']).toMatch(/^application\/json/);
  for (const value of Object.values(response.body as object)) expect(value).not.toEqual([]);
});
