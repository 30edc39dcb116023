import { expect, test } from '@jest/globals';

import {
  codeQuery,
  createPerson,
  hiddenFields,
  logInPerson,
  type Person,
  postForm,
} from '../support/person.js';
import { fixture, siteFor } from '../support/site-for.js';
import { createVisitor } from '../support/visitor.js';

const LIST = '/oauth/authorizations';
const TITLES = { en: 'Connected apps', de: 'Verbundene Apps', ar: 'التطبيقات المرتبطة' };
let detail: string | undefined;

const site = siteFor({ people: { name: () => 'Alex Kim', detail: () => detail } });
const shop = fixture(() => site.client());

const query = (more: Record<string, string> = {}) => codeQuery(shop, more);
const logIn = (): Promise<Person> => logInPerson(site);

test.each([
  ['alex@<b>.example', 'Alex Kim (alex@&lt;b&gt;.example)'],
  ['Alex Kim', 'Alex Kim'],
  ['', 'Alex Kim'],
  [undefined, 'Alex Kim'],
])('pages tell people with one name apart by people.detail: %j', async (given, displayed) => {
  detail = given;
  const person = await logIn();
  const terms = `<strong><bdi>${displayed}</bdi></strong>`;
  expect((await person.openAuthorize(query())).text).toContain(terms);
  expect((await person.openAuthorize(query({ prompt: 'select_account' }))).text).toContain(terms);
  expect((await person.agent.get(LIST)).text).toContain(terms);
});

test('the language of a client’s request stays for the person’s next pages', async () => {
  const person = await logIn();
  const titleOf = async (path = LIST, { agent } = person) =>
    /<h1>([^<]+)</.exec((await agent.get(path)).text)?.[1];
  expect(await titleOf()).toBe(TITLES.en);
  const consent = await person.openAuthorize(query({ ui_locales: 'xx de' }));
  expect(consent.headers['content-language']).toBe('de');
  expect(await titleOf()).toBe(TITLES.de);
  // also behind a form
  await person.authorize(query());
  const fields = { ...hiddenFields(await person.agent.get(LIST)), client_id: shop.clientId };
  const sent = await postForm(person.agent, `${LIST}/revoke`, fields);
  expect(await titleOf(String(sent.headers.location))).toBe(TITLES.de);
  expect(await titleOf(`${LIST}?ui_locales=ar`)).toBe(TITLES.ar);
  expect(await titleOf()).toBe(TITLES.ar);
  expect(await titleOf(LIST, await logIn())).toBe(TITLES.en);
});

test('an unknown language in ui_locales changes nothing', async () => {
  const person = await logIn();
  const { headers } = await person.agent.get(`${LIST}?ui_locales=tlh`).set('Accept-Language', 'fr');
  expect(headers['content-language']).toBe('fr');
  expect((await person.agent.get(LIST)).headers['content-language']).toBe('en');
});

test('ui_locales stores nothing for a visitor without a session', async () => {
  const { agent } = createPerson(site);
  const { headers } = await agent.get(`/oauth/authorize?client_id=nobody&ui_locales=de`);
  expect(headers['content-language']).toBe('de');
  expect(headers['set-cookie']).toBeUndefined();
});

test('the query of the list of connected apps survives the login', async () => {
  const visitor = createVisitor(site);
  const { headers } = await visitor.agent.get(`${LIST}?q=shop&ui_locales=de`);
  const returnTo = `${LIST}?q=shop&ui_locales=de`;
  expect(headers.location).toBe(`/login?return_to=${encodeURIComponent(returnTo)}`);
});
