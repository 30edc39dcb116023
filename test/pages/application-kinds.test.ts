import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { createPerson, hiddenFields, type Person } from '../support/person.js';
import { openSite, type Site } from '../support/site.js';

const ROOT = '/oauth/applications';
const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';

/** The kinds that the form offers, the one that it is open for, and what is ticked. */
function formOf(text: string) {
  const links = [...text.matchAll(/<a id="kind-(\w+)" href="\?kind=\1"( aria-current="true")?>/g)];
  const ticked = (name: string) =>
    [...text.matchAll(new RegExp(`name="${name}" value="([^"]+)" checked`, 'g'))].map(([, value]) => value);
  return {
    kinds: links.map(([, name]) => name),
    current: links.find(([, , isCurrent]) => isCurrent !== undefined)?.[1],
    type: ticked('type'),
    grantTypes: ticked('grant_type'),
    scopes: ticked('scope'),
    isFolded: /<details class="eas-technical" id="application-technical">/.test(text),
  };
}

describe('the form of a new application begins with its kind', () => {
  let site: Site;
  let defaultValue: Site;
  let ada: Person;
  let grace: Person;
  beforeAll(async () => {
    const grantTypes = ['authorization_code', 'refresh_token', 'client_credentials', DEVICE_CODE] as const;
    site = await openSite({ grantTypes, applications: { grantTypes } });
    defaultValue = await openSite();
    [ada, grace] = [createPerson(site), createPerson(defaultValue)];
    await ada.logIn('ada');
    await grace.logIn('grace');
  });
  afterAll(async () => {
    await site.close();
    await defaultValue.close();
  });
  const open = async (query = '', person = ada) =>
    formOf((await person.agent.get(`${ROOT}/new${query}`).expect(200)).text);

  it('all that developers can register here, a web app first, and no others', async () => {
    const form = await open();
    expect(form.kinds).toEqual(['web', 'browser', 'native', 'device', 'service']);
    expect((await open('', grace)).kinds).toEqual(['web', 'browser', 'native']);
    expect((await open('?kind=service', grace)).current).toBe('web');
  });

  it.each([
    ['web', 'confidential', ['authorization_code', 'refresh_token']],
    ['browser', 'public', ['authorization_code', 'refresh_token']],
    ['native', 'public', ['authorization_code', 'refresh_token']],
    ['device', 'public', [DEVICE_CODE, 'refresh_token']],
    ['service', 'confidential', ['client_credentials']],
  ])('%s: it sets the type and the grant types, and no scope', async (kind, type, grantTypes) => {
    const form = await open(`?kind=${kind}`);
    expect(form).toMatchObject({ current: kind, type: [type], scopes: [], isFolded: true });
    expect([...form.grantTypes].sort()).toEqual([...grantTypes].sort());
  });

  it.each(['?kind=nothing', '?kind[a]=b', '?kind=web&kind=service', ''])(
    '%s opens a web app',
    async (query) => {
      expect((await open(query)).current).toBe('web');
    },
  );

  const send = async (fields: Record<string, unknown>) => {
    const { text } = await ada.agent.get(`${ROOT}/new?kind=service`);
    const hidden = hiddenFields({ text });
    return ada.agent
      .post(ROOT)
      .type('form')
      .send({ ...hidden, name: 'Night service', ...fields });
  };

  it('a service is registered without a redirect URI; without a scope it is told that it can ask for nothing', async () => {
    const answer = await send({ type: 'confidential', grant_type: 'client_credentials' });
    expect(answer.status).toBe(201);
    expect(answer.text).toContain('id="application-asks-nothing"');
    const withScope = await send({
      name: 'Day service',
      type: 'confidential',
      grant_type: 'client_credentials',
      scope: 'photos:read',
    });
    expect(withScope.text).not.toContain('id="application-asks-nothing"');
  });

  it('a refused form shows what was sent, unfolded, and claims no kind', async () => {
    const refused = await send({ name: '', type: 'public', grant_type: 'authorization_code' });
    const { text } = await ada.agent.get(refused.headers.location ?? '').expect(422);
    expect(formOf(text)).toMatchObject({ current: undefined, type: ['public'], isFolded: false });
  });

  it('authorization_code is called what it is', async () => {
    const { text } = await ada.agent.get(`${ROOT}/new`);
    expect(text).toMatch(/Ask users for access <code>authorization_code<\/code>/);
  });
});

describe('an owner', () => {
  it('is called by name on the page of their own application, even if the site finds nobody', async () => {
    const site = await openSite({ people: { name: () => 'Ada Lovelace' } });
    const ada = createPerson(site);
    await ada.logIn('ada');
    const { clientId } = await site.client({ ownerId: 'ada' });
    const { text } = await ada.agent.get(`${ROOT}/${clientId}`).expect(200);
    expect(/class="eas-owners"[^]*?<\/ul>/.exec(text)?.[0]).toContain('Ada Lovelace');
    await site.close();
  });
});
