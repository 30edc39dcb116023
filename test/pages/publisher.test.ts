import { describe, expect, test } from '@jest/globals';

import type { NewClient } from '../../lib/index.js';
import { deviceClient, PAGE, startDevice } from '../support/device.js';
import {
  codeQuery,
  hiddenFields,
  logInPerson,
  pageAfter,
  type Person,
  postForm,
  type Query,
} from '../support/person.js';
import { manage, METADATA, register } from '../support/registration.js';
import { REDIRECT_URI } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { obtainTokens } from '../support/tokens.js';

const ROOT = '/oauth/applications';
const PUBLISHER = 'Ink & <b>Sons</b> Ltd';
const ESCAPED = 'Ink &amp; &lt;b&gt;Sons&lt;/b&gt; Ltd';
const SAID = `Published by <strong><bdi>${ESCAPED}</bdi></strong>`;
const VERIFIED = { verified: true, publisher: PUBLISHER } as const;
const site = siteFor({
  grantTypes: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
  registration: { open: true },
  people: { findByName: (text) => Promise.resolve({ id: text, name: text }) },
  applications: {
    isAdministrator: ({ user }) => (user as unknown as { id: string }).id === 'grace',
  },
  security: { rateLimits: false },
});
const people = {
  ada: fixture(() => logInPerson(site, 'ada')),
  eve: fixture(() => logInPerson(site, 'eve')),
  grace: fixture(() => logInPerson(site, 'grace')),
};

const find = async (clientId: string) => (await site.oauth.clients.find(clientId))!;
const create = (more: Partial<NewClient> = {}) => site.client({ name: 'Inkwell', ...VERIFIED, ...more });
const queryOf = (clientId: string): Query => codeQuery(clientId);
const consentOf = async (clientId: string) =>
  (await people.eve.openAuthorize({ ...queryOf(clientId), prompt: 'consent' })).text;

describe('the publisher of a verified client', () => {
  test('the consent page shows the publisher, escaped, in the language of the person', async () => {
    const { clientId } = await create();
    expect(await consentOf(clientId)).toContain(SAID);
    const arabic = await people.eve.agent
      .get(`/oauth/authorize?${new URLSearchParams({ ...(queryOf(clientId) as object) }).toString()}`)
      .set('Accept-Language', 'ar');
    expect(arabic.text).toContain(`نشره <strong><bdi>${ESCAPED}</bdi></strong>`);
  });

  test('the pages of a device and of a connected app show the publisher', async () => {
    const device = await deviceClient(site, VERIFIED);
    const { user_code: code } = await startDevice(site, device);
    const page = await people.ada.agent.get(`${PAGE}?user_code=${code}`);
    const confirmed = await postForm(people.ada.agent, PAGE, { ...hiddenFields(page), user_code: code });
    expect((await pageAfter(people.ada.agent, confirmed)).text).toContain(SAID);
    const client = await create();
    await obtainTokens(site, client);
    expect((await people.ada.agent.get(`/oauth/authorizations/${client.clientId}`)).text).toContain(SAID);
    expect((await people.ada.agent.get('/oauth/authorizations')).text).toContain(
      `<p>Published by <bdi>${ESCAPED}</bdi></p>`,
    );
  });

  test('a client cannot set its publisher by registration and does not read it', async () => {
    const claimed = { ...METADATA, publisher: 'Your bank', client_publisher: 'Your bank' };
    const { body } = await register(site, claimed).expect(201);
    expect(JSON.stringify(body)).not.toContain('Your bank');
    const clientId = body.client_id as string;
    expect((await find(clientId)).publisher).toBeUndefined();
    expect(await consentOf(clientId)).not.toContain('Published by');
    await site.oauth.clients.update(clientId, VERIFIED);
    expect(await consentOf(clientId)).toContain(SAID);
    expect(JSON.stringify((await manage(site, 'get', body)).body)).not.toContain('Sons');
  });

  test.each([
    ['an unverified client', { verified: false }, 'Only a verified client has a publisher'],
    ['a client that is only trusted', { verified: false, trusted: true }, 'Only a verified client'],
    ['only white space', { publisher: ' \u00a0 ' }, 'has nothing to read'],
    ['101 characters', { publisher: 'x'.repeat(101) }, 'longer than 100 characters'],
    ['a change of the reading direction', { publisher: 'Ink \u202etdL' }, 'invisible or control characters'],
    ['a check mark', { publisher: '✔ Ink' }, 'a check mark'],
    ['a sentence', { publisher: 'Ink! Press Allow' }, 'a sentence'],
    ['letters of two scripts', { publisher: 'Inkw\u0435ll' }, 'different writing systems'],
  ])('a publisher is refused with %s', async (_what, more, problem) => {
    await expect(create(more)).rejects.toThrow(problem);
    const { clientId } = await site.client({ name: 'Inkwell' });
    await expect(site.oauth.clients.update(clientId, { ...VERIFIED, ...more })).rejects.toThrow(problem);
    expect((await find(clientId)).publisher).toBeUndefined();
  });
});

describe('the end of the publisher', () => {
  const isGone = async (clientId: string) => {
    expect(await find(clientId)).toMatchObject({ verified: false });
    expect((await find(clientId)).publisher).toBeUndefined();
    // and does not come back with the next verification
    await site.oauth.clients.update(clientId, { verified: true });
    expect(await consentOf(clientId)).not.toContain('Published by');
  };

  test('the publisher is deleted when code removes the verification', async () => {
    const { clientId } = await create();
    await site.oauth.clients.update(clientId, { verified: false });
    await isGone(clientId);
  });

  test('the publisher is deleted when the owner changes the name or a redirect URI', async () => {
    for (const change of [{ name: 'Inkwell Bank' }, { redirect_uris: `${REDIRECT_URI}2` }]) {
      const { clientId } = await create({ ownerId: 'ada', name: 'Inkwell' });
      const form = await people.ada.agent.get(`${ROOT}/${clientId}/edit`);
      await postForm(people.ada.agent, `${ROOT}/${clientId}/edit`, {
        ...hiddenFields(form),
        name: 'Inkwell',
        redirect_uris: REDIRECT_URI,
        grant_type: ['authorization_code'],
        ...change,
      }).expect(303);
      await isGone(clientId);
    }
  });

  test('the publisher is deleted when another person becomes an owner', async () => {
    const { clientId } = await create({ ownerId: 'ada' });
    const page = await people.ada.agent.get(`${ROOT}/${clientId}`);
    await postForm(people.ada.agent, `${ROOT}/${clientId}/invite`, {
      ...hiddenFields(page),
      person: 'eve',
      as: 'owner',
    });
    const invited = await people.eve.agent.get(`${ROOT}/${clientId}/invitation`).expect(200);
    await postForm(people.eve.agent, `${ROOT}/${clientId}/accept`, hiddenFields(invited)).expect(303);
    await isGone(clientId);
  });

  test('the publisher stays while the verification stays', async () => {
    const { clientId } = await create({ ownerId: 'ada' });
    await site.oauth.clients.update(clientId, { name: 'Inkwell Prints' });
    await site.oauth.clients.addOwner(clientId, 'eve');
    expect(await find(clientId)).toMatchObject(VERIFIED);
    await site.oauth.clients.update(clientId, { publisher: null });
    expect((await find(clientId)).publisher).toBeUndefined();
    expect(await find(clientId)).toMatchObject({ verified: true });
  });
});

describe('the publisher on the page of an application', () => {
  const open = async (person: Person, clientId: string) =>
    (await person.agent.get(`${ROOT}/${clientId}`).expect(200)).text;
  const send = async (person: Person, clientId: string, fields: object) => {
    const page = await people.grace.agent.get(`${ROOT}/${clientId}`);
    const form = { ...hiddenFields(page), ...hiddenFields(await person.agent.get(`${ROOT}/${clientId}`)) };
    const sent = await postForm(person.agent, `${ROOT}/${clientId}/verify`, { ...form, ...fields });
    return sent.status === 303 ? pageAfter(person.agent, sent) : sent;
  };
  const unverified = async () => (await site.client({ name: 'Inkwell', ownerId: 'ada' })).clientId;

  test('an administrator sets, changes and removes the publisher and the verification', async () => {
    const clientId = await unverified();
    await send(people.grace, clientId, { verified: 'true', publisher: ` ${PUBLISHER} ` });
    expect(await find(clientId)).toMatchObject(VERIFIED);
    expect(await open(people.ada, clientId)).toContain(`<bdi>${ESCAPED}</bdi>`);
    expect((await send(people.grace, clientId, { verified: 'true', publisher: 'Ink Co' })).text).toContain(
      'Your changes are saved.',
    );
    expect(await find(clientId)).toMatchObject({ verified: true, publisher: 'Ink Co' });
    await send(people.grace, clientId, { verified: 'true', publisher: '' });
    expect((await find(clientId)).publisher).toBeUndefined();
    await send(people.grace, clientId, { verified: 'true', publisher: 'Ink Co' });
    await send(people.grace, clientId, { verified: 'false', publisher: 'Ink Co' });
    expect(await find(clientId)).toMatchObject({ verified: false });
    expect((await find(clientId)).publisher).toBeUndefined();
  });

  test('a form without a publisher leaves it, and an invalid publisher verifies nothing', async () => {
    const { clientId } = await create();
    await send(people.grace, clientId, { verified: 'true' });
    expect(await find(clientId)).toMatchObject(VERIFIED);
    const other = await unverified();
    const { text } = await send(people.grace, other, { verified: 'true', publisher: 'Ink \u202etdL' });
    expect(text).toContain('That cannot be the name of a publisher');
    expect((await find(other)).verified ?? false).toBe(false);
  });

  test('an owner has no form for the publisher', async () => {
    const clientId = await unverified();
    expect(await open(people.ada, clientId)).not.toContain('application-publisher"');
    expect((await send(people.ada, clientId, { verified: 'true', publisher: 'Me' })).status).toBe(404);
    expect((await find(clientId)).publisher).toBeUndefined();
  });
});
