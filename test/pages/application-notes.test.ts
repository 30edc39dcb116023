import { beforeAll, describe, expect, it } from '@jest/globals';
import session from 'express-session';

import { editApplication, openNewApplication, ROOT } from '../support/applications.js';
import { type PagesApp, passwordOf, startPagesApp } from '../support/pages-app.js';
import { hiddenFields, pageAfter, postForm } from '../support/person.js';
import { fixture } from '../support/site-for.js';

type Agent = ReturnType<PagesApp['agent']>;

const SAVED = 'Your changes are saved.';

const store = new session.MemoryStore();
let ada: Agent;
let adaId: string;
const app = fixture(() => startPagesApp({ security: { rateLimits: false }, store }));

beforeAll(async () => {
  ada = await app.personOf('ada');
  adaId = (await app.users.verify('ada', passwordOf('ada')))!.id;
});

interface Stored {
  readonly oauthNotes?: readonly unknown[];
  readonly passport?: { readonly user?: string };
}
const sessions = () => (store as unknown as { readonly sessions: Record<string, string> }).sessions;
const sessionsBy = (fits: (stored: Stored) => boolean) =>
  Object.entries(sessions())
    .map(([id, stored]) => [id, JSON.parse(stored) as Stored] as const)
    .filter(([, stored]) => fits(stored));
const create = async () => {
  const { clientId } = await app.clients.create({
    name: 'Prints',
    ownerId: adaId,
    redirectUris: ['https://print.example/callback'],
  });
  return `${ROOT}/${clientId}`;
};
const save = async (path: string) => {
  const answer = await editApplication(ada, path.slice(ROOT.length + 1), { name: 'Prints' });
  expect(answer.status).toBe(303);
  return answer;
};
const noteIn = ({ text }: { readonly text: string }) =>
  /<p class="eas-notice" role="status">([^<]*)</.exec(text)?.[1];
const noteAt = async (path: string, agent = ada) => noteIn(await agent.get(path).expect(200));

describe('the notice after a form of the applications pages', () => {
  it('a notice appears once on the next page: not after a reload, and a HEAD leaves it', async () => {
    const path = await create();
    expect((await save(path)).headers.location).toBe(path);
    await ada.head(path).expect(200);
    expect(await noteAt(ROOT)).toBeUndefined();
    expect([await noteAt(path), await noteAt(path)]).toEqual([SAVED, undefined]);
  });

  it('a link with a note parameter shows no notice', async () => {
    const path = await create();
    for (const note of [
      'deleted',
      'saved',
      'registered',
      'verified',
      'disconnected',
      'left',
      'invitationgone',
    ])
      for (const page of [ROOT, path]) expect(await noteAt(`${page}?note=${note}`)).toBeUndefined();
  });

  it('each of two simultaneous forms gets its notice in its tab', async () => {
    const [one, other] = [await create(), await create()];
    for (const path of [one, other]) await save(path);
    expect([await noteAt(one), await noteAt(other)]).toEqual([SAVED, SAVED]);
  });

  it('a notice appears to nobody else, even if a host keeps a session across logins', async () => {
    await app.personOf('grace');
    const others = sessionsBy((stored) => stored.oauthNotes === undefined && stored.passport?.user !== adaId);
    const path = `${await create()}/delete`;
    const form = { ...hiddenFields(await ada.get(path)), confirmation: 'Prints' };
    await postForm(ada, path, form).expect(303);
    const [[id, stored] = []] = sessionsBy(({ oauthNotes }) => oauthNotes !== undefined);
    const asAda = stored!.passport;
    sessions()[id!] = JSON.stringify({ ...stored, passport: others[0]![1].passport });
    expect(await noteAt(ROOT)).toBeUndefined();
    sessions()[id!] = JSON.stringify({ ...JSON.parse(sessions()[id!]!), passport: asAda });
    expect(await noteAt(ROOT)).toBeUndefined();
  });

  it('a cookie session stores at most three notices', async () => {
    for (let tabs = 0; tabs < 4; tabs += 1) await save(await create());
    const [[, stored] = []] = sessionsBy(({ oauthNotes }) => oauthNotes !== undefined);
    expect(stored?.oauthNotes).toHaveLength(3);
    expect(JSON.stringify(stored?.oauthNotes).length).toBeLessThan(600);
  });
});

it.each([
  ['confidential', 'This application was registered before: the form was sent twice. Its secret was shown'],
  ['public', 'This application was registered before: the form was sent twice.'],
])('the second submission of a %s application says once that it exists', async (type, said) => {
  const send = await openNewApplication(ada, { type });
  const { headers } = await send().expect(201);
  const repeated = await send().expect(303);
  expect(repeated.headers.location).toBe(headers.location);
  const note = noteIn(await pageAfter(ada, repeated));
  expect(note?.slice(0, said.length)).toBe(said);
  expect(note?.includes('secret')).toBe(type === 'confidential');
  expect(await noteAt(headers.location!)).toBeUndefined();
});
