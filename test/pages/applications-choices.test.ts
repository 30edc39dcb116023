import { describe, expect, jest, test } from '@jest/globals';

import type { AuthorizationServerOptions } from '../../lib/index.js';
import { FORM, ROOT } from '../support/applications.js';
import { registerInStep } from '../support/barrier.js';
import { openDatabase } from '../support/database.js';
import { codeQuery, hiddenFields, logInPerson, pageAfter, type Person, postForm } from '../support/person.js';
import { refusal } from '../support/refusal.js';
import { openSite, REDIRECT_URI, SCOPES, type Site } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { callApi, obtainTokens, tokenRequest } from '../support/tokens.js';
import { until } from '../support/until.js';

const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';
const COUPON = 'urn:example:coupon';
const ALL: Partial<AuthorizationServerOptions> = {
  security: { rateLimits: false },
  grantTypes: [
    'authorization_code',
    'refresh_token',
    'client_credentials',
    'password',
    'implicit',
    DEVICE,
    { grantType: COUPON, parameters: [], handle: () => Promise.resolve({ userId: 'ada' }) },
  ],
};

const displayed = (text: string, name: string) =>
  [...text.matchAll(new RegExp(`<input[^>]*name="${name}"[^>]*>`, 'g'))].map(
    ([input]) => /value="([^"]*)"/.exec(input)?.[1],
  );

/** Opens a form of the applications pages, and returns a function that sends the form with the chosen values. */
async function open({ agent }: Person, page: string, action: string) {
  const form = hiddenFields(await agent.get(`${ROOT}${page}`));
  return async (fields: Record<string, unknown> = {}) =>
    postForm(agent, `${ROOT}${action}`, {
      ...form,
      ...FORM,
      grant_type: ['authorization_code', 'refresh_token'],
      ...fields,
    });
}

async function send(person: Person, page: string, action: string, fields: Record<string, unknown> = {}) {
  return (await open(person, page, action))(fields);
}

/** The page with the reasons for a refused form. */
const refused = async (person: Person, ...form: [string, string, Record<string, unknown>?]) =>
  pageAfter(person.agent, await send(person, ...form));

describe('the choices of a developer for an application', () => {
  const site = siteFor(ALL);
  const ada = fixture(() => logInPerson(site));

  const owned = (more: object = {}) =>
    site.client({
      ownerId: 'ada',
      scopes: ['photos:read'],
      grantTypes: ['authorization_code', 'client_credentials'],
      ...more,
    });
  const edit = (clientId: string, fields: Record<string, unknown>) =>
    send(ada, `/${clientId}/edit`, `/${clientId}/edit`, fields);
  const editRefused = (clientId: string, fields: Record<string, unknown>) =>
    refused(ada, `/${clientId}/edit`, `/${clientId}/edit`, fields);
  const registered = async (clientId: string) => {
    const client = await site.oauth.clients.find(clientId);
    return { scopes: client?.scopes, grantTypes: client?.grantTypes };
  };

  test('developers can by default choose the grant types that ask a person', async () => {
    const { text } = await ada.agent.get(`${ROOT}/new`).expect(200);
    expect(displayed(text, 'grant_type')).toEqual(['authorization_code', 'refresh_token', DEVICE]);
    expect(displayed(text, 'scope')).toEqual(Object.keys(SCOPES));
  });

  test.each(['client_credentials', 'password', 'implicit', COUPON])(
    'developers cannot choose %s',
    async (grantType) => {
      const answer = await refused(ada, '/new', '', { grant_type: ['authorization_code', grantType] });
      expect(answer.status).toBe(422);
      expect(answer.text).toContain(grantType);
    },
  );

  test('an owner can narrow the grant types that code has set, and return to them', async () => {
    const { clientId } = await owned();
    const { text } = await ada.agent.get(`${ROOT}/${clientId}/edit`).expect(200);
    expect(displayed(text, 'grant_type')).toEqual(['authorization_code', 'client_credentials']);
    expect(displayed(text, 'scope')).toEqual(['photos:read']);
    expect((await edit(clientId, { grant_type: ['authorization_code'] })).status).toBe(303);
    expect((await registered(clientId)).grantTypes).toEqual(['authorization_code']);
    const both = ['authorization_code', 'client_credentials'];
    expect((await edit(clientId, { grant_type: both })).status).toBe(303);
    expect((await registered(clientId)).grantTypes).toEqual(both);
  });

  test('an owner cannot widen the scopes and grant types that code has set', async () => {
    const { clientId } = await owned();
    const before = await registered(clientId);
    for (const fields of [
      { scope: ['photos:read', 'photos:write'], grant_type: before.grantTypes },
      { grant_type: [...(before.grantTypes ?? []), 'refresh_token'] },
      { grant_type: [...(before.grantTypes ?? []), 'password'] },
    ])
      expect((await editRefused(clientId, fields)).status).toBe(422);
    expect(await registered(clientId)).toEqual(before);
  });

  const BOTH = ['authorization_code', 'client_credentials'];
  const expectNoScopeMore = async (by: Person, { oauth }: Site, clientId: string) => {
    const before = await oauth.clients.find(clientId);
    const { text } = await by.agent.get(`${ROOT}/${clientId}/edit`).expect(200);
    expect(displayed(text, 'scope')).toEqual(before?.scopes);
    const more = { scope: [...(before?.scopes ?? []), 'photos:write'], grant_type: before?.grantTypes };
    expect((await refused(by, `/${clientId}/edit`, `/${clientId}/edit`, more)).status).toBe(422);
    expect(await oauth.clients.find(clientId)).toEqual(before);
  };

  test('an owner cannot add scopes to a client_credentials application without `allowed`', async () => {
    const { clientId } = await owned({ scopes: ['photos:read', 'profile'] });
    await site.oauth.models.Client.updateOne({ _id: clientId }, { $unset: { allowed: 1 } });
    await expectNoScopeMore(ada, site, clientId);
    expect((await edit(clientId, { grant_type: BOTH })).status).toBe(303);
    expect(await registered(clientId)).toEqual({ scopes: ['photos:read'], grantTypes: BOTH });
    await expectNoScopeMore(ada, site, clientId);
    // without that grant type the application is an ordinary one, and cannot get it back
    const scope = ['photos:read', 'photos:write'];
    expect((await editRefused(clientId, { grant_type: ['authorization_code'], scope })).status).toBe(422);
    expect((await edit(clientId, { grant_type: ['authorization_code'] })).status).toBe(303);
    expect((await edit(clientId, { grant_type: ['authorization_code'], scope })).status).toBe(303);
    expect((await editRefused(clientId, { grant_type: BOTH, scope })).status).toBe(422);
  });

  test('an owner cannot add scopes to a client_credentials application with default ones', async () => {
    await using sparing = await openSite({ ...ALL, defaultScopes: ['photos:read', 'profile'] });
    const grace = await logInPerson(sparing, 'grace');
    const { clientId } = await sparing.client({ ownerId: 'grace', grantTypes: BOTH });
    const change = (fields: Record<string, unknown>) =>
      send(grace, `/${clientId}/edit`, `/${clientId}/edit`, fields);
    await expectNoScopeMore(grace, sparing, clientId);
    // nor in the meantime, so that the application can return to the values of code
    expect((await change({ grant_type: ['authorization_code'] })).status).toBe(303);
    await expectNoScopeMore(grace, sparing, clientId);
    expect((await change({ grant_type: BOTH })).status).toBe(303);
    expect(await sparing.oauth.clients.find(clientId)).toMatchObject({
      scopes: ['photos:read'],
      grantTypes: BOTH,
    });
  });

  test('an old form does not restore scopes that code has removed', async () => {
    const { clientId } = await owned({ scopes: ['photos:read', 'photos:write'] });
    const form = hiddenFields(await ada.agent.get(`${ROOT}/${clientId}/edit`));
    await site.oauth.clients.update(clientId, { scopes: ['photos:read'] });
    const answer = await postForm(ada.agent, `${ROOT}/${clientId}/edit`, {
      ...form,
      name: 'Renamed',
      redirect_uris: REDIRECT_URI,
      scope: ['photos:read', 'photos:write'],
      grant_type: ['authorization_code', 'client_credentials'],
    });
    expect((await pageAfter(ada.agent, answer)).status).toBe(422);
    expect((await registered(clientId)).scopes).toEqual(['photos:read']);
  });

  test('an owner can choose any available scope for an application of the form', async () => {
    const { headers } = await send(ada, '/new', '').then((answer) => {
      expect(answer.status).toBe(201);
      return answer;
    });
    const clientId = String(headers.location).split('/').at(-1) ?? '';
    expect((await edit(clientId, { scope: Object.keys(SCOPES) })).status).toBe(303);
    expect((await registered(clientId)).scopes).toEqual(Object.keys(SCOPES));
    expect((await editRefused(clientId, { grant_type: ['client_credentials'] })).status).toBe(422);
  });

  test('consent ends when an owner changes the name or the redirect URIs', async () => {
    const client = await site.client({ ownerId: 'ada', scopes: ['photos:read'] });
    const { grantTypes } = client;
    const query = codeQuery(client);
    await ada.authorize(query);
    await edit(client.clientId, { grant_type: ['authorization_code'] });
    expect((await ada.openAuthorize(query)).status).toBe(302);
    await edit(client.clientId, { grant_type: grantTypes, name: 'Your bank' });
    expect((await ada.openAuthorize(query)).status).toBe(200);
    await ada.authorize(query);
    await edit(client.clientId, {
      name: 'Your bank',
      redirect_uris: `${REDIRECT_URI}\nhttps://other.example/`,
    });
    expect((await ada.openAuthorize(query)).status).toBe(200);
  });
});

describe('the limit of applications under simultaneous forms', () => {
  /** A site on which Ada has 49 of 50 applications. */
  const openNearlyFull = async () => {
    const site = await openSite(ALL);
    const { models } = site.oauth;
    const { clientId } = await site.client({ ownerId: 'ada' });
    const one = await models.Client.findById(clientId).lean();
    await models.Client.insertMany(
      Array.from({ length: 48 }, (_, number) => ({ ...one, _id: `another-${number}` })),
    );
    return site;
  };
  const countOf = ({ oauth }: Site) => oauth.models.Client.countDocuments({ ownerId: 'ada' });

  test('one process stores simultaneous applications one after the other, up to the limit', async () => {
    await using site = await openNearlyFull();
    const ada = await logInPerson(site);
    // creates the session's secret for forms, which otherwise each of the four would create
    await ada.agent.get(`${ROOT}/new`);
    const forms = await Promise.all(Array.from({ length: 4 }, () => open(ada, '/new', '')));
    const arrived = jest.fn();
    site.server.on('request', arrived);
    const { prototype } = site.oauth.models.Client;
    const { save } = prototype;
    const saves = jest.spyOn(prototype, 'save').mockImplementation(async function (this: unknown, ...given) {
      await until(() => arrived.mock.calls.length === 4);
      // long enough for the others to count, if they do not wait
      for (let trips = 0; trips < 20; trips += 1) await countOf(site);
      return save.apply(this, given);
    });
    const answers = await Promise.all(forms.map((sendForm) => sendForm()));
    expect(saves).toHaveBeenCalledTimes(1);
    saves.mockRestore();
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 303, 303, 303]);
    expect(await countOf(site)).toBe(50);
  });

  test('two processes at the limit count again, and both refuse the application', async () => {
    await using site = await openNearlyFull();
    await using second = await openSite({ ...ALL, database: site.database, issuer: site.url });
    const created: unknown[] = [];
    for (const { oauth } of [site, second]) oauth.events.on('client.created', (event) => created.push(event));
    const people = await Promise.all([logInPerson(site), logInPerson(second)]);
    const forms = await Promise.all(people.map((person) => open(person, '/new', '')));
    const goOn = registerInStep(site);
    const answers = await Promise.all(forms.map((sendForm) => sendForm()));
    goOn();
    expect(answers.map(({ status }) => status)).toEqual([303, 303]);
    const page = await pageAfter(people[0].agent, answers[0]!);
    expect(page.text).toContain('You have 50 applications');
    expect({ count: await countOf(site), created }).toEqual({ count: 49, created: [] });
  });
});

describe('the option applications', () => {
  test('the option applications limits the choices of developers', async () => {
    await using site = await openSite({
      ...ALL,
      applications: { scopes: ['profile'], grantTypes: ['client_credentials'] },
    });
    const ada = await logInPerson(site);
    const { text } = await ada.agent.get(`${ROOT}/new`).expect(200);
    expect(displayed(text, 'grant_type')).toEqual(['client_credentials']);
    expect(displayed(text, 'scope')).toEqual(['profile']);
    const only = { scope: ['profile'], grant_type: ['client_credentials'], redirect_uris: '' };
    expect((await refused(ada, '/new', '', { ...only, scope: ['photos:read'] })).status).toBe(422);
    expect((await send(ada, '/new', '', only)).status).toBe(201);
  });

  test('the option applications does not limit administrators', async () => {
    await using site = await openSite({ ...ALL, applications: { isAdministrator: () => true } });
    const ada = await logInPerson(site);
    expect(
      (await send(ada, '/new', '', { grant_type: ['client_credentials'], redirect_uris: '' })).status,
    ).toBe(201);
  });

  test.each([
    [{ scopes: ['photos:sell'] }, /applications\.scopes: 'photos:sell' is not among scopes of the server/],
    [{ grantTypes: ['password'] }, /applications\.grantTypes: 'password' is not among grantTypes/],
    [{ grantType: ['password'] }, /applications has an unknown member 'grantType'/],
  ])('the option applications: %j is refused when the server starts', async (applications, message) => {
    await using database = await openDatabase();
    await expect(openSite({ database, applications })).rejects.toThrow(message);
  });
});

describe('guard({ requireUser: true })', () => {
  test('guard({ requireUser: true }) lets in tokens of users, not those of clients alone', async () => {
    await using site = await openSite({ before: () => undefined });
    site.app.get('/of-users', site.oauth.guard({ requireUser: true }), (req, res) => res.json(req.auth));
    site.app.use('/of-users', site.oauth.errorHandler);
    const client = await site.client();
    const { access_token: ofUser } = await obtainTokens(site, client);
    const { body } = await tokenRequest(site, client, { grant_type: 'client_credentials' });
    expect((await callApi(site, body.access_token)).status).toBe(200);
    expect(await callApi(site, ofUser, '/of-users')).toMatchObject({ status: 200, body: { userId: 'ada' } });
    expect(await callApi(site, body.access_token, '/of-users')).toMatchObject(
      refusal(403, 'insufficient_scope'),
    );
  });
});
