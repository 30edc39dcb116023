import { beforeAll, describe, expect, test } from '@jest/globals';

import { editApplication, registerApplication } from '../support/applications.js';
import { DEVICE_CODE } from '../support/device.js';
import { logInPerson, pageAfter } from '../support/person.js';
import { manage, METADATA, register } from '../support/registration.js';
import { REDIRECT_URI } from '../support/site.js';
import { siteFor } from '../support/site-for.js';

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

const grantTypes = ['authorization_code', 'refresh_token', DEVICE_CODE] as const;
const site = siteFor({
  grantTypes,
  registration: { open: true, grantTypes: [...grantTypes] },
  security: { rateLimits: false },
});
beforeAll(async () => {
  await site.client({
    name: 'Print Shop',
    ownerId: 'ada',
    verified: true,
    redirectUris: ['https://print-shop.example/callback'],
  });
  await site.client({ name: 'Lantern Gallery', redirectUris: ['https://gallery.example/callback'] });
});

const answerTo = async (name: string) => {
  const { status, body } = await register(site, { ...METADATA, client_name: name });
  return [status, body.error];
};
async function send(name: string, { by = 'eve', clientId }: { by?: string; clientId?: string } = {}) {
  const person = await logInPerson(site, by);
  const answer = await (clientId === undefined
    ? registerApplication(person.agent, { name })
    : editApplication(person.agent, clientId, { name }));
  return pageAfter(person.agent, answer);
}

describe('the name of a verified client, or of one of the site', () => {
  test.each([...TAKEN, ...WITHIN, 'Lantern Gallery', 'lantern gallery'])(
    'a registration with the name of a verified client or of the site is refused: %s (RFC 7591 §5)',
    async (name) => {
      expect(await answerTo(name)).toEqual([400, 'invalid_client_metadata']);
    },
  );

  test.each(FREE)('a registration with a different name is accepted: %s', async (name) => {
    expect(await answerTo(name)).toEqual([201, undefined]);
  });

  test('a client cannot take a verified name by an update, and can keep its name', async () => {
    const { body } = await register(site).expect(201);
    const put = (of: typeof body, client_name: string) =>
      manage(site, 'put', of, { ...METADATA, client_id: body.client_id, client_name });
    expect((await put(body, 'Print Shop')).body.error).toBe('invalid_client_metadata');
    const same = await put(body, METADATA.client_name).expect(200);
    await site.client({
      name: METADATA.client_name,
      verified: true,
      redirectUris: ['https://frames.example/callback'],
    });
    const again = await put(same.body, METADATA.client_name).expect(200);
    await manage(site, 'put', again.body, {
      ...METADATA,
      client_id: body.client_id,
      redirect_uris: [`${REDIRECT_URI}/2`],
    }).expect(200);
  });

  test('a name is free to installations of one software with redirect URIs of one kind', async () => {
    const of = { client_name: 'Pocket Lantern', redirect_uris: ['http://127.0.0.1:33418/callback'] };
    const { body: first } = await register(site, { ...METADATA, ...of }).expect(201);
    await site.oauth.clients.update(first.client_id, { verified: true });
    // each installation has a different port (RFC 8252 §7.3)
    const redirect_uris = ['http://127.0.0.1:41000/callback'];
    await register(site, { ...METADATA, ...of, redirect_uris }).expect(201);
    const { body } = await register(site, { ...METADATA, ...of }).expect(201);
    const put = (more: object) =>
      manage(site, 'put', body, { ...METADATA, ...of, client_id: body.client_id, ...more });
    for (const more of [
      { redirect_uris: [...of.redirect_uris, 'https://evil.example/callback'] },
      { grant_types: ['authorization_code', DEVICE_CODE] },
    ]) {
      expect((await put(more)).body.error).toBe('invalid_client_metadata');
      expect((await register(site, { ...METADATA, ...of, ...more })).body.error).toBe(
        'invalid_client_metadata',
      );
    }
    await put({ scope: 'profile' }).expect(200);
  });

  test('the application form refuses the name of another client in words, and keeps the input', async () => {
    for (const name of ['Print Shop', 'PRINT  SHOP']) {
      const page = await send(name);
      expect(page.status).toBe(422);
      expect(page.text).toContain('Users could take the name for Print Shop.');
      expect(page.text).toContain(`value="${name}"`);
    }
    const { clientId } = await site.client({ name: 'Frames', ownerId: 'eve' });
    expect((await send('Print Shop', { clientId })).status).toBe(422);
    expect((await send('Frames of Rome', { clientId })).text).toContain('Your changes are saved.');
  });

  test('an owner may use the name of one application for another', async () => {
    expect((await send('Print Shop for Android', { by: 'ada' })).status).toBe(201);
  });

  test('a name is free again once its client is no longer verified', async () => {
    const { clientId } = await site.client({
      name: 'Ornate Frames',
      ownerId: 'ada',
      verified: true,
      redirectUris: ['https://ornate.example/callback'],
    });
    expect(await answerTo('Ornate Frames')).toEqual([400, 'invalid_client_metadata']);
    await site.oauth.clients.update(clientId, { verified: false });
    expect(await answerTo('Ornate Frames')).toEqual([201, undefined]);
  });
});
