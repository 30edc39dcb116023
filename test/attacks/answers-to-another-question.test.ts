import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Request } from 'express';
import type { Response } from 'supertest';

import { deviceClient, openDeviceSite, PAGE, poll, startDevice, typeCode } from '../support/device.js';
import {
  codeQuery,
  hiddenFields,
  locationOf,
  logInPerson,
  pageAfter,
  type Person,
  postForm,
  type Query,
} from '../support/person.js';
import { fixture } from '../support/site-for.js';

const site = fixture(() =>
  openDeviceSite({
    scopes: {
      'photos:read': 'See your photos',
      'photos:write': 'Add and delete photos',
      profile: { description: 'See your name', optional: false },
    },
    resources: { 'https://frames.example': { name: 'Frame service' } },
  }),
);
beforeAll(() => {
  // a host that keeps the contents of the session when another user logs in
  site.app.post('/switch/:name', (req: Request<{ name: string }>, res, next) => {
    req.logIn({ id: req.params.name }, { session: true, keepSessionInfo: true }, (error) =>
      error ? next(error) : res.end(),
    );
  });
});

const newPerson = (): Promise<Person> => logInPerson(site, 'ada');
const isConsentPage = ({ text }: Response) => text.includes('id="consent-form"');
const isOutOfDate = (response: Response) =>
  response.status === 403 && response.text.includes('This page was out of date');
const requestOf = ({ clientId }: { readonly clientId: string }, more: Query = {}): Query =>
  codeQuery(clientId, { state: 'xyz', ...more });
const codes = ({ clientId }: { readonly clientId: string }) =>
  site.database.collection('oauth_grants').countDocuments({ clientId });

describe('a form of one user that another one sends in the same session', () => {
  test('a consent form of the previous user decides nothing, and the page is shown again', async () => {
    const person = await newPerson();
    const client = await site.client();
    const page = await person.openAuthorize(requestOf(client));
    expect(page.text).toContain('Name of ada');
    await person.agent.post('/switch/grace');
    const answer = await person.choose(page);
    expect(isOutOfDate(answer)).toBe(true);
    expect(answer.text).toContain('Name of grace');
    expect(await codes(client)).toBe(0);
    // the user who is logged in now can answer that page
    expect(locationOf(await person.choose(answer)).searchParams.get('code')).toMatch(/./);
  });

  test('a redirect after a consent does not answer the request of another user', async () => {
    const person = await newPerson();
    const client = await site.client();
    const page = await person.openAuthorize(requestOf(client));
    const decided = await postForm(person.agent, '/oauth/authorize', {
      ...hiddenFields(page),
      granted_scope: 'photos:read',
      decision: 'allow',
    });
    expect(decided.status).toBe(303);
    await person.agent.post('/switch/grace');
    const next = await person.agent.get(String(decided.headers.location));
    expect(isConsentPage(next)).toBe(true);
    expect(next.text).toContain('Name of grace');
    expect(await codes(client)).toBe(0);
  });

  test('an account form of the previous user does not continue as anybody', async () => {
    const person = await newPerson();
    const client = await site.client({ trusted: true });
    const page = await person.openAuthorize(requestOf(client, { prompt: 'select_account' }));
    await person.agent.post('/switch/grace');
    const answer = await person.sendForm({ ...hiddenFields(page), account: 'continue' });
    expect(isOutOfDate(answer)).toBe(true);
    expect(await codes(client)).toBe(0);
  });

  test('a device form of the previous user connects no device', async () => {
    const person = await newPerson();
    const frame = await deviceClient(site);
    const authorization = await startDevice(site, frame);
    const page = await typeCode(person, authorization.user_code);
    expect(isConsentPage(page)).toBe(true);
    await person.agent.post('/switch/grace');
    const seen = await person.agent.get(`${PAGE}/request`).query({ user_code: authorization.user_code });
    expect(seen.status).toBe(303);
    const answer = await postForm(person.agent, PAGE, {
      ...hiddenFields(page),
      decision: 'allow',
      granted_scope: 'photos:read',
    });
    expect(answer.status).toBe(403);
    expect((await poll(site, frame, authorization)).body.error).toBe('authorization_pending');
  });

  test("a form of the previous user's connected apps disconnects nothing of the next user", async () => {
    const person = await newPerson();
    const client = await site.client();
    await person.authorize(requestOf(client));
    const page = await person.agent.get('/oauth/authorizations');
    await person.agent.post('/switch/grace');
    await person.authorize(requestOf(client));
    const answer = await postForm(person.agent, '/oauth/authorizations/revoke', {
      ...hiddenFields(page),
      client_id: client.clientId,
    });
    expect(answer.status).toBe(403);
    expect((await person.agent.get('/oauth/authorizations')).text).toContain(client.name);
  });
});

describe('a client that changes while its page is open', () => {
  const EVIL = 'https://evil.example/cb';
  /** Without the rights that the client cannot get. */
  const said = ({ text }: Response) => text.replace(/<div class="eas-limits">[^]*?<\/div>/, '');
  const bare = ({ clientId }: { readonly clientId: string }): Query => ({
    response_type: 'code',
    client_id: clientId,
    state: 'xyz',
  });

  test.each([
    ['the redirect URI', { redirectUris: [EVIL] }, 'evil.example'],
    ['the scopes', { scopes: ['photos:read', 'profile', 'photos:write'] }, 'Add and delete photos'],
    ['the name', { name: 'Your bank' }, 'Your bank'],
    ['the verification', { verified: false }, 'Not verified'],
  ] as const)('a consent page is shown again after a change of %s', async (_what, change, nowDisplayed) => {
    const person = await newPerson();
    const client = await site.client({ scopes: ['photos:read', 'profile'], verified: true });
    const page = await person.openAuthorize(bare(client));
    expect(said(page)).not.toContain(nowDisplayed);
    await site.oauth.clients.update(client.clientId, change);
    const answer = await person.choose(page);
    expect(isOutOfDate(answer)).toBe(true);
    expect(said(answer)).toContain(nowDisplayed);
    expect(await codes(client)).toBe(0);
    expect(locationOf(await person.choose(answer)).searchParams.get('code')).toMatch(/./);
  });

  test('a consent page is shown again if the client changes between the form and the redirect', async () => {
    const person = await newPerson();
    const client = await site.client({ scopes: ['profile'] });
    const page = await person.openAuthorize(bare(client));
    const taken = await postForm(person.agent, '/oauth/authorize', {
      ...hiddenFields(page),
      granted_scope: 'profile',
      decision: 'allow',
    });
    expect(taken.status).toBe(303);
    await site.oauth.clients.update(client.clientId, { redirectUris: [EVIL] });
    const answer = await person.agent.get(String(taken.headers.location));
    expect(isOutOfDate(answer)).toBe(true);
    expect(await codes(client)).toBe(0);
  });

  test('a device page is shown again if the client has changed since', async () => {
    const person = await newPerson();
    const frame = await deviceClient(site);
    const authorization = await startDevice(site, frame, { resource: 'https://frames.example' });
    const page = await typeCode(person, authorization.user_code);
    expect(page.text).toContain('Frame service');
    await site.oauth.clients.update(frame.clientId, { name: 'Your bank' });
    const send = (displayed: Response) =>
      postForm(person.agent, PAGE, {
        ...hiddenFields(displayed),
        decision: 'allow',
        granted_scope: 'photos:read',
      });
    const answer = await pageAfter(person.agent, await send(page));
    expect(isOutOfDate(answer)).toBe(true);
    expect(answer.text).toContain('Your bank');
    expect((await poll(site, frame, authorization)).body.error).toBe('authorization_pending');
    expect((await send(answer)).status).toBe(303);
  });

  test('a consent form counts if only fields outside the page have changed', async () => {
    const person = await newPerson();
    const client = await site.client();
    const page = await person.openAuthorize(bare(client));
    await site.oauth.clients.rotateSecret(client.clientId);
    expect(locationOf(await person.choose(page)).searchParams.get('code')).toMatch(/./);
  });
});

test('a consent page is shown again if the application has a new owner since', async () => {
  const person = await newPerson();
  const client = await site.client({ ownerId: 'bob' });
  const page = await person.openAuthorize(requestOf(client));
  expect(isConsentPage(page)).toBe(true);
  // as after a transfer
  await site.database.update('oauth_clients', client.clientId, {
    $set: { ownerId: 'eve', ownerSince: new Date() },
  });
  const answer = await person.choose(page);
  expect(isOutOfDate(answer)).toBe(true);
  expect(await codes(client)).toBe(0);
});
