import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';

import {
  clientIdIn,
  editApplication,
  FORM,
  openNewApplication,
  registerApplication,
  ROOT,
  secretIn,
} from '../support/applications.js';
import { closePagesApps, type PagesApp, startPagesApp } from '../support/pages-app.js';
import { hiddenFields, pageAfter, postForm } from '../support/person.js';
import { fixture } from '../support/site-for.js';

type Agent = ReturnType<PagesApp['agent']>;

const PLAIN = {
  ...FORM,
  redirect_uris: 'https://print.example/callback\r\nhttp://127.0.0.1/callback',
  grant_type: ['authorization_code', 'refresh_token'],
};

let ada: Agent;
let grace: Agent;
const app = fixture(() =>
  startPagesApp({
    security: { rateLimits: false },
    applications: { grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'] },
  }),
);

beforeAll(async () => {
  ada = await app.personOf('ada');
  grace = await app.personOf('grace');
});
afterAll(closePagesApps);

const clientCount = () => app.database.collection('oauth_clients').countDocuments();

/** Opens the form and sends it, with these changes to a plain registration. */
const register = (agent = ada, fields = {}) => registerApplication(agent, { ...PLAIN, ...fields });

/** Opens a page and sends its last form. */
async function sendForm(
  agent: Agent,
  page: string,
  action: string,
  fields: Record<string, unknown> = {},
): Promise<Response> {
  const form = hiddenFields(await agent.get(page));
  return postForm(agent, action, { ...form, ...fields });
}

describe('registering an application (RFC 6749 §2)', () => {
  it('a new application gets a client id and a working secret, which appears once', async () => {
    const answer = await register();
    expect(answer.status).toBe(201);
    const clientId = clientIdIn(answer);
    expect(answer.headers.location).toBe(`${ROOT}/${clientId}`);
    expect(secretIn(answer)).toMatch(/^eas_cs_/);
    expect(answer.headers['cache-control']).toBe('no-store');
    const client = await app.clients.find(clientId);
    expect(client).toMatchObject({
      name: 'Printing shop',
      type: 'confidential',
      redirectUris: ['https://print.example/callback', 'http://127.0.0.1/callback'],
      scopes: ['photos:read'],
      grantTypes: ['authorization_code', 'refresh_token'],
      trusted: false,
    });
    const again = await ada.get(`${ROOT}/${clientId}`).expect(200);
    expect(secretIn(again)).toBeUndefined();
    expect(again.text).not.toContain('eas_cs_');
  });

  it('a new public application gets no secret', async () => {
    const answer = await register(ada, { type: 'public' });
    expect(answer.status).toBe(201);
    expect(secretIn(answer)).toBeUndefined();
    expect(answer.text).not.toContain('application-rotate');
  });

  it('the form of a new application explains the scopes and grant types of the server', async () => {
    const { text } = await ada.get(`${ROOT}/new`).expect(200);
    expect(text).toContain('See your photos <code>photos:read</code>');
    expect(text).toContain('Act for itself <code>client_credentials</code>');
    expect(text).not.toContain('value="implicit"');
    for (const id of [
      'application-form',
      'application-name',
      'application-redirect-uris',
      'application-submit',
    ])
      expect(text).toContain(`id="${id}"`);
  });

  it('a form that is sent three times makes one application', async () => {
    const send = await openNewApplication(ada);
    const before = await clientCount();
    const answers = await Promise.all([send(), send(), send()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 303, 303]);
    expect(await clientCount()).toBe(before + 1);
    const repeated = await ada.get((await send()).headers.location!).expect(200);
    expect(repeated.text).toContain('Its secret was shown once only');
  });

  it('all problems appear at once beside their fields, with the typed values', async () => {
    const before = await clientCount();
    const sent = await register(ada, {
      name: '',
      redirect_uris: 'http://print.example/cb\nhttps://ok.example/cb',
      grant_type: 'client_credentials',
      type: 'public',
      scope: 'photos:write',
    });
    const answer = await pageAfter(ada, sent);
    expect([sent.status, answer.status]).toEqual([303, 422]);
    expect(answer.text).toContain('role="alert" id="problem-summary"');
    expect(answer.text).toMatch(
      /id="application-name"[^>]*aria-describedby="[^"]*application-name-problem"[^>]*aria-invalid="true"/,
    );
    expect(answer.text).toMatch(/id="application-redirect-uris"[^>]*aria-invalid="true"/);
    expect(answer.text).toContain('A public application cannot act for itself');
    expect(answer.text).toContain('http://print.example/cb\nhttps://ok.example/cb</textarea>');
    expect(answer.text).toMatch(/value="public" checked/);
    expect(answer.text).toMatch(/value="photos:write" checked/);
    expect(answer.text).not.toMatch(/value="photos:read" checked/);
    expect(await clientCount()).toBe(before);
    // the corrected form makes one application
    await postForm(ada, ROOT, { ...hiddenFields(answer), ...PLAIN }).expect(201);
  });

  it('the form of a new application ignores fields of the host', async () => {
    const answer = await register(ada, {
      trusted: 'true',
      ownerId: 'somebody',
      owner_id: 'somebody',
      clientId: 'chosen',
      client_id: 'chosen',
      clientSecret: 'chosen',
      _id: 'chosen',
    });
    const client = await app.clients.find(clientIdIn(answer));
    expect(client).toMatchObject({ trusted: false });
    expect(client?.ownerId).not.toBe('somebody');
    expect(await app.clients.find('chosen')).toBeNull();
  });

  it('nobody can choose a client id, such as that of another client', async () => {
    const theirs = clientIdIn(await register(grace));
    const answer = await register(ada, { submission: theirs });
    expect(answer.status).toBe(201);
    expect(clientIdIn(answer)).not.toBe(theirs);
    // the same submission by another person makes another application
    expect((await register(grace, { submission: theirs })).status).toBe(201);
    for (const submission of [
      '',
      'x',
      `${theirs}0`,
      theirs.toUpperCase(),
      "' || 1",
      '00000000-0000-0000-0000-000000000000\n',
    ])
      expect((await register(ada, { submission })).status).toBe(400);
  });

  it('the 51st application of a developer is refused', async () => {
    const keen = await startPagesApp({ security: { rateLimits: false } });
    const person = await keen.personOf('ada');
    const ownerId = await keen.idOf('ada');
    for (let index = 0; index < 50; index += 1)
      await keen.clients.create({ name: `Number ${index}`, ownerId, redirectUris: ['https://a.example/'] });
    const answer = await pageAfter(person, await register(person));
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('You have 50 applications');
  });
});

describe('the pages of an application', () => {
  let clientId: string;
  let path: string;
  beforeAll(async () => {
    clientId = clientIdIn(await register());
    path = `${ROOT}/${clientId}`;
  });

  it('an application is in the list of its owner only', async () => {
    expect((await ada.get(ROOT)).text).toContain(`href="${path}"`);
    expect((await grace.get(ROOT)).text).not.toContain(clientId);
  });

  it('the form of a change sets its fields and no other ones', async () => {
    const page = await ada.get(`${path}/edit`).expect(200);
    expect(page.text).toContain('value="Printing shop"');
    expect(page.text).not.toContain('name="type"');
    const hosts = { type: 'public', trusted: 'true', ownerId: 'x' };
    const answer = await editApplication(ada, clientId, { name: 'Print & Co', ...hosts });
    expect(answer.status).toBe(303);
    expect((await ada.get(answer.headers.location!)).text).toContain('Your changes are saved');
    expect(await app.clients.find(clientId)).toMatchObject({
      name: 'Print & Co',
      type: 'confidential',
      trusted: false,
    });
  });

  it('a change with problems shows them and stores nothing', async () => {
    const sent = await editApplication(ada, clientId, { name: 'New name', redirect_uris: 'nonsense' });
    const answer = await pageAfter(ada, sent);
    expect([sent.status, answer.status]).toEqual([303, 422]);
    expect(answer.text).toContain('value="New name"');
    expect((await app.clients.find(clientId))?.name).toBe('Print & Co');
  });

  it('a rotation shows the new secret once, and until when the old one works', async () => {
    const answer = await sendForm(ada, path, `${path}/rotate-secret`);
    expect(answer.status).toBe(200);
    expect(secretIn(answer)).toMatch(/^eas_cs_/);
    expect(answer.text).toMatch(/works until <time datetime=/);
    expect(secretIn(await ada.get(path))).toBeUndefined();
  });

  it('a rotation that is sent twice happens once', async () => {
    const form = hiddenFields(await ada.get(path));
    const rotate = () => postForm(ada, `${path}/rotate-secret`, form);
    const first = await rotate();
    const second = await rotate();
    expect([first.status, second.status]).toEqual([200, 303]);
    expect((await ada.get(second.headers.location!)).text).toContain('the form was sent twice');
  });

  it('a deletion needs a confirmation', async () => {
    const page = await ada.get(`${path}/delete`).expect(200);
    expect(page.text).toContain('Delete <bdi>Print &amp; Co</bdi>?');
    const answer = await sendForm(ada, `${path}/delete`, `${path}/delete`, { confirmation: 'Print & Co' });
    expect((await ada.get(answer.headers.location!)).text).toContain('The application is deleted');
    expect(await app.clients.find(clientId)).toBeNull();
    await ada.get(path).expect(404);
  });

  it('the owner cannot edit a trusted client', async () => {
    const ownerId = (await app.clients.find(clientIdIn(await register())))?.ownerId ?? '';
    const trusted = await app.clients.create({
      name: 'Own app',
      ownerId,
      trusted: true,
      redirectUris: ['https://own.example/'],
    });
    const form = hiddenFields(await ada.get(`${ROOT}/${trusted.clientId}`).expect(200));
    await ada.get(`${ROOT}/${trusted.clientId}/edit`).expect(403);
    await postForm(ada, `${ROOT}/${trusted.clientId}/edit`, { ...form, ...PLAIN }).expect(403);
    expect((await app.clients.find(trusted.clientId))?.redirectUris).toEqual(['https://own.example/']);
  });
});

describe('access to the pages of applications', () => {
  it('a visitor without a session is sent to the login and back', async () => {
    const answer = await app.agent().get(`${ROOT}/new`).expect(303);
    expect(answer.headers.location).toBe(`/login?return_to=${encodeURIComponent(`${ROOT}/new`)}`);
    expect((await app.agent().get(`${ROOT}//evil.example/%0d%0ax`)).headers.location).toMatch(
      /^\/login\?return_to=%2Foauth%2Fapplications/,
    );
  });

  it('a form without a session does nothing', async () => {
    const before = await clientCount();
    await postForm(app.agent(), ROOT, PLAIN).expect(303);
    expect(await clientCount()).toBe(before);
  });

  it('links and redirects have the issuer’s path, whatever the request’s host is', async () => {
    const nested = await startPagesApp({
      issuer: 'https://photos.example/site',
      security: { dangerouslyAllowInsecureHttp: true },
    });
    const answer = await nested
      .agent()
      .get(ROOT)
      .set('Host', 'evil.example')
      .set('X-Forwarded-Host', 'evil.example')
      .expect(303);
    expect(answer.headers.location).toBe(
      `/login?return_to=${encodeURIComponent('/site/oauth/applications')}`,
    );
    const { text } = await (
      await nested.personOf('ada')
    )
      .get(`${ROOT}/new`)
      .set('X-Forwarded-Host', 'evil.example');
    expect(text).toContain('action="/site/oauth/applications"');
    expect(text).not.toContain('evil');
  });

  it('a person who is not a developer gets 403 with an explanation', async () => {
    const closed = await startPagesApp({ applications: { isDeveloper: () => Promise.resolve(false) } });
    const { text } = await (await closed.personOf('ada')).get(ROOT).expect(403);
    expect(text).toContain('Your account may not register applications on this site.');
  });

  it('the application of somebody else looks like a missing one', async () => {
    const theirs = clientIdIn(await register(grace));
    const form = hiddenFields(await ada.get(`${ROOT}/new`));
    const plain = ({ status, text }: Response) => ({
      status,
      // the page contains the requested address
      text: text.replace(/<code>[0-9a-f-]{36}<\/code>/, '').replace(/return_to=[^"]*/, ''),
    });
    for (const action of ['', '/edit', '/delete']) {
      expect(plain(await ada.get(`${ROOT}/${theirs}${action}`))).toEqual(
        plain(await ada.get(`${ROOT}/unknown${action}`)),
      );
    }
    for (const action of ['/edit', '/delete', '/rotate-secret']) {
      expect((await postForm(ada, `${ROOT}/${theirs}${action}`, { ...form, ...PLAIN })).status).toBe(404);
    }
    expect(await app.clients.find(theirs)).toMatchObject({
      name: 'Printing shop',
      secrets: [expect.anything()],
    });
  });

  it('a client without an owner has no page', async () => {
    const seeded = await app.clients.create({ name: 'Seeded', redirectUris: ['https://a.example/'] });
    await ada.get(`${ROOT}/${seeded.clientId}`).expect(404);
  });
});

describe('a forged form', () => {
  it.each(['', '/ID/edit', '/ID/rotate-secret', '/ID/delete'])(
    'POST %s without the session’s token changes nothing',
    async (action) => {
      const made = await register();
      const clientId = clientIdIn(made);
      const before = await app.clients.find(clientId);
      const form = {
        ...hiddenFields(await ada.get(`${ROOT}/${clientId}`)),
        ...PLAIN,
        name: 'Forged',
        submission: '11111111-1111-4111-8111-111111111111',
      };
      const foreign = hiddenFields(await grace.get(`${ROOT}/new`)).csrf_token;
      for (const token of [undefined, '', 'f'.repeat(64), foreign]) {
        const answer = await postForm(ada, `${ROOT}${action.replace('ID', clientId)}`, {
          ...form,
          csrf_token: token,
        });
        expect(answer.status).toBe(403);
      }
      expect(await app.clients.find(clientId)).toEqual(before);
    },
  );
});

describe('hostile and bad input', () => {
  it('a hostile name is escaped on every page', async () => {
    const name = '"><script>alert(1)</script>';
    const made = await register(ada, { name });
    const path = `${ROOT}/${clientIdIn(made)}`;
    const addresses = [ROOT, path, `${path}/edit`, `${path}/delete`];
    for (const page of [made, ...(await Promise.all(addresses.map((address) => ada.get(address))))]) {
      expect(page.text.match(/<script[^>]*>/g) ?? []).toEqual(
        page === made || (page as unknown as { req: { path: string } }).req.path === path
          ? [expect.stringMatching(/^<script src="\/oauth\/script-[0-9a-f]{16}\.js" defer>$/)]
          : [],
      );
      expect(page.text).toContain('&lt;script&gt;');
    }
  });

  it.each<[string, Record<string, unknown>]>([
    ['a name twice', { name: ['a', 'b'] }],
    ['a name with NUL', { name: 'a\0b' }],
    ['a name that reads backwards', { name: '\u202egnp.exe' }],
    ['64 KB of name', { name: 'x'.repeat(65_536) }],
    ['64 KB of redirect URIs', { redirect_uris: 'https://a.example/\n'.repeat(3000) }],
    ['redirect URIs twice', { redirect_uris: ['https://a.example/', 'https://b.example/'] }],
    ['javascript:', { redirect_uris: 'javascript:alert(1)' }],
    ['a type that does not exist', { type: 'trusted' }],
    ['no type', { type: undefined }],
    ['no redirect URI', { redirect_uris: '' }],
    ['a blank name', { name: ' ' }],
    ['the type twice', { type: ['public', 'confidential'] }],
    ['an unknown scope', { scope: ['photos:read', 'admin'] }],
    ['a scope like a method', { scope: 'constructor' }],
    ['a grant type that is off', { grant_type: 'password' }],
    ['no grant type', { grant_type: undefined }],
    ['operators', { name: undefined, 'name[$ne]': 'x' }],
    [
      'the submission twice',
      { submission: ['11111111-1111-4111-8111-111111111111', '11111111-1111-4111-8111-111111111111'] },
    ],
  ])('%s is refused with a page, and nothing is stored', async (_what, fields) => {
    const before = await clientCount();
    const answer = await pageAfter(ada, await register(ada, fields));
    expect([400, 422]).toContain(answer.status);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(await clientCount()).toBe(before);
  });

  it('changes are rate limited for each person', async () => {
    const limited = await startPagesApp({});
    const [first, second] = [await limited.personOf('ada'), await limited.personOf('grace')];
    for (let count = 0; count < 30; count += 1) expect((await register(first)).status).toBe(201);
    const refused = await register(first);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await register(second)).status).toBe(201);
  });
});
