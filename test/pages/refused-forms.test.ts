import { beforeAll, describe, expect, it } from '@jest/globals';
import session, { type SessionData } from 'express-session';
import type { Response } from 'supertest';

import { letPass } from '../support/clock.js';
import { openDeviceSite, PAGE, personOf } from '../support/device.js';
import { type PagesApp, passwordOf, startPagesApp } from '../support/pages-app.js';
import { hiddenFields, pageAfter, postForm } from '../support/person.js';
import { fixture } from '../support/site-for.js';

type Agent = ReturnType<PagesApp['agent']>;

/** Writes slowly, like a store over a network, and records the written data. */
class WatchedStore extends session.MemoryStore {
  written = '';
  override set(id: string, data: SessionData, done?: (error?: unknown) => void): void {
    this.written += JSON.stringify(data);
    setTimeout(() => super.set(id, data, done), 20);
  }
}

const ROOT = '/oauth/applications';
const PLAIN = {
  name: 'Printing shop',
  type: 'confidential',
  redirect_uris: 'https://print.example/callback',
  scope: 'photos:read',
  grant_type: 'authorization_code',
};
const SECRET_KEY = '{"keys":[{"kty":"EC","crv":"P-256","x":"x","y":"y","d":"a private number"}]}';

const store = new WatchedStore();
let ada: Agent;
let own: string;
const app = fixture(() =>
  startPagesApp({
    store,
    security: { rateLimits: false },
  }),
);

beforeAll(async () => {
  ada = await app.personOf('ada');
  const owner = await app.users.verify('ada', passwordOf('ada'));
  const { clientId } = await app.clients.create({
    name: 'Archive',
    ownerId: owner!.id,
    redirectUris: ['https://archive.example/callback'],
  });
  own = `${ROOT}/${clientId}`;
});

/** A form: its page, its action, and input that is refused. */
interface Form {
  readonly page: string;
  readonly action: string;
  readonly typed: Readonly<Record<string, unknown>>;
  /** Texts that the page contains only after the refusal. */
  readonly said: readonly string[];
}
const FORMS: Readonly<Record<string, () => Form>> = {
  login: () => ({
    page: '/login?return_to=%2Falbum',
    action: '/login',
    typed: { username: 'Ada L', password: 'not my password' },
    said: ['The user name or the password is not right', 'value="Ada L"'],
  }),
  'a new application': () => ({
    page: `${ROOT}/new`,
    action: ROOT,
    typed: { ...PLAIN, name: 'My lamp', redirect_uris: 'http://lamp.example/' },
    said: ['id="problem-summary"', 'value="My lamp"', 'http://lamp.example/</textarea>'],
  }),
  'a changed application': () => ({
    page: `${own}/edit`,
    action: `${own}/edit`,
    typed: { ...PLAIN, name: 'My new lamp', redirect_uris: 'nonsense' },
    said: ['id="problem-summary"', 'value="My new lamp"', 'nonsense</textarea>'],
  }),
  'deleting an application': () => ({
    page: `${own}/delete`,
    action: `${own}/delete`,
    typed: { confirmation: 'Archives' },
    said: ['That is not its name', 'aria-invalid="true" autofocus'],
  }),
};
const agentFor = (form: Form) => (form.action === '/login' ? app.agent() : ada);

async function send(agent: Agent, { page, action, typed }: Form, more: object = {}): Promise<Response> {
  const displayed = await agent.get(page).expect(200);
  return postForm(agent, action, { ...hiddenFields(displayed), ...typed, ...more });
}

function expectRefused({ status, text }: Response, { said }: Form): void {
  expect(status).toBe(422);
  for (const terms of said) expect(text).toContain(terms);
}

function expectFresh({ status, text }: Response, { said }: Form): void {
  expect(status).toBe(200);
  for (const terms of said) expect(text).not.toContain(terms);
}

describe.each(Object.entries(FORMS))('%s, refused for its values', (_name, formOf) => {
  it('a refused form redirects to its page, which shows the values once', async () => {
    const form = formOf();
    const agent = agentFor(form);
    const sent = await send(agent, form);
    expect([sent.status, sent.text, sent.headers.location]).toEqual([303, '', form.page]);
    expectRefused(await agent.get(form.page), form);
    expectFresh(await agent.get(form.page), form);
  });

  it('the page of a refused form shows its values for a minute', async () => {
    const form = formOf();
    const agent = agentFor(form);
    await send(agent, form);
    letPass(60);
    expectFresh(await agent.get(form.page), form);
  });

  it('a HEAD does not use up the values of a refused form', async () => {
    const form = formOf();
    const agent = agentFor(form);
    await send(agent, form);
    await agent.head(form.page);
    expectRefused(await agent.get(form.page), form);
  });

  it('a form of another session is answered directly, and nothing is stored', async () => {
    const form = formOf();
    const agent = agentFor(form);
    store.written = '';
    expect((await send(agent, form, { csrf_token: 'x'.repeat(64) })).status).toBe(403);
    expect(store.written).not.toContain('oauthRefusedForms');
    expectFresh(await agent.get(form.page), form);
  });

  it('the values of a refused form appear in no other form and no other browser', async () => {
    const form = formOf();
    const agent = agentFor(form);
    await send(agent, form);
    for (const [other, otherOf] of Object.entries(FORMS))
      if (other !== 'login' && form.action !== '/login' && otherOf().page !== form.page)
        expectFresh(await agent.get(otherOf().page), form);
    if (form.action === '/login') expectFresh(await agent.get('/login?return_to=%2Fother'), form);
    if (form.action === '/login' || form.action === ROOT)
      expectFresh(
        await (form.action === ROOT ? await app.personOf('ada') : app.agent()).get(form.page),
        form,
      );
    expectRefused(await agent.get(form.page), form);
  });
});

describe('the session’s data of refused forms', () => {
  it('the session stores no password of a refused form', async () => {
    store.written = '';
    await send(app.agent(), FORMS.login!());
    await send(app.agent(), FORMS.login!(), { username: '' });
    expect(store.written).toContain('Ada L');
    expect(store.written).not.toContain('not my password');
  });

  it.each([
    ['a private key', { jwks: SECRET_KEY }],
    ['a private key beside another method', { jwks: SECRET_KEY, authentication: 'secret', name: '' }],
    ['a private key of a public application', { jwks: SECRET_KEY, type: 'public', name: '' }],
    ['a truncated private key', { jwks: SECRET_KEY.slice(0, -3) }],
    ['a private key in another format', { jwks: '-----BEGIN PRIVATE KEY----- a private number' }],
    ['a key before a public one', { jwks: `{"keys":"a private number","keys":[{"kty":"EC"}]}`, name: '' }],
    ['a key beside a public one', { jwks: `{"d":"a private number","keys":[{"kty":"EC"}]}`, name: '' }],
  ])('the session does not store %s pasted as public keys', async (_what, fields) => {
    store.written = '';
    const typed = { ...PLAIN, authentication: 'jwks', ...fields };
    const form = { page: `${ROOT}/new`, action: ROOT, typed, said: ['problem-summary'] };
    expectRefused(await pageAfter(ada, await send(ada, form)), form);
    expect(store.written).not.toContain('a private number');
  });

  it('the session stores public keys, which the form shows formatted', async () => {
    const jwks = '{"kty":"EC","crv":"P-256","x":"x","y":"y"}';
    const typed = { ...PLAIN, authentication: 'jwks', jwks, name: '' };
    const form = { page: `${ROOT}/new`, action: ROOT, typed, said: ['&#34;crv&#34;: &#34;P-256&#34;'] };
    const sent = await send(ada, form);
    expect(sent.status).toBe(303);
    expectRefused(await pageAfter(ada, sent), form);
  });

  it('a refused form of more than 8 KB is answered by the POST and not stored', async () => {
    const lines = 'nonsense\n'.repeat(1000);
    const form = {
      page: `${ROOT}/new`,
      action: ROOT,
      typed: { ...PLAIN, redirect_uris: lines },
      said: [`${lines}</textarea>`],
    };
    store.written = '';
    expectRefused(await send(ada, form), form);
    expect(store.written).not.toContain('nonsense');
  });

  it('the session stores three refused forms', async () => {
    const agent = app.agent();
    const forms = [1, 2, 3, 4].map((number) => ({
      ...FORMS.login!(),
      page: `/login?return_to=%2F${number}`,
    }));
    for (const form of forms) await send(agent, form);
    expectFresh(await agent.get(forms[0]!.page), forms[0]!);
    for (const form of forms.slice(1)) expectRefused(await agent.get(form.page), form);
  });
});

describe('a refused login as somebody else', () => {
  it('a refused login of a person who is logged in shows the reason and a way on', async () => {
    const form = FORMS.login!();
    const agent = await app.personOf('ada');
    const late = await postForm(agent, '/login', { return_to: '/album' });
    const sent = await postForm(agent, '/login', { ...hiddenFields(late), ...form.typed });
    const page = await pageAfter(agent, sent);
    expectRefused(page, form);
    expect(page.text).toContain('id="login-continue" href="/album"');
    expect((await agent.get(form.page).expect(303)).headers.location).toBe('/album');
  });
});

describe('the wrong user code of a device', () => {
  const site = fixture(() => openDeviceSite());

  beforeAll(() => {
    site.app.get('/session', (req, res) => void res.json((req as { session?: unknown }).session));
  });

  it('a wrong user code redirects to its page, with the code in the address only', async () => {
    const { agent } = await personOf(site);
    const form = { ...hiddenFields(await agent.get(PAGE)), user_code: 'bbbb bbbb' };
    const sent = await postForm(agent, PAGE, form);
    expect([sent.status, sent.headers.location]).toEqual([303, `${PAGE}?user_code=BBBB-BBBB`]);
    expect((await agent.get('/session')).text).not.toMatch(/bbbb/i);
    const page = await pageAfter(agent, sent);
    expect(page.status).toBe(422);
    expect(page.text).toMatch(
      /value="BBBB-BBBB"[^>]*autofocus[^>]*"user-code-problem [^>]* aria-invalid="true"/,
    );
    expect(page.text).toContain('id="languages"');
    // a reload opens only the address, which somebody else could have sent
    const reloaded = await pageAfter(agent, sent);
    expect(reloaded.status).toBe(200);
    expect(reloaded.text).not.toContain('user-code-problem');
    expect(reloaded.text).not.toContain('autofocus');
  });

  it('an unreadable user code is answered by the POST, without a redirect', async () => {
    const { agent } = await personOf(site);
    const form = { ...hiddenFields(await agent.get(PAGE)), user_code: 'code: WDJB-MJHT' };
    const sent = await postForm(agent, PAGE, form);
    expect(sent.status).toBe(422);
    expect(sent.text).toContain('value="code: WDJB-MJHT"');
    expect(sent.text).toMatch(/<title>Error: Connect a device/);
    // the input was never a code, so it cannot have expired
    expect(sent.text).toContain('A code has eight letters');
    expect(sent.text).not.toContain('has expired');
    expect((await agent.get('/session')).text).not.toContain('WDJB');
  });
});
