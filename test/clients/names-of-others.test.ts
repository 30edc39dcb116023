import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import type { NewClient } from '../../lib/index.js';
import { createPerson, hiddenFields, pageAfter } from '../support/person.js';
import { manage, METADATA, register } from '../support/registration.js';
import { openSite, REDIRECT_URI, type Site } from '../support/site.js';

const ROOT = '/oauth/applications';
const TAKEN = [
  'Print Shop',
  'PRINT SHOP',
  'Print  Shop',
  'print-shop',
  'Pr1nt Sh0p',
  'Pr\u0456nt Shop',
  'PrintShop',
];
const WITHIN = ['Print Shop Support', 'The Print Shop', 'My Print$hop 2 Print Sh0p'];
const FREE = ['Print', 'Shop Print', 'Print Workshop', 'Printing Shops of Rome'];

let site: Site;
beforeAll(async () => {
  site = await openSite({ registration: { open: true }, rateLimits: false });
  await site.client({ name: 'Print Shop', ownerId: 'ada', verified: true });
  await site.client({ name: 'Lantern Gallery' });
});
afterAll(() => site.close());

const answerTo = async (name: string) => {
  const { status, body } = await register(site, { ...METADATA, client_name: name });
  return [status, body.error];
};
async function send(name: string, { by = 'eve', clientId }: { by?: string; clientId?: string } = {}) {
  const person = createPerson(site);
  await person.logIn(by);
  const [form, action] =
    clientId === undefined ? [`${ROOT}/new`, ROOT] : [`${ROOT}/${clientId}/edit`, `${ROOT}/${clientId}/edit`];
  const answer = await person.agent
    .post(action)
    .type('form')
    .send({
      ...hiddenFields(await person.agent.get(form)),
      name,
      type: 'confidential',
      redirect_uris: REDIRECT_URI,
      grant_type: 'authorization_code',
    });
  return answer.status === 303 ? pageAfter(person.agent, answer) : answer;
}

describe('the name of a verified client, or of one of the site', () => {
  test.each([...TAKEN, ...WITHIN, 'Lantern Gallery', 'lantern gallery'])(
    'is not registered by another client: %s (RFC 7591 §5)',
    async (name) => {
      expect(await answerTo(name)).toEqual([400, 'invalid_client_metadata']);
    },
  );

  test.each(FREE)('leaves others their own: %s', async (name) => {
    expect(await answerTo(name)).toEqual([201, undefined]);
  });

  test('is not taken by a client that changes itself; its own name stays', async () => {
    const { body } = await register(site).expect(201);
    const put = (of: typeof body, client_name: string) =>
      manage(site, 'put', of, { ...METADATA, client_id: body.client_id, client_name });
    expect((await put(body, 'Print Shop')).body.error).toBe('invalid_client_metadata');
    const same = await put(body, METADATA.client_name).expect(200);
    await site.client({ name: METADATA.client_name, verified: true });
    await put(same.body, METADATA.client_name).expect(200);
  });

  test('is refused on the page in words, with all that was typed', async () => {
    for (const name of ['Print Shop', 'PRINT  SHOP']) {
      const page = await send(name);
      expect(page.status).toBe(422);
      expect(page.text).toContain('People could take the name for Print Shop.');
      expect(page.text).toContain(`value="${name}"`);
    }
    const { clientId } = await site.client({ name: 'Frames', ownerId: 'eve' });
    expect((await send('Print Shop', { clientId })).status).toBe(422);
    expect((await send('Frames of Rome', { clientId })).text).toContain('Your changes are saved.');
  });

  test('may be taken by its own owner', async () => {
    expect((await send('Print Shop for Android', { by: 'ada' })).status).toBe(201);
  });

  test('is found for clients of releases that stored no skeletons', async () => {
    const early = await openSite({ registration: { open: true }, rateLimits: false });
    try {
      await early.client({ name: 'Frame Factory', verified: true } satisfies NewClient);
      await early.database.connection.collection('oauth_clients').updateMany({}, { $unset: { listed: 1 } });
      const answer = await register(early, { ...METADATA, client_name: 'Frame Fact0ry' });
      expect(answer.status).toBe(400);
    } finally {
      await early.close();
    }
  });

  test('is free again once the site no longer vouches for it', async () => {
    const { clientId } = await site.client({ name: 'Ornate Frames', ownerId: 'ada', verified: true });
    expect(await answerTo('Ornate Frames')).toEqual([400, 'invalid_client_metadata']);
    await site.oauth.clients.update(clientId, { verified: false });
    expect(await answerTo('Ornate Frames')).toEqual([201, undefined]);
  });
});
