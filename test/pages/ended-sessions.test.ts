import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';

import { openDeviceSite, PAGE } from '../support/device.js';
import { type PagesApp, passwordOf, startPagesApp } from '../support/pages-app.js';
import { createPerson, hiddenFields, postForm, unescapeHtml } from '../support/person.js';
import { fixture } from '../support/site-for.js';

const ROOT = '/oauth/applications';
const TYPED = {
  name: 'My "lamp" & more',
  type: 'public',
  redirect_uris: 'https://lamp.example/\r\nhttps://lamp.example/2',
  scope: ['photos:read', 'photos:write'],
  grant_type: 'authorization_code',
};

type Agent = ReturnType<PagesApp['agent']>;

let own: string;
const app = fixture(() => startPagesApp({ security: { rateLimits: false } }));

beforeAll(async () => {
  const owner = await app.users.verify('ada', passwordOf('ada'));
  const { clientId } = await app.clients.create({
    name: 'Archive',
    ownerId: owner!.id,
    redirectUris: ['https://archive.example/callback'],
  });
  own = `${ROOT}/${clientId}`;
});

const post = (agent: Agent, path: string, fields: object, from = 'same-origin') =>
  agent.post(path).set('Sec-Fetch-Site', from).type('form').send(fields);
async function logIn(agent: Agent): Promise<void> {
  const form = hiddenFields(await agent.get('/login'));
  await post(agent, '/login', { ...form, username: 'ada', password: passwordOf('ada') }).expect(303);
}
/** The hidden fields of a page as a browser sends them, with a list for repeated fields. */
function storedIn({ text }: Response): Record<string, string[]> {
  const stored: Record<string, string[]> = {};
  for (const [, name = '', value = ''] of text.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g))
    (stored[name] ??= []).push(unescapeHtml(value));
  return stored;
}
const expectTyped = ({ text }: Response) => {
  expect(text).toContain('value="My &#34;lamp&#34; &amp; more"');
  expect(text).toMatch(/https:\/\/lamp\.example\/\r?\nhttps:\/\/lamp\.example\/2<\/textarea>/);
};
const countOf = (name: string) => app.database.collection('oauth_clients').countDocuments({ name });

describe('a form of another session', () => {
  it('a form of another session is shown again with its values, and then works', async () => {
    const ada = await app.personOf('ada');
    const displayed = await post(ada, ROOT, { ...TYPED, csrf_token: 'of an old session' });
    expect(displayed.status).toBe(403);
    expectTyped(displayed);
    expect(displayed.text).toContain('id="form-notice"');
    expect(displayed.text).toMatch(/value="public" checked/);
    expect(displayed.text).not.toMatch(/value="refresh_token" checked/);
    expect(await countOf(TYPED.name)).toBe(0);
    await post(ada, ROOT, { ...hiddenFields(displayed), ...TYPED }).expect(201);
    expect(await countOf(TYPED.name)).toBe(1);
  });

  it('forms of another session that change or delete an application are shown again', async () => {
    const ada = await app.personOf('ada');
    const edited = await post(ada, `${own}/edit`, TYPED);
    expect(edited.status).toBe(403);
    expectTyped(edited);
    const deleted = await post(ada, `${own}/delete`, { confirmation: 'Archive' });
    expect(deleted.status).toBe(403);
    expect(deleted.text).toContain('id="form-notice"');
    expect(await countOf('Archive')).toBe(1);
  });

  it.each(['cross-site', 'same-site'])(
    'a form of another session is not shown again if another site sent it (%s)',
    async (from) => {
      const ada = await app.personOf('ada');
      const answer = await post(ada, ROOT, TYPED, from);
      expect(answer.status).toBe(403);
      expect(answer.text).not.toContain('lamp.example');
    },
  );

  it('a login form of another session retains the user name and no password', async () => {
    const displayed = await post(app.agent(), '/login', {
      username: 'Ada L',
      password: 'not my password',
      csrf_token: 'of an old session',
    });
    expect(displayed.status).toBe(403);
    expect(displayed.text).toContain('value="Ada L"');
    expect(displayed.text).not.toContain('not my password');
  });
});

describe('a form after the end of the login', () => {
  it('a form without a session waits on a page until a login in another tab', async () => {
    const agent = app.agent();
    const waiting = await post(agent, ROOT, {
      ...TYPED,
      csrf_token: 'of an old session',
      password: 'secret',
    });
    expect(waiting.status).toBe(403);
    expect(waiting.headers['set-cookie']).toBeUndefined();
    expect(waiting.text).toContain(`href="${ROOT}" target="_blank"`);
    const stored = storedIn(waiting);
    expect(Object.keys(stored)).toEqual(['name', 'type', 'redirect_uris', 'scope', 'grant_type']);
    await logIn(agent);
    const displayed = await post(agent, ROOT, stored);
    expect(displayed.status).toBe(403);
    expectTyped(displayed);
    const sent = await post(agent, ROOT, { ...hiddenFields(displayed), ...TYPED, name: 'After the login' });
    expect(sent.status).toBe(201);
  });

  it('a form for an existing application waits like one for a new application', async () => {
    const agent = app.agent();
    const waiting = await post(agent, `${own}/edit`, TYPED);
    expect(waiting.text).toContain(`action="${own}/edit"`);
    await logIn(agent);
    expectTyped(await post(agent, `${own}/edit`, storedIn(waiting)));
  });

  it('a form from another site without a session leads only to the login', async () => {
    for (const [path, form] of [
      [ROOT, `${ROOT}/new`],
      [`${own}/edit`, `${own}/edit`],
      [`${own}/verify`, own],
    ] as const) {
      const answer = await post(app.agent(), path, TYPED, 'cross-site');
      expect([answer.status, answer.text.includes('lamp.example')]).toEqual([303, false]);
      expect(answer.headers.location).toContain(`return_to=${encodeURIComponent(form)}`);
    }
  });

  it('the form of a device without a session leads back with the user code', async () => {
    await using site = await openDeviceSite();
    const { agent } = createPerson(site);
    const sent = await postForm(agent, PAGE, { user_code: 'wdjb mjht' });
    expect(sent.status).toBe(303);
    const way = new URL(String(sent.headers.location), site.url).searchParams.get('return_to');
    expect(way).toBe(`${PAGE}?user_code=WDJB-MJHT`);
  });
});
