import { describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { codeQuery, formatQuery, locationOf, logInPerson, type Query } from '../../support/person.js';
import { openSite, startLike } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';

const ISSUER = 'https://photos.example/tenants/caf%C3%A9';

/** The public URL of the issuer is not the address of the test server. */
const site = siteFor({ issuer: ISSUER, grantTypes: ['authorization_code', 'refresh_token', 'implicit'] });
const client = fixture(() => site.client());
const ada = fixture(() => logInPerson(site));

function codeRequest(more: Query = {}): Query {
  return codeQuery(client, { state: 'xyz', ...more });
}

describe('§2 iss in the response', () => {
  test('§2 an authorization response without a page has iss [2-1]', async () => {
    await ada.authorize(codeRequest());
    const response = await ada.openAuthorize(codeRequest());
    expect(response.status).toBe(302);
    expect(locationOf(response).searchParams.get('iss')).toBe(ISSUER);
  });

  test('§4 an iss in the request is not returned beside the iss of the server [2-1] [4-4]', async () => {
    const { searchParams } = await ada.authorize(codeRequest({ iss: 'https://evil.example' }));
    expect(searchParams.getAll('iss')).toEqual([ISSUER]);
  });

  test('§2 Host and proxy headers do not change iss [2-1]', async () => {
    await using behindProxy = await openSite({
      issuer: ISSUER,
      database: site.database,
      before: (app) => app.set('trust proxy', true),
    });
    const response = await request(behindProxy.server)
      .get(`/oauth/authorize?${formatQuery(codeRequest({ prompt: 'none', scope: 'everything' }))}`)
      .set({ Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https' });
    expect(locationOf(response).searchParams.get('iss')).toBe(ISSUER);
  });
});

describe('§2 valid issuers', () => {
  test.each([
    'http://photos.example',
    'ftp://photos.example',
    'photos.example',
    'https://photos.example?tenant=1',
    'https://photos.example#a',
    'https://photos.example?',
    'https://photos.example#',
  ])('§2 the server does not start with the issuer %s [2-2]', (issuer) => {
    expect(() => startLike(site, { issuer })).toThrow(TypeError);
  });

  test('§2 an http: issuer on loopback is accepted', () => {
    expect(() => startLike(site, { issuer: 'http://localhost:3000' })).not.toThrow();
  });
});

describe('§2.3 the metadata', () => {
  test('§3 the metadata has the iss flag and the same issuer as iss [2.3-1] [2.3-2] [2.3-3] [2.4-3] [2.4-7]', async () => {
    const { body } = await request(site.server).get('/.well-known/oauth-authorization-server');
    const { searchParams } = await ada.authorize(codeRequest());
    expect(body.authorization_response_iss_parameter_supported).toBe(true);
    expect(body.issuer).toBe(searchParams.get('iss'));
  });
});
