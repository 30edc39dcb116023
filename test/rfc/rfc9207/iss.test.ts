import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { authorizationServer, type ClientWithSecret } from '../../../lib/index.js';
import { connectionFor } from '../../support/database.js';
import {
  createPerson,
  formatQuery,
  fragmentOf,
  locationOf,
  type Person,
  type Query,
} from '../../support/person.js';
import { openSite, REDIRECT_URI, SCOPES, type Site } from '../../support/site.js';

const ISSUER = 'https://photos.example/tenants/caf%C3%A9';

/** The public URL has nothing to do with where the test reaches it. */
let site: Site;
let client: ClientWithSecret;
let ada: Person;

beforeAll(async () => {
  site = await openSite({ issuer: ISSUER, grantTypes: ['authorization_code', 'refresh_token', 'implicit'] });
  client = await site.client();
  ada = createPerson(site);
  await ada.logIn();
});
afterAll(() => site.close());

function codeRequest(more: Query = {}): Query {
  return {
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: REDIRECT_URI,
    state: 'xyz',
    ...more,
  };
}

describe('§2 iss in the response', () => {
  test('§2 with a code [2-1] [2.4-2]', async () => {
    const { searchParams } = await ada.authorize(codeRequest());
    expect(searchParams.has('code')).toBe(true);
    expect(searchParams.getAll('iss')).toEqual([ISSUER]);
  });

  test('§2 with a remembered consent, where no page is shown [2-1]', async () => {
    await ada.authorize(codeRequest());
    const response = await ada.openAuthorize(codeRequest());
    expect(response.status).toBe(302);
    expect(locationOf(response).searchParams.get('iss')).toBe(ISSUER);
  });

  test('§2 with a token, in the fragment and there only [2-1]', async () => {
    const location = await ada.authorize(codeRequest({ response_type: 'token' }));
    expect(fragmentOf(location).has('access_token')).toBe(true);
    expect(fragmentOf(location).getAll('iss')).toEqual([ISSUER]);
    expect(location.search).toBe('');
  });

  test.each<[string, Query, string]>([
    ['an unknown response type', { response_type: 'id_token' }, 'unsupported_response_type'],
    ['no response type', { response_type: undefined }, 'invalid_request'],
    ['an unknown scope', { scope: 'everything' }, 'invalid_scope'],
    [
      'a challenge by plain',
      { code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' },
      'invalid_request',
    ],
  ])('§2 with the error for %s [2-1]', async (_what, more, error) => {
    const { searchParams } = locationOf(await ada.openAuthorize(codeRequest(more)));
    expect(searchParams.get('error')).toBe(error);
    expect(searchParams.getAll('iss')).toEqual([ISSUER]);
  });

  test('§2 where the person denies [2-1]', async () => {
    const fresh = await site.client();
    const { searchParams } = await ada.authorize(codeRequest({ client_id: fresh.clientId }), {
      decision: 'deny',
    });
    expect(searchParams.get('error')).toBe('access_denied');
    expect(searchParams.getAll('iss')).toEqual([ISSUER]);
  });

  test('§2 with an error in the fragment [2-1]', async () => {
    const location = locationOf(
      await ada.openAuthorize(codeRequest({ response_type: 'token', scope: 'everything' })),
    );
    expect(fragmentOf(location).get('error')).toBe('invalid_scope');
    expect(fragmentOf(location).getAll('iss')).toEqual([ISSUER]);
    expect(location.search).toBe('');
  });

  test('§2 for a request without state as well [2-1]', async () => {
    const { searchParams } = await ada.authorize(codeRequest({ state: undefined }));
    expect(searchParams.has('state')).toBe(false);
    expect(searchParams.get('iss')).toBe(ISSUER);
  });

  test('§4 an iss in the request is not passed on: there is one, and it is ours [2-1] [4-4]', async () => {
    const { searchParams } = await ada.authorize(codeRequest({ iss: 'https://evil.example' }));
    expect(searchParams.getAll('iss')).toEqual([ISSUER]);
  });

  test('§2 neither Host nor what a proxy says changes it [2-1]', async () => {
    const behindProxy = await openSite({
      issuer: ISSUER,
      database: site.database,
      before: (app) => app.set('trust proxy', true),
    });
    try {
      const response = await request(behindProxy.server)
        .get(`/oauth/authorize?${formatQuery(codeRequest({ prompt: 'none', scope: 'everything' }))}`)
        .set({ Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https' });
      expect(locationOf(response).searchParams.get('iss')).toBe(ISSUER);
    } finally {
      await behindProxy.close();
    }
  });

  test('§2 an error that must not be redirected has no response to put it into', async () => {
    const response = await ada.openAuthorize(codeRequest({ redirect_uri: 'https://evil.example/' }));
    expect(response.status).toBe(400);
    expect(response.headers.location).toBeUndefined();
  });
});

describe('§2 what may be an issuer', () => {
  const start = (issuer: string) =>
    authorizationServer({
      issuer,
      connection: connectionFor(issuer, site.database.connection),
      scopes: SCOPES,
      login: '/login',
    });

  test.each([
    'http://photos.example',
    'ftp://photos.example',
    'photos.example',
    'https://photos.example?tenant=1',
    'https://photos.example#a',
    'https://photos.example?',
    'https://photos.example#',
  ])('§2 %s is none: the site does not start [2-2]', (issuer) => {
    expect(() => start(issuer)).toThrow(TypeError);
  });

  test('§2 http on this machine alone is let through, for trying', () => {
    expect(() => start('http://localhost:3000')).not.toThrow();
  });
});

describe('§2.3 the metadata', () => {
  test('§3 has the flag, and the same issuer letter by letter [2.3-1] [2.3-2] [2.3-3] [2.4-3] [2.4-7]', async () => {
    const { body } = await request(site.server).get('/.well-known/oauth-authorization-server');
    const { searchParams } = await ada.authorize(codeRequest());
    expect(body.authorization_response_iss_parameter_supported).toBe(true);
    expect(body.issuer).toBe(searchParams.get('iss'));
  });
});
