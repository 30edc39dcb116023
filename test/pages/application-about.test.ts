import { beforeAll, describe, expect, it, test } from '@jest/globals';
import type { Response } from 'supertest';

import { clientIdIn, editApplication, FORM, registerApplication, ROOT } from '../support/applications.js';
import { type PagesApp, startPagesApp } from '../support/pages-app.js';
import { logInPerson } from '../support/person.js';
import { fixture, siteFor } from '../support/site-for.js';

type Agent = ReturnType<PagesApp['agent']>;

const ABOUT = {
  description: '  Prints your photos\r\non   postcards.  ',
  client_uri: 'https://print.example/',
  logo_uri: 'https://print.example/logo.png',
  policy_uri: 'https://print.example/privacy',
  tos_uri: 'https://print.example/terms?a=1&b=2',
};
const STORED = {
  description: 'Prints your photos on postcards.',
  clientUri: ABOUT.client_uri,
  logoUri: ABOUT.logo_uri,
  policyUri: ABOUT.policy_uri,
  tosUri: ABOUT.tos_uri,
};

let ada: Agent;
let adaId: string;
const app = fixture(() => startPagesApp({ security: { rateLimits: false } }));

beforeAll(async () => {
  ada = await app.personOf('ada');
  adaId = await app.idOf('ada');
});

const fold = ({ text }: Response) => /<details class="eas-about"[^>]*>[^]*?<\/details>/.exec(text)?.[0] ?? '';

const register = (fields = {}) => registerApplication(ada, fields);
const edit = (clientId: string, fields: object) => editApplication(ada, clientId, fields);

test('the form of an application sets no field that only the host may set', async () => {
  const hosts = {
    introspection: 'true',
    verified: 'true',
    owner_id: 'grace',
    tokens_per_hour: '5',
    pkce: 'optional',
    publisher: 'Me',
  };
  const clientId = clientIdIn(await register(hosts));
  expect(clientId).not.toBe('');
  await edit(clientId, { ...hosts, name: 'Another name' });
  const client = await app.clients.find(clientId);
  expect(client).toMatchObject({ name: 'Another name', trusted: false, ownerId: adaId });
  for (const name of ['introspection', 'verified', 'tokensPerHour', 'pkce', 'publisher'])
    expect(client).not.toHaveProperty(name);
});

test('the form of a new application has no scope ticked', async () => {
  const { text } = await ada.get(`${ROOT}/new`).expect(200);
  const boxes = text.match(/<input type="checkbox"[^>]*>/g) ?? [];
  expect(boxes.length).toBeGreaterThan(3);
  const ticked = boxes.filter((box) => box.includes('checked'));
  expect(ticked.map((box) => /name="(\w+)"/.exec(box)?.[1])).toEqual(['grant_type', 'grant_type']);
});

describe('the description, pages and logo of an application', () => {
  it('an application is registered with its description and links, which its page shows', async () => {
    const answer = await register(ABOUT);
    expect(answer.status).toBe(201);
    expect(await app.clients.find(clientIdIn(answer))).toMatchObject(STORED);
    const { text } = await ada.get(`${ROOT}/${clientIdIn(answer)}`).expect(200);
    for (const displayed of [STORED.description, 'Website', 'Logo', 'Privacy policy', 'Terms of service'])
      expect(text).toContain(displayed);
    expect(text).toContain('href="https://print.example/terms?a=1&amp;b=2"');
  });

  it('the description and links are optional, and their fold is closed while they are empty', async () => {
    expect(fold(await ada.get(`${ROOT}/new`))).toMatch(/^<details class="eas-about" id="application-about">/);
    const clientId = clientIdIn(await register());
    expect(Object.keys((await app.clients.find(clientId))!)).not.toEqual(
      expect.arrayContaining(['description']),
    );
    expect(fold(await ada.get(`${ROOT}/${clientId}/edit`))).not.toMatch(/^<details[^>]* open>/);
    await edit(clientId, ABOUT);
    expect(fold(await ada.get(`${ROOT}/${clientId}/edit`))).toMatch(/^<details[^>]* open>/);
  });

  it('an empty field removes the value, and a form without the field leaves it', async () => {
    const clientId = clientIdIn(await register(ABOUT));
    expect((await edit(clientId, { name: 'Prints' })).status).toBe(303);
    expect(await app.clients.find(clientId)).toMatchObject({ name: 'Prints', ...STORED });
    expect((await edit(clientId, { ...ABOUT, description: ' ', logo_uri: '' })).status).toBe(303);
    const { description: _gone, logoUri: _too, ...stored } = STORED;
    const found = await app.clients.find(clientId);
    expect(found).toMatchObject(stored);
    expect(found).not.toHaveProperty('description');
    expect(found).not.toHaveProperty('logoUri');
  });

  it.each([
    ['client_uri', 'http://print.example/', 'The address must begin with https://.'],
    ['client_uri', 'javascript:alert(1)', 'The address must begin with https://.'],
    ['policy_uri', '/privacy', 'It is not a complete address'],
    ['policy_uri', 'https:print.example/privacy', 'It is not a complete address'],
    ['tos_uri', 'https://print.example/our terms', 'It has a space or another character'],
    ['tos_uri', 'https://рrint.example/', 'It has a space or another character'],
    ['logo_uri', 'https://bank.example@evil.example/logo.png', 'It has a user name or a password'],
    ['logo_uri', `https://print.example/${'x'.repeat(2048)}`, 'It is longer than 2,048 characters'],
    ['description', 'x'.repeat(201), 'The description is longer than 200 characters.'],
    ['description', 'Prints\u202epostcards', 'The description has invisible or control characters.'],
  ])('a wrong value is refused at its field, in an open fold: %s %s', async (name, value, problem) => {
    const answer = await ada.get((await register({ ...ABOUT, [name]: value })).headers.location!);
    expect(answer.status).toBe(422);
    const id = `application-${name.replace('_', '-')}`;
    const displayed = fold(answer);
    expect(displayed).toMatch(/^<details[^>]* open>/);
    expect(new RegExp(`id="${id}-problem">(.*?)</div>`).exec(displayed)?.[1]).toContain(problem);
    expect(displayed).toMatch(new RegExp(`id="${id}"[^>]*aria-invalid="true"`));
    expect(answer.text).toContain(`<a href="#${id}">`);
    expect(displayed.match(/aria-invalid/g)).toHaveLength(1);
  });

  it('clients.create checks the description and links like the form', async () => {
    const shop = { name: 'Shop', redirectUris: ['https://print.example/callback'] };
    await expect(app.clients.create({ ...shop, policyUri: 'http://print.example/' })).rejects.toThrow(
      'The privacy policy: it must be an https: URL, or an http: URL on loopback.',
    );
    await expect(app.clients.create({ ...shop, description: 'x'.repeat(201) })).rejects.toThrow(
      'The description is longer than 200 characters.',
    );
    expect(await app.clients.create({ ...shop, ...STORED })).toMatchObject(STORED);
    const onLoopback = { logoUri: 'http://localhost:3001/logo.svg', clientUri: 'http://127.0.0.1:3001/' };
    expect(await app.clients.create({ ...shop, ...onLoopback })).toMatchObject(onLoopback);
  });
});

describe('an application that the site has verified', () => {
  const verified = async () => {
    const { clientId } = await app.clients.create({
      name: FORM.name,
      redirectUris: [FORM.redirect_uris],
      scopes: FORM.scope,
      grantTypes: FORM.grant_type,
      ownerId: adaId,
      verified: true,
      ...STORED,
    });
    return clientId;
  };

  it.each([
    ['changes the description', { description: 'Prints money.' }],
    ['links a page at another host', { policy_uri: 'https://elsewhere.example/privacy' }],
    ['sets a logo of another host', { logo_uri: 'https://bank.example/logo.png' }],
  ])('an application loses its verification if its owner %s', async (_what, change) => {
    const clientId = await verified();
    expect((await ada.get(`${ROOT}/${clientId}/edit`)).text).toContain('It has to be verified again');
    expect((await edit(clientId, { ...ABOUT, ...change })).status).toBe(303);
    expect(await app.clients.find(clientId)).toMatchObject({ verified: false });
  });

  it('an application stays verified if its owner changes a page at its host or removes one', async () => {
    const clientId = await verified();
    const change = { description: '', client_uri: '', policy_uri: 'https://print.example/new-privacy' };
    expect((await edit(clientId, { ...ABOUT, ...change })).status).toBe(303);
    expect(await app.clients.find(clientId)).toMatchObject({
      verified: true,
      policyUri: 'https://print.example/new-privacy',
    });
  });
});

describe('the pages of an application on the consent page', () => {
  const site = siteFor({ security: { rateLimits: false } });
  const person = fixture(() => logInPerson(site));

  const consentFor = async (clientId: string) =>
    (
      await person.openAuthorize({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: 'https://print.example/callback',
      })
    ).text;

  it('the consent page links pages at the redirect’s host, all others after verification', async () => {
    const { clientId } = await site.oauth.clients.create({
      name: 'Prints',
      redirectUris: ['https://print.example/callback'],
      ...STORED,
      tosUri: 'https://elsewhere.example/terms',
    });
    const before = await consentFor(clientId);
    expect(before).toContain('<a href="https://print.example/privacy" rel="noreferrer">Privacy policy</a>');
    expect(before).toContain('<a href="https://print.example/" rel="noreferrer">Website</a>');
    expect(before).not.toContain('elsewhere.example');
    expect(before).not.toContain(STORED.description);
    await site.oauth.clients.update(clientId, { verified: true });
    const after = await consentFor(clientId);
    expect(after).toContain(
      '<a href="https://elsewhere.example/terms" rel="noreferrer">Terms of service</a>',
    );
    expect(after).toContain(STORED.description);
  });

  it('a consent form from before a page was changed decides nothing', async () => {
    const { clientId } = await site.oauth.clients.create({
      name: 'Prints',
      redirectUris: ['https://print.example/callback'],
      ...STORED,
    });
    const digest = (text: string) => /name="shown" value="([^"]+)"/.exec(text)?.[1];
    const displayed = digest(await consentFor(clientId));
    expect(digest(await consentFor(clientId))).toBe(displayed);
    await site.oauth.clients.update(clientId, { tosUri: 'https://print.example/other-terms' });
    expect(digest(await consentFor(clientId))).not.toBe(displayed);
  });
});
