import { describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';

import { carryText } from '../../lib/core/http/carried-text.js';
import {
  codeOf,
  createPerson,
  errorOf,
  hiddenFields,
  locationOf,
  logInPerson,
  pageAfter,
  pendingRequestOf,
  type Person,
  postForm,
  type Query,
  tickedScopes,
} from '../support/person.js';
import { fixture, siteFor } from '../support/site-for.js';
import { createPkce } from '../support/tokens.js';

/** For a native app, which needs a consent each time (RFC 8252 §8.6). */
const CALLBACK = 'com.example.print:/callback';

const site = siteFor({ security: { rateLimits: false } });
const client = fixture(() => site.client({ type: 'public', redirectUris: [CALLBACK] }));
const ada = fixture(() => personOf());

async function personOf(name = 'ada'): Promise<Person> {
  const person = await logInPerson(site, name);
  return person;
}
let states = 0;
const requestOf = (more: Query = {}): Query => ({
  response_type: 'code',
  client_id: client.clientId,
  redirect_uri: CALLBACK,
  state: `state ${(states += 1)}`,
  ...createPkce().challenge,
  ...more,
});
/** The form alone, without the redirect after it. */
const send = (person: Person, page: Response, fields: Record<string, unknown> = {}) =>
  postForm(person.agent, '/oauth/authorize', {
    ...hiddenFields(page),
    granted_scope: tickedScopes(page),
    decision: 'allow',
    ...fields,
  });
const open = (person: Person, { headers }: Response) => person.agent.get(String(headers.location));
const isConsentPage = ({ status, text }: Response) => status === 200 && text.includes('id="consent-form"');
const grantCount = () => site.database.collection('oauth_grants').countDocuments({});

describe('the answer to a form', () => {
  it('a consent form leads to a GET, which redirects to the client (RFC 6749 §4.1.2)', async () => {
    const query = requestOf();
    const decided = await send(ada, await ada.openAuthorize(query));
    expect(decided.status).toBe(303);
    expect(decided.headers.location).toMatch(/^\/oauth\/authorize\?/);
    expect(Object.fromEntries(locationOf(decided).searchParams)).toEqual(query);
    expect([decided.text, decided.headers['cache-control']]).toEqual(['', 'no-store']);
    const sent = await open(ada, decided);
    expect(sent.status).toBe(302);
    expect(sent.headers.location).toMatch(/^com\.example\.print:\/callback\?code=/);
    expect(locationOf(sent).searchParams.get('state')).toBe(query.state);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['deny', { decision: 'deny' }, 'access_denied'],
    ['everything unticked', { granted_scope: [] }, 'access_denied'],
    ['cancel', { account: 'cancel' }, 'access_denied'],
  ])('a consent form with %s leads to a GET, too', async (_what, fields, error) => {
    const before = await grantCount();
    const decided = await send(ada, await ada.openAuthorize(requestOf()), fields);
    expect(decided.status).toBe(303);
    const sent = await open(ada, decided);
    expect([sent.status, errorOf(sent), await grantCount()]).toEqual([302, error, before]);
    expect(isConsentPage(await open(ada, decided))).toBe(true);
  });

  it('a POST of a request by a client leads to a GET (RFC 6749 §3.1)', async () => {
    const query = requestOf();
    const posted = await createPerson(site).agent.post('/oauth/authorize').type('form').send(query);
    expect(posted.status).toBe(303);
    expect(Object.fromEntries(locationOf(posted).searchParams)).toEqual(query);
    expect(isConsentPage(await open(ada, posted))).toBe(true);
    expect(locationOf(await open(createPerson(site), posted)).pathname).toBe('/login');
  });

  it('a consent form of a request that is wrong by now leads to an error for the client', async () => {
    const changing = await site.client({ type: 'public', redirectUris: [CALLBACK] });
    const page = await ada.openAuthorize(requestOf({ client_id: changing.clientId, scope: 'photos:read' }));
    await site.oauth.clients.update(changing.clientId, { scopes: ['profile'] });
    const decided = await send(ada, page);
    expect(decided.status).toBe(303);
    expect(errorOf(await open(ada, decided))).toBe('invalid_scope');
  });

  it('a consent form of a prompt=none request leads to a GET with consent_required', async () => {
    const page = await ada.openAuthorize(requestOf());
    const pending = carryText(`${pendingRequestOf(page)}&prompt=none`);
    const decided = await send(ada, page, { authorization_request: pending });
    expect(decided.status).toBe(303);
    expect(errorOf(await open(ada, decided))).toBe('login_required');
  });

  it('a consent form of a deleted client leads to a page', async () => {
    const leaving = await site.client({ type: 'public', redirectUris: [CALLBACK] });
    const page = await ada.openAuthorize(requestOf({ client_id: leaving.clientId }));
    const decided = await send(ada, page);
    await site.oauth.clients.delete(leaving.clientId);
    for (const response of [await open(ada, decided), await send(ada, page)])
      expect([response.status, response.headers.location]).toEqual([400, undefined]);
  });
});

describe('an invalid form', () => {
  it.each<[string, Record<string, unknown>, number]>([
    ['of a session that has ended', { decision: 'deny', csrf_token: 'x'.repeat(64) }, 403],
    ['without a decision', { decision: undefined }, 303],
    ['about another request', { decision: 'allow', shown: 'x' }, 303],
  ])('a consent form %s is invalid, even beside a stored consent', async (_what, fields, status) => {
    const web = await site.client({ redirectUris: ['https://print.example/callback'] });
    const query = requestOf({ client_id: web.clientId, redirect_uri: 'https://print.example/callback' });
    const page = await ada.openAuthorize(query);
    expect((await ada.authorize(query)).searchParams.get('code')).toMatch(/./);
    const sent = await send(ada, page, fields);
    expect(sent.status).toBe(status);
    const answer = await pageAfter(ada.agent, sent);
    expect([answer.status, answer.headers.location]).toEqual([403, undefined]);
    expect(answer.text).toContain('id="consent-form"');
    // the page reports the invalid form only once; a reload asks for nothing that is already allowed
    expect((await ada.openAuthorize(query)).status).toBe(302);
  });
});

describe('a decision is used once', () => {
  it('a reload after a decision shows the consent page again', async () => {
    const decided = await send(ada, await ada.openAuthorize(requestOf()));
    expect(codeOf(await open(ada, decided))).toMatch(/./);
    const before = await grantCount();
    expect(isConsentPage(await open(ada, decided))).toBe(true);
    expect(isConsentPage(await open(ada, decided))).toBe(true);
    expect(await grantCount()).toBe(before);
  });

  it('two forms of one page give one code', async () => {
    const page = await ada.openAuthorize(requestOf());
    const before = await grantCount();
    const [first, second] = [await send(ada, page), await send(ada, page)];
    expect(codeOf(await open(ada, first))).toMatch(/./);
    expect(isConsentPage(await open(ada, second))).toBe(true);
    expect(await grantCount()).toBe(before + 1);
  });

  it('the consent page after Back asks once more, and its form works', async () => {
    const query = requestOf();
    const page = await ada.openAuthorize(query);
    expect(codeOf(await open(ada, await send(ada, page)))).toMatch(/./);
    expect(isConsentPage(await ada.openAuthorize(query))).toBe(true);
    expect(errorOf(await open(ada, await send(ada, page, { decision: 'deny' })))).toBe('access_denied');
  });

  it('two tabs with two requests have a decision each', async () => {
    const [one, other] = [requestOf(), requestOf()];
    const pages = [await ada.openAuthorize(one), await ada.openAuthorize(other)] as const;
    const denied = await send(ada, pages[0], { decision: 'deny' });
    const allowed = await send(ada, pages[1]);
    const answers = [await open(ada, denied), await open(ada, allowed)] as const;
    expect([errorOf(answers[0]), errorOf(answers[1])]).toEqual(['access_denied', null]);
    expect(answers.map((answer) => locationOf(answer).searchParams.get('state'))).toEqual([
      one.state,
      other.state,
    ]);
  });

  it('a reload after a decision uses the stored consent of a web client', async () => {
    const web = await site.client({ redirectUris: ['https://print.example/callback'] });
    const query = requestOf({ client_id: web.clientId, redirect_uri: 'https://print.example/callback' });
    const decided = await send(ada, await ada.openAuthorize(query));
    const codes = [codeOf(await open(ada, decided)), codeOf(await open(ada, decided))];
    expect(new Set(codes).size).toBe(2);
  });

  it('a reload after the account page is harmless', async () => {
    const page = await ada.openAuthorize(requestOf({ prompt: 'select_account' }));
    expect(page.text).toContain('id="account-form"');
    const chosen = await send(ada, page, { account: 'continue' });
    expect(chosen.status).toBe(303);
    expect(locationOf(chosen).searchParams.has('prompt')).toBe(false);
    for (let reload = 0; reload < 2; reload += 1) expect(isConsentPage(await open(ada, chosen))).toBe(true);
    const cancelled = await send(ada, page, { account: 'cancel' });
    expect(errorOf(await open(ada, cancelled))).toBe('access_denied');
    expect((await open(ada, cancelled)).text).toContain('id="account-form"');
  });
});

describe('the owner of a decision', () => {
  it('a decision does not count in another session, even of the same user', async () => {
    const decided = await send(ada, await ada.openAuthorize(requestOf()));
    for (const name of ['ada', 'grace'])
      expect(isConsentPage(await open(await personOf(name), decided))).toBe(true);
    expect(locationOf(await open(createPerson(site), decided)).pathname).toBe('/login');
    expect(codeOf(await open(ada, decided))).toMatch(/./);
  });

  it('a decision does not count for the next user of the browser', async () => {
    const person = await personOf();
    const decided = await send(person, await person.openAuthorize(requestOf()));
    await person.logIn('grace');
    const page = await open(person, decided);
    expect(isConsentPage(page)).toBe(true);
    expect(page.text).toContain('Name of grace');
  });

  it.each<[string, (query: Query) => Query]>([
    ['another state', (query) => ({ ...query, state: 'other' })],
    ['more scopes', (query) => ({ ...query, scope: 'photos:read photos:write' })],
    ['fewer scopes', (query) => ({ ...query, scope: undefined })],
    ['another challenge', (query) => ({ ...query, ...createPkce().challenge })],
    ['the parameters in another order', (query) => Object.fromEntries(Object.entries(query).reverse())],
    ['an additional parameter', (query) => ({ ...query, nonce: '1' })],
  ])('a decision does not count for a request with %s', async (_what, change) => {
    const query = requestOf({ scope: 'photos:read' });
    const decided = await send(ada, await ada.openAuthorize(query));
    expect(isConsentPage(await ada.openAuthorize(change(query)))).toBe(true);
    expect(codeOf(await open(ada, decided))).toMatch(/./);
  });

  it('a decision does not count for another client', async () => {
    const other = await site.client({ type: 'public', redirectUris: [CALLBACK] });
    const query = requestOf();
    await send(ada, await ada.openAuthorize(query));
    expect(isConsentPage(await ada.openAuthorize({ ...query, client_id: other.clientId }))).toBe(true);
  });

  it('a decision does not count once the client may ask for more scopes', async () => {
    const growing = await site.client({ type: 'public', redirectUris: [CALLBACK], scopes: ['photos:read'] });
    const decided = await send(ada, await ada.openAuthorize(requestOf({ client_id: growing.clientId })));
    await site.oauth.clients.update(growing.clientId, { scopes: ['photos:read', 'photos:write'] });
    const again = await open(ada, decided);
    expect(again.status).toBe(403);
    expect(again.text).toContain('id="consent-form"');
    const grants = site.database.collection('oauth_grants');
    expect(await grants.findOne({ clientId: growing.clientId })).toBeNull();
  });
});
