import { expect, test } from '@jest/globals';
import request from 'supertest';

import type { OAuthEvent } from '../../lib/index.js';
import { openAccountSite, placesOf } from '../support/account-life.js';
import { logInAll } from '../support/owners.js';
import { hiddenFields } from '../support/person.js';
import { fixture } from '../support/site-for.js';
import { callApi } from '../support/tokens.js';

const PAGE = '/oauth/applications/users/ada-of-lantern/end';
// a site may find its users by ids in another spelling
const find = (id: string) => ({ id: id.toLowerCase(), name: id.toLowerCase() });
const site = fixture(() => openAccountSite({ people: { find } }));
const agents = fixture(() => logInAll(site, ['ada-of-lantern', 'grace'] as const));

test('an administrator ends all access of an account after a page with counts', async () => {
  const { clientId } = await site.client({ ownerId: 'ada-of-lantern', name: 'Albums' });
  const made = { userId: 'ada-of-lantern', name: 'Backup', scopes: ['photos:read'] };
  const { token } = await site.oauth.personalAccessTokens.create(made);
  // ended tokens, and tokens that others own as well, do not count
  const { id } = await site.oauth.personalAccessTokens.create({ ...made, name: 'Former' });
  await site.oauth.personalAccessTokens.revoke(id);
  for (const owners of [['ada-of-lantern'], ['ada-of-lantern', 'grace']]) {
    const service = { owners, name: 'Deployment', scopes: made.scopes };
    const { id: serviceId } = await site.oauth.personalAccessTokens.create(service);
    if (owners.length === 1) await site.oauth.personalAccessTokens.revoke(serviceId);
  }
  const events: OAuthEvent[] = [];
  site.oauth.events.on('account.ended', (event) => void events.push(event));

  const list = await agents.grace.get('/oauth/applications?list=all&q=ada-of-lantern').expect(200);
  expect(list.text).toContain(`href="${PAGE}"`);
  const page = await agents.grace.get(PAGE).expect(200);
  expect(page.text).toContain('that end: 1. Applications that nobody else owns and that are blocked: 1.');
  expect((await callApi(site, token)).status).toBe(200);
  expect(events).toEqual([]);

  const { csrf_token } = hiddenFields(page);
  const post = () => agents.grace.post(PAGE).set('Sec-Fetch-Site', 'same-origin').type('form');
  expect((await post().send({ csrf_token: 'forged' })).status).toBe(403);
  const done = await post().send({ csrf_token }).expect(303);
  expect((await agents.grace.get(String(done.headers.location))).text).toContain(
    'All access of the user has ended.',
  );
  expect((await callApi(site, token)).status).toBe(401);
  expect((await site.oauth.clients.find(clientId))?.blocked).toBeDefined();
  expect(events).toMatchObject([{ userId: 'ada-of-lantern', actorId: 'grace' }]);
  expect(
    (await placesOf(site, 'ada-of-lantern')).filter((place) => !place.startsWith('oauth_users')),
  ).toEqual([]);
});

test.each(['get', 'post'] as const)('the page is 404 for other people (%s)', async (method) => {
  const { csrf_token } = hiddenFields(await agents['ada-of-lantern'].get('/oauth/applications/new'));
  const path = PAGE.replace('ada-of-lantern', 'grace');
  const agent = agents['ada-of-lantern'];
  const answer = await agent[method](path)
    .set('Sec-Fetch-Site', 'same-origin')
    .type('form')
    .send(method === 'post' ? { csrf_token } : undefined);
  expect(answer.status).toBe(404);
});

test('the search links the page to end access by the id that the site gives the user', async () => {
  const list = await agents.grace.get('/oauth/applications?list=all&q=ADA-OF-LANTERN').expect(200);
  expect(list.text).toContain(`href="${PAGE}"`);
  await agents.grace.get(PAGE.replace('ada-of-lantern', 'ADA-OF-LANTERN')).expect(404);
});

test('a form to end access after a logout leads back to its page', async () => {
  const answer = await request(site.server).post(PAGE).type('form').send({ csrf_token: 'x' });
  expect([answer.status, answer.headers.location]).toEqual([
    303,
    expect.stringContaining(encodeURIComponent(PAGE)),
  ]);
});
