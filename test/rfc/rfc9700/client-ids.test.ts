import { describe, expect, test } from '@jest/globals';

import { createPerson, hiddenFields, postForm } from '../../support/person.js';
import { METADATA, register } from '../../support/registration.js';
import { REDIRECT_URI } from '../../support/site.js';
import { siteFor } from '../../support/site-for.js';

const site = siteFor({ registration: { open: true } });

/** Everything that could name a person in a token. */
const CLAIMS = {
  client_id: 'ada',
  clientId: 'ada',
  sub: 'ada',
  userId: 'ada',
  user_id: 'ada',
  username: 'ada',
};

describe('§4.15 client ids that name people', () => {
  test('§4.15.1 a client that registers itself as a person gets an id that is made here [2.6-2] [4.15-1] [4.15.1-1]', async () => {
    const { status, body } = await register(site, { ...METADATA, ...CLAIMS });
    expect(status).toBe(201);
    expect(body.client_id).not.toBe('ada');
    expect(body).not.toHaveProperty('sub');
    expect(await site.oauth.clients.find('ada')).toBeNull();
  });

  test('§4.15.1 nor does the page of applications let anybody choose one [2.6-2] [4.15-1] [4.15.1-1]', async () => {
    const grace = createPerson(site);
    await grace.logIn('grace');
    const form = await grace.agent.get('/oauth/applications/new').expect(200);
    const made = await postForm(grace.agent, '/oauth/applications', {
      ...hiddenFields(form),
      name: 'Ada',
      type: 'confidential',
      redirect_uris: REDIRECT_URI,
      grant_type: 'authorization_code',
      scope: 'profile',
      ...CLAIMS,
    });
    expect(made.status).toBeLessThan(400);
    expect(await site.oauth.clients.find('ada')).toBeNull();
  });
});
