import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { createPerson, locationOf } from '../../support/person.js';
import { openSite, REDIRECT_URI, type Site } from '../../support/site.js';

const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';
const API = 'https://api.photos.example';

describe('requireResource', () => {
  let site: Site;
  let client: { client_id: string; client_secret: string };
  beforeAll(async () => {
    site = await openSite({
      security: { requireResource: true },
      resources: { [API]: {} },
      pushedRequests: true,
      grantTypes: [
        'authorization_code',
        'refresh_token',
        'client_credentials',
        'password',
        DEVICE,
        { grantType: 'urn:example:gift', parameters: [], handle: () => Promise.resolve({ userId: 'ada' }) },
      ],
    });
    const { clientId, clientSecret } = await site.client();
    client = { client_id: clientId, client_secret: clientSecret! };
  });
  afterAll(() => site.close());

  const post = (path: string, form: object) =>
    request(site.server)
      .post(path)
      .type('form')
      .send({ ...client, ...form });

  test('§2 an authorization request without a resource is answered invalid_target, one with it is not', async () => {
    const ada = createPerson(site);
    await ada.logIn();
    const query = { response_type: 'code', client_id: client.client_id, redirect_uri: REDIRECT_URI };
    const refused = locationOf(await ada.agent.get('/oauth/authorize').query(query)).searchParams;
    expect([refused.get('error'), refused.get('error_description')]).toEqual([
      'invalid_target',
      'the parameter resource is missing: it says what the token is for',
    ]);
    expect((await ada.agent.get('/oauth/authorize').query({ ...query, resource: '' })).status).toBe(302);
    const page = await ada.agent.get('/oauth/authorize').query({ ...query, resource: API });
    const code = locationOf(await ada.choose(page)).searchParams.get('code');
    // the resource of the code is known, and need not be sent again
    const { body } = await post('/oauth/token', {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT_URI,
    }).expect(200);
    await post('/oauth/token', { grant_type: 'refresh_token', refresh_token: body.refresh_token }).expect(
      200,
    );
  });

  test.each([
    ['/oauth/token', { grant_type: 'client_credentials' }],
    ['/oauth/token', { grant_type: 'password', username: 'ada', password: 'password of ada' }],
    ['/oauth/token', { grant_type: 'urn:example:gift' }],
    ['/oauth/device_authorization', {}],
    ['/oauth/par', { response_type: 'code', redirect_uri: REDIRECT_URI }],
  ])('§2 %s with %j needs one as well', async (path, form) => {
    const { body } = await post(path, form).expect(400);
    expect(body.error).toBe('invalid_target');
    const { status } = await post(path, { ...form, resource: API });
    expect([200, 201]).toContain(status);
  });

  test('where there are no resources, none can be named', async () => {
    const other = await openSite({ security: { requireResource: true } });
    const { clientId, clientSecret } = await other.client();
    await request(other.server)
      .post('/oauth/token')
      .type('form')
      .send({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret })
      .expect(200);
    await other.close();
  });
});
