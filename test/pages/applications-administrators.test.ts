import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';

import {
  closePagesApps,
  isGrace,
  type PagesApp,
  startAdministeredApp,
  startPagesApp,
} from '../support/pages-app.js';
import { hiddenFields, pageAfter, postForm } from '../support/person.js';
import { fixture } from '../support/site-for.js';

type Agent = ReturnType<PagesApp['agent']>;

const ROOT = '/oauth/applications';
let ada: Agent;
let grace: Agent;
let adaId: string;
const app = fixture(startAdministeredApp);

beforeAll(async () => {
  [ada, grace] = [await app.personOf('ada'), await app.personOf('grace')];
  adaId = await app.idOf('ada');
});
afterAll(closePagesApps);

const create = (name: string, more = {}) =>
  app.clients.create({ name, redirectUris: ['https://a.example/callback'], ...more });

async function createSelfRegistered(name: string) {
  const client = await create(name);
  await app.database.update('oauth_clients', client.clientId, {
    $set: {
      registration: { accessTokenHash: `hash of ${name}`, details: {} },
      expiresAt: new Date(Date.now() + 60_000),
      'listed.lists': ['unverified', 'self-registered'],
    },
  });
  return client;
}

async function send(
  agent: Agent,
  clientId: string,
  action: string,
  fields: Record<string, unknown> = {},
  page = '',
): Promise<Response> {
  const form = hiddenFields(await agent.get(`${ROOT}/${clientId}${page}`));
  return postForm(agent, `${ROOT}/${clientId}/${action}`, { ...form, ...fields });
}

describe('administrators (the option isAdministrator)', () => {
  it('only administrators see that a client keeps its refresh tokens', async () => {
    const { clientId } = await create('Speaker', { ownerId: adaId, refreshTokens: 'keep' });
    expect((await grace.get(`${ROOT}/${clientId}`)).text).toContain('stay the same when they are used');
    expect((await ada.get(`${ROOT}/${clientId}`)).text).not.toContain('stay the same when they are used');
  });

  it('only administrators see all applications with their owners', async () => {
    const [own, seeded] = [await create('Of Ada', { ownerId: adaId }), await create('Seeded')];
    const { text } = await grace.get(`${ROOT}?list=all`).expect(200);
    expect(text).toContain(own.clientId);
    expect(text).toContain(seeded.clientId);
    expect(text).toContain(`Owner: <code>${adaId}</code>`);
    expect(text).toContain('registered by this site');
    const theirs = (await ada.get(`${ROOT}?list=all`).expect(200)).text;
    expect(theirs).not.toContain(seeded.clientId);
    expect(theirs).not.toContain('list=all');
    await ada.get(`${ROOT}/${seeded.clientId}`).expect(404);
    expect((await grace.get(`${ROOT}/${seeded.clientId}`).expect(200)).text).toContain(
      'id="application-owner"',
    );
    expect((await ada.get(`${ROOT}/${own.clientId}`).expect(200)).text).not.toContain(
      'id="application-owner"',
    );
  });

  it('the list of all applications is paged, the newest first, without gaps and repeats', async () => {
    for (let index = 0; index < 60; index += 1) await create(`Number ${index}`);
    const ids: string[] = [];
    let path = `${ROOT}?list=all`;
    for (let part = 0; part < 10; part += 1) {
      const { text } = await grace.get(path).expect(200);
      ids.push(...[...text.matchAll(/<p><code>([0-9a-f-]{36})<\/code><\/p>/g)].map(([, id = '']) => id));
      const next = /id="applications-next" href="([^"]+)"/.exec(text)?.[1];
      if (next === undefined) break;
      path = next.replaceAll('&amp;', '&');
    }
    const all = await app.database
      .collection('oauth_clients')
      .find()
      .sort({ createdAt: -1, _id: -1 })
      .toArray();
    expect(ids).toEqual(all.map(({ _id }) => String(_id)));
  });

  it.each([
    'x',
    '%00',
    '1.',
    '99999999999999999.x',
    '1.x&after=2.y',
    encodeURIComponent('"><script>'),
    '0.$ne',
  ])('an invalid position in the list (%s) does no harm', async (after) => {
    const { text } = await grace.get(`${ROOT}?list=all&after=${after}`).expect(200);
    expect(text).not.toContain('"><script>');
  });

  it('administrators can edit applications like the owner, trusted ones included', async () => {
    const client = await create('Own app', { ownerId: adaId, trusted: true });
    await ada.get(`${ROOT}/${client.clientId}/edit`).expect(403);
    const form = {
      name: 'Own app 2',
      redirect_uris: 'https://b.example/',
      scope: ['photos:read'],
      grant_type: ['authorization_code'],
    };
    expect((await send(grace, client.clientId, 'edit', form, '/edit')).status).toBe(303);
    expect(await app.clients.find(client.clientId)).toMatchObject({
      name: 'Own app 2',
      trusted: true,
      ownerId: adaId,
    });
  });

  it('administrators need not be developers', async () => {
    const closed = await startPagesApp({
      applications: {
        isDeveloper: () => false,
        isAdministrator: (req) => Promise.resolve(isGrace(req)),
      },
    });
    await (await closed.personOf('grace')).get(`${ROOT}?list=all`).expect(200);
    await (await closed.personOf('ada')).get(ROOT).expect(403);
  });

  it.each([
    ['truthy', 1],
    ['a promise of something else', Promise.resolve('yes')],
  ])('only true makes an administrator: %s does not', async (_what, answer) => {
    const odd = await startPagesApp({
      applications: { isAdministrator: () => answer as unknown as boolean },
    });
    const client = await odd.clients.create({ name: 'X', redirectUris: ['https://a.example/'] });
    await (await odd.personOf('ada')).get(`${ROOT}/${client.clientId}`).expect(404);
  });

  it.each([undefined, 'yes', 1, {}])('isDeveloper: %j makes no developer', async (answer) => {
    const odd = await startPagesApp({
      applications: { isDeveloper: () => Promise.resolve(answer as boolean) },
    });
    await (await odd.personOf('ada')).get(ROOT).expect(403);
  });
});

describe('the verification of an application', () => {
  it('a self-registered application is listed, can be verified, and then does not expire', async () => {
    const client = await createSelfRegistered('Model Context Client');
    const listed = await grace.get(`${ROOT}?list=self-registered`).expect(200);
    expect(listed.text).toContain(client.clientId);
    expect(listed.text).not.toContain('Of Ada');
    const page = await grace.get(`${ROOT}/${client.clientId}`).expect(200);
    expect(page.text).toContain('everything it says about itself');
    expect(page.text).not.toContain('id="application-rotate"');
    const answer = await send(grace, client.clientId, 'verify', { verified: 'true' });
    expect((await grace.get(answer.headers.location!)).text).toContain('The application is verified.');
    expect(await app.clients.find(client.clientId)).toMatchObject({
      verified: true,
      selfRegistered: true,
      trusted: false,
    });
    const stored = await app.database.find('oauth_clients', client.clientId);
    expect(stored?.expiresAt).toBeUndefined();
    await send(grace, client.clientId, 'verify', { verified: 'false' });
    expect(await app.clients.find(client.clientId)).toMatchObject({ verified: false });
  });

  it('an application that changed after the page was opened is not verified', async () => {
    const client = await create('Honest name', { ownerId: adaId });
    const form = hiddenFields(await grace.get(`${ROOT}/${client.clientId}`));
    await app.clients.update(client.clientId, { name: 'Your bank' });
    const sent = { ...form, verified: 'true' };
    const answer = await postForm(grace, `${ROOT}/${client.clientId}/verify`, sent).expect(303);
    expect((await pageAfter(grace, answer)).text).toContain('so nothing was done');
    expect((await app.clients.find(client.clientId))?.verified ?? false).toBe(false);
  });

  it('only administrators can verify applications', async () => {
    const client = await create('Shop', { ownerId: adaId });
    const page = await ada.get(`${ROOT}/${client.clientId}`);
    expect(page.text).not.toContain('application-verify');
    const forged = { ...hiddenFields(page), verified: 'true', seen: client.updatedAt.toISOString() };
    await postForm(ada, `${ROOT}/${client.clientId}/verify`, forged).expect(404);
    await postForm(grace, `${ROOT}/${client.clientId}/verify`, {
      ...forged,
      csrf_token: 'f'.repeat(64),
    }).expect(403);
    expect((await app.clients.find(client.clientId))?.verified).toBeUndefined();
  });

  it('administrators can delete a self-registered application', async () => {
    const client = await createSelfRegistered('Spam');
    const answer = await send(grace, client.clientId, 'delete', { confirmation: 'Spam' }, '/delete');
    expect((await pageAfter(grace, answer)).text).toContain('The application is deleted');
    expect(await app.clients.find(client.clientId)).toBeNull();
  });
});
