import { describe, expect, it } from '@jest/globals';

import { letPass } from '../support/clock.js';
import { createPerson, hiddenFields, logInPerson, pageAfter, postForm } from '../support/person.js';
import { openSite } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';

const ROOT = '/oauth/applications';
const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';

/** The kinds that the form offers, the selected kind, and what is ticked. */
function formOf(text: string) {
  const links = [
    ...text.matchAll(/<button [^>]*id="kind-(\w+)" [^>]*name="kind" value="\1"( aria-current="true")?/g),
  ];
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

describe('the kind of a new application', () => {
  const grantTypes = ['authorization_code', 'refresh_token', 'client_credentials', DEVICE_CODE] as const;
  const defaultValue = siteFor();
  const site = siteFor({ grantTypes, applications: { grantTypes } });
  const ada = fixture(() => logInPerson(site, 'ada'));
  const grace = fixture(() => logInPerson(defaultValue, 'grace'));
  const open = async (query = '', person = ada) =>
    formOf((await person.agent.get(`${ROOT}/new${query}`).expect(200)).text);

  it('the form offers each kind that developers can register, a web app first', async () => {
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
  ])('the kind %s selects its type and grant types, and no scope', async (kind, type, grantTypes) => {
    const form = await open(`?kind=${kind}`);
    expect(form).toMatchObject({ current: kind, type: [type], scopes: [], isFolded: true });
    expect([...form.grantTypes].sort()).toEqual([...grantTypes].sort());
  });

  it.each(['?kind=nothing', '?kind[a]=b', '?kind=web&kind=service', ''])(
    '%s selects a web app',
    async (query) => {
      expect((await open(query)).current).toBe('web');
    },
  );

  const send = async (fields: Record<string, unknown>) => {
    const { text } = await ada.agent.get(`${ROOT}/new?kind=service`);
    const hidden = hiddenFields({ text });
    return postForm(ada.agent, ROOT, { ...hidden, name: 'Night service', ...fields });
  };

  it('a service needs no redirect URI, and its page says if it has no permissions', async () => {
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

  it('a refused form shows its values unfolded, without a kind', async () => {
    const refused = await send({ name: '', type: 'public', grant_type: 'authorization_code' });
    const { text } = await ada.agent.get(refused.headers.location ?? '').expect(422);
    expect(formOf(text)).toMatchObject({ current: undefined, type: ['public'], isFolded: false });
  });

  it('the form explains authorization_code as asking users for access', async () => {
    const { text } = await ada.agent.get(`${ROOT}/new`);
    expect(text).toMatch(/Ask users for access <code>authorization_code<\/code>/);
  });
});

describe('the choice of another kind', () => {
  const grantTypes = ['authorization_code', 'refresh_token', 'client_credentials', DEVICE_CODE] as const;
  const TYPED = {
    name: 'Print & "Co"',
    redirect_uris: 'https://print.example/callback?a=1&b=2\r\nnonsense',
    scope: ['photos:read'],
    description: 'Prints photos.',
    type: 'confidential',
    grant_type: ['authorization_code', 'refresh_token'],
  };
  const site = siteFor({
    grantTypes,
    applications: { grantTypes },
  });
  const ada = fixture(() => logInPerson(site, 'ada'));

  const openForm = async () => hiddenFields(await ada.agent.get(`${ROOT}/new`).expect(200));
  const choose = async (kind: string, fields: object) => {
    const sent = await postForm(ada.agent, `${ROOT}/new`, { ...fields, kind });
    return { sent, page: await pageAfter(ada.agent, sent) };
  };
  const uris = (text: string) => /name="redirect_uris"[^>]*>\n([^<]*)</.exec(text)?.[1];
  const hintOf = (text: string) =>
    /id="application-redirect-uris-explanation">(.*?)<\/p>/.exec(text)?.[1]?.replaceAll(/<[^>]*>/g, '');

  it('the form for another kind redirects to the kind’s address with all typed values', async () => {
    const hidden = await openForm();
    const { sent, page } = await choose('native', { ...hidden, ...TYPED });
    expect(sent.status).toBe(303);
    expect(sent.headers.location).toBe(`${ROOT}/new?kind=native&draft=${hidden.submission}`);
    expect(page.status).toBe(200);
    expect(formOf(page.text)).toMatchObject({
      current: 'native',
      type: ['public'],
      scopes: ['photos:read'],
      isFolded: true,
    });
    expect(page.text).toContain('value="Print &amp; &#34;Co&#34;"');
    expect(uris(page.text)).toContain('https://print.example/callback?a=1&amp;b=2');
    expect(uris(page.text)).toContain('nonsense');
    expect(page.text).toContain('Prints photos.');
    // problems so far appear only after a submission
    expect(page.text).not.toMatch(/problem-summary|aria-invalid/);
    // the submission stays the same: the form registers one application, also if its kind changed in between
    expect(hiddenFields(page).submission).toBe(hidden.submission);
    // for keyboard users the focus stays
    expect(page.text).toMatch(/id="kind-native"[^>]* aria-current="true" autofocus/);
  });

  it('typed values survive Back and a reload for each kind, until the registration', async () => {
    const hidden = await openForm();
    const { sent } = await choose('native', { ...hidden, ...TYPED });
    const again = async (kind: string, person = ada) =>
      (await person.agent.get(`${ROOT}/new?kind=${kind}&draft=${hidden.submission}`).expect(200)).text;
    expect(sent.headers.location).toContain(hidden.submission);
    for (const kind of ['native', 'web', 'native', 'browser']) {
      const text = await again(kind);
      expect(formOf(text)).toMatchObject({ current: kind, scopes: ['photos:read'] });
      expect(text).toContain('value="Print &amp; &#34;Co&#34;"');
      expect(hiddenFields({ text }).submission).toBe(hidden.submission);
      expect(text).not.toContain('problem-summary');
    }
    // they are neither in another form nor on another person's page
    expect((await ada.agent.get(`${ROOT}/new?kind=native`)).text).not.toContain('Print &amp;');
    const grace = await logInPerson(site, 'grace');
    expect(await again('native', grace)).not.toContain('Print &amp;');
    await postForm(ada.agent, ROOT, {
      ...hidden,
      ...TYPED,
      redirect_uris: 'https://print.example/callback',
    }).expect(201);
    const text = await again('native');
    expect(text).not.toContain('Print &amp;');
    expect(hiddenFields({ text }).submission).not.toBe(hidden.submission);
  });

  it('typed values are stored for an hour', async () => {
    const hidden = await openForm();
    const { sent } = await choose('native', { ...hidden, ...TYPED });
    const typed = async () => /Print &amp;/.test((await ada.agent.get(String(sent.headers.location))).text);
    letPass(59 * 60);
    expect(await typed()).toBe(true);
    letPass(60);
    expect(await typed()).toBe(false);
  });

  it('a form of a host’s view without a submission gets one', async () => {
    const { submission, ...hidden } = await openForm();
    const { page } = await choose('native', { ...hidden, ...TYPED });
    expect(page.text).toContain('value="Print &amp;');
    expect(hiddenFields(page).submission).not.toBe(submission);
  });

  it('an empty form stays empty, and the address of a kind opens a new form', async () => {
    const { page } = await choose('browser', { ...(await openForm()), name: '' });
    expect(page.status).toBe(200);
    expect(page.text).not.toContain('problem-summary');
    const { text } = await ada.agent.get(`${ROOT}/new?kind=browser`).expect(200);
    expect(formOf(text)).toMatchObject({ current: 'browser', scopes: [] });
    expect(text).not.toContain('autofocus');
  });

  it.each([
    ['web', /server.*https:\/\/app\.example\/callback.*http:\/\/localhost:3000/],
    ['browser', /app.*https:\/\/app\.example\/callback.*http:\/\/localhost:5173/],
    ['native', /com\.example\.app:\/callback.*http:\/\/127\.0\.0\.1\/callback \(any port\)/],
    ['device', undefined],
    ['service', undefined],
  ])('the field for redirect URIs fits the kind %s', async (kind, hint) => {
    const { text } = await ada.agent.get(`${ROOT}/new?kind=${kind}`);
    if (hint === undefined) expect(text).not.toContain('application-redirect-uris');
    else expect(hintOf(text)).toMatch(hint);
  });

  it.each(['de', 'es', 'fr', 'ja', 'ar'])(
    'the hints for redirect URIs are different for each kind in the language %s',
    async (language) => {
      const hints = await Promise.all(
        ['web', 'browser', 'native'].map(async (kind) => {
          const page = ada.agent.get(`${ROOT}/new?kind=${kind}`).set('Accept-Language', language);
          return hintOf((await page).text);
        }),
      );
      expect(new Set(hints).size).toBe(3);
      for (const hint of hints) expect(hint).not.toMatch(/address|users|undefined/);
    },
  );

  it('the form of a kind without redirect URIs stores them for the next kind', async () => {
    const { page: service } = await choose('service', { ...(await openForm()), ...TYPED });
    expect(service.text).not.toContain('application-redirect-uris');
    expect(service.text).toContain('What it may do');
    const hidden = hiddenFields(service);
    const { page: web } = await choose('web', { ...hidden, name: TYPED.name });
    expect(uris(web.text)).toContain('https://print.example/callback?a=1&amp;b=2');
    // after a refusal for the name they are still stored
    const sent = { ...hidden, kind: 'service', type: 'confidential', grant_type: 'client_credentials' };
    const refused = await postForm(ada.agent, ROOT, sent);
    const again = await ada.agent.get(String(refused.headers.location)).expect(422);
    expect(formOf(again.text)).toMatchObject({ current: 'service', isFolded: true });
    expect(hiddenFields(again).other_redirect_uris).toBe(hidden.other_redirect_uris);
    const { text } = await postForm(ada.agent, ROOT, { ...sent, name: 'Night' }).expect(201);
    expect(text).not.toContain('print.example');
  });

  it('a refused form has its kind, unless its technical settings fit none', async () => {
    const fields = { ...(await openForm()), name: '', kind: 'browser', redirect_uris: 'https://a.example/' };
    const refuse = async (more: object) => {
      const { headers } = await postForm(ada.agent, ROOT, { ...fields, ...more });
      const { text } = await ada.agent.get(String(headers.location)).expect(422);
      return { at: headers.location, ...formOf(text) };
    };
    const ofKind = { type: 'public', grant_type: ['refresh_token', 'authorization_code'] };
    expect(await refuse(ofKind)).toMatchObject({
      at: `${ROOT}/new?kind=browser`,
      current: 'browser',
      isFolded: true,
    });
    expect(await refuse({ ...ofKind, grant_type: 'authorization_code' })).toMatchObject({
      at: `${ROOT}/new`,
      current: undefined,
      isFolded: false,
    });
  });

  it('changes of the kind do not count towards the limit of registrations', async () => {
    const grace = await logInPerson(site, 'grace');
    const form = hiddenFields(await grace.agent.get(`${ROOT}/new`));
    for (let times = 0; times < 12; times += 1)
      await postForm(grace.agent, `${ROOT}/new`, { ...form, kind: 'browser' }).expect(303);
  });

  it('a private key is not stored in the session: the POST answers with the form', async () => {
    const jwks = JSON.stringify({ keys: [{ kty: 'oct', k: 'c2VjcmV0' }] });
    const fields = { ...(await openForm()), ...TYPED, authentication: 'jwks', jwks };
    const { sent } = await choose('browser', fields);
    expect(sent.status).toBe(200);
    expect(formOf(sent.text).current).toBe('browser');
    expect(sent.text).toContain('c2VjcmV0');
  });

  it('a form of another session stores nothing and is shown again with its values', async () => {
    const own = (fields: object) =>
      ada.agent.post(`${ROOT}/new`).set('Sec-Fetch-Site', 'same-origin').type('form').send(fields);
    const page = await own({ ...TYPED, csrf_token: 'of another session', kind: 'device' }).expect(403);
    expect(formOf(page.text).current).toBe('device');
    expect(page.text).toContain('Print &amp;');
    await postForm(ada.agent, `${ROOT}/new`, { ...TYPED, kind: 'device' }).expect(403);
    const nobody = await postForm(createPerson(site).agent, `${ROOT}/new`, { ...TYPED, kind: 'device' })
      .set('Sec-Fetch-Site', 'same-origin')
      .expect(403);
    expect(hiddenFields(nobody)).toMatchObject({ kind: 'device', name: expect.stringMatching(/./) });
    const stranger = await createPerson(site).agent.post(`${ROOT}/new`).type('form').expect(303);
    expect(stranger.headers.location).toContain(encodeURIComponent(`${ROOT}/new`));
  });
});

describe('an application without scopes', () => {
  const SERVICE = ['client_credentials'];
  const CODE = ['authorization_code'];

  it.each([
    ['asks users, without OpenID Connect', false, CODE, /^nothing$/, /Users can connect it.*Edit it/, false],
    ['asks users, with OpenID Connect', true, CODE, /^nothing$/, /Users can connect it.*Edit it/, true],
    ['acts for itself, without OpenID Connect', false, SERVICE, /^nothing$/, /tokens of its own/, false],
    ['acts for itself, with OpenID Connect', true, SERVICE, /^nothing$/, /tokens of its own/, false],
  ])('an app that %s lacks permissions', async (_what, hasOpenid, grantTypes, row, notice, namesOpenid) => {
    await using site = await openSite({ ...(hasOpenid && { openid: { claims: () => ({}) } }) });
    const ada = await logInPerson(site, 'ada');
    const { clientId } = await site.client({ ownerId: 'ada', scopes: [], grantTypes });
    const { text } = await ada.agent.get(`${ROOT}/${clientId}`).expect(200);
    const [, label, value] = /<dt>([^<]*)<\/dt><dd id="application-scopes">(.*?)<\/dd>/.exec(text) ?? [];
    expect(label).toBe(grantTypes === SERVICE ? 'May do' : 'May ask for');
    expect(value).toMatch(row);
    const displayed = /id="application-asks-nothing">([^]*?)<\/div>/.exec(text)?.[1] ?? '';
    expect(displayed).toContain('It has no permissions yet');
    expect(displayed).toMatch(notice);
    expect(displayed.includes('<code>openid</code>')).toBe(namesOpenid);
  });

  it('an application without scopes can be allowed and gets a code, but no openid scope', async () => {
    for (const hasOpenid of [false, true]) {
      await using site = await openSite({ ...(hasOpenid && { openid: { claims: () => ({}) } }) });
      const ada = await logInPerson(site, 'ada');
      const { clientId, redirectUris } = await site.client({ scopes: [], grantTypes: CODE });
      const query = { response_type: 'code', client_id: clientId, redirect_uri: redirectUris[0] };
      expect((await ada.authorize(query)).searchParams.has('code')).toBe(true);
      const requested = await ada.authorize({ ...query, scope: 'openid' });
      expect(requested.searchParams.get('error')).toBe('invalid_scope');
    }
  });

  it('an owner who may not edit sees no advice to edit, and a resource server no notice', async () => {
    await using site = await openSite();
    const ada = await logInPerson(site, 'ada');
    const made = { ownerId: 'ada', scopes: [] };
    const trusted = await site.client({ ...made, trusted: true, grantTypes: CODE });
    const api = await site.client({ ...made, introspection: true, grantTypes: SERVICE });
    const page = async ({ clientId }: { clientId: string }) =>
      (await ada.agent.get(`${ROOT}/${clientId}`).expect(200)).text;
    expect(await page(trusted)).toMatch(/It has no permissions yet(?![^]*Edit it and tick)/);
    expect(await page(api)).not.toContain('It has no permissions yet');
  });
});

describe('owners', () => {
  it('owners appear by name on the page of an application, even if people.find is missing', async () => {
    await using site = await openSite({ people: { name: () => 'Ada Lovelace' } });
    const ada = await logInPerson(site, 'ada');
    const { clientId } = await site.client({ ownerId: 'ada' });
    const { text } = await ada.agent.get(`${ROOT}/${clientId}`).expect(200);
    expect(/class="eas-owners"[^]*?<\/ul>/.exec(text)?.[0]).toContain('Ada Lovelace');
  });
});
