import { beforeEach, describe, expect, test } from '@jest/globals';
import request, { type Response } from 'supertest';
import { z } from 'zod';

import { commandsDuring } from '../../support/commands.js';
import { hiddenFields, logInPerson, pageAfter, postForm } from '../../support/person.js';
import { openSite } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { callApi } from '../../support/tokens.js';

const ROOT = '/oauth/access-tokens';
const DAY = 86_400;
const SCOPES = {
  'photos:read': 'See your photos',
  'photos:write': { description: 'Add photos', implies: ['photos:read'], optional: false },
  'photos:delete': { description: 'Delete photos for good', risk: 'high' },
  profile: 'See your name',
} as const;

const site = siteFor({
  scopes: SCOPES,
  personalAccessTokens: { serviceTokens: true },
  security: { rateLimits: false },
});

const ada = fixture(() => logInPerson(site));
const grace = fixture(() => logInPerson(site, 'grace'));
beforeEach(async () => {
  for (const userId of ['ada', 'grace']) await site.oauth.grants.revoke({ userId });
});

const make = (more = {}) =>
  site.oauth.personalAccessTokens.create({ userId: 'ada', name: 'Backup', scopes: ['photos:read'], ...more });
const list = () => site.oauth.personalAccessTokens.list({ userId: 'ada' });
const valueIn = ({ text }: Response) => /id="token-value"[^>]*>(eas_[^<]+)</.exec(text)?.[1];
const problemsIn = ({ text }: Response) =>
  [
    ...(/id="problem-summary"[\s\S]*?<\/div>/.exec(text)?.[0] ?? '').matchAll(/<a href="[^"]+">([^<]*)</g),
  ].map(([, problem]) => problem);

/** Fills in and sends the form of a new token. */
async function send(fields: Record<string, unknown> = {}, { agent } = ada): Promise<Response> {
  const page = await agent.get(`${ROOT}/new`).expect(200);
  return postForm(agent, ROOT, {
    ...hiddenFields(page),
    name: 'Backup',
    granted_scope: ['photos:read'],
    expires: String(7 * DAY),
    ...fields,
  });
}

describe('the form of a new token', () => {
  test('the form of a new token shows the value once, in its response', async () => {
    const made = await send({ purpose: 'Copies\r\nall of it' });
    expect(made.status).toBe(201);
    const token = String(valueIn(made));
    expect((await callApi(site, token, '/api/photos')).status).toBe(200);
    const [stored, ...more] = await list();
    expect([stored?.name, stored?.purpose, more]).toEqual(['Backup', 'Copies\nall of it', []]);
    expect(made.headers.location).toBe(`${ROOT}/${stored?.id}`);
    for (const page of [ROOT, String(made.headers.location)])
      expect((await ada.agent.get(page).expect(200)).text).not.toContain(token);
    const session = JSON.stringify(await ada.agent.get('/oauth/access-tokens/new').expect(200));
    expect(session).not.toContain(token);
  });

  test('the form of a new token has no scope ticked and selects 30 days', async () => {
    const { text } = await ada.agent.get(`${ROOT}/new`);
    expect(text).not.toMatch(/name="granted_scope"[^>]*checked/);
    expect(text).not.toContain('>needed<');
    expect(text).toMatch(/value="2592000" checked/);
  });

  test('the form of a new token makes one token if it is sent twice', async () => {
    const page = await ada.agent.get(`${ROOT}/new`);
    const fields = {
      ...hiddenFields(page),
      name: 'Twice',
      granted_scope: 'profile',
      expires: String(DAY * 7),
    };
    const post = () => ada.agent.post(ROOT).type('form').send(fields);
    const statuses = (await Promise.all([post(), post(), post()])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([201, 303, 303]);
    const again = await pageAfter(ada.agent, await post());
    expect(again.text).toContain('This token was made already');
    expect(await list()).toHaveLength(1);
  });

  test.each([
    ['no name', { name: ' ' }, 'Give the token a name.'],
    ['a name of 10,000 letters', { name: 'x'.repeat(10_000) }, 'The name can have 100 characters at most.'],
    ['a name that turns the reading direction', { name: 'Back\u202eup' }, 'cannot be seen'],
    ['a purpose that is too long', { purpose: 'x'.repeat(501) }, 'The text can have 500 characters at most.'],
    ['no scope', { granted_scope: [] }, 'Tick at least one thing that it can do.'],
    ['a scope that was not offered', { granted_scope: ['admin'] }, 'Tick at least one thing that it can do.'],
    ['no end', { expires: '' }, 'Choose when it expires.'],
    ['never, if it is not offered', { expires: 'never' }, 'Choose when it expires.'],
    ['a day in the past', { expires: 'date', expires_on: '2001-01-01' }, 'That day is over.'],
    ['the year 3000', { expires: 'date', expires_on: '3000-01-01' }, 'That is too late.'],
    ['too many seconds', { expires: '9999999999' }, 'That is too late.'],
    ['a day that does not exist', { expires: 'date', expires_on: '2027-02-31' }, 'Choose when it expires.'],
  ])('the form of a new token appears again for %s', async (_what, fields, problem) => {
    const page = await pageAfter(ada.agent, await send(fields));
    expect([page.status, problemsIn(page)]).toEqual([422, [expect.stringContaining(problem)]]);
    expect(await list()).toEqual([]);
  });

  test('the form of a service token selects 90 days and allows at most five years', async () => {
    const { text } = await ada.agent.get(`${ROOT}/new?kind=service`).expect(200);
    expect(text).toMatch(/value="7776000" checked/);
    expect(text).not.toMatch(/value="never" checked/);
    const last = new Date(/name="expires_on"[^>]* max="([^"]+)"/.exec(text)?.[1] ?? '');
    expect(last.getFullYear() - new Date().getFullYear()).toBeLessThanOrEqual(5);
  });

  test('the name of a new token is escaped', async () => {
    const made = await send({ name: '<i>Mark</i> "up"' });
    expect(made.text).toContain('<bdi>&lt;i&gt;Mark&lt;/i&gt; &#34;up&#34;</bdi>');
    expect((await ada.agent.get(ROOT)).text).not.toContain('<i>Mark');
  });

  test('a token with a dangerous scope needs a confirmation, which cannot be forged', async () => {
    const fields = { granted_scope: ['photos:delete', 'photos:read'] };
    const requested = await pageAfter(ada.agent, await send(fields));
    expect(requested.text).toContain('Delete photos for good');
    const sent = { ...hiddenFields(requested), granted_scope: ['photos:read', 'photos:delete'] };
    for (const forged of [
      { confirmation_token: 'x' },
      { name: 'Another one' },
      { expires: String(90 * DAY) },
    ]) {
      const answer = await postForm(ada.agent, ROOT, { ...sent, ...forged });
      expect(valueIn(answer)).toBeUndefined();
    }
    expect(await list()).toEqual([]);
    const made = await ada.agent.post(ROOT).type('form').send(sent);
    expect(valueIn(made)).toMatch(/^eas_pat_/);
  });

  test('simultaneous forms make no more than 50 tokens', async () => {
    await Promise.all(Array.from({ length: 45 }, () => make()));
    const pages = await Promise.all(Array.from({ length: 12 }, () => ada.agent.get(`${ROOT}/new`)));
    await Promise.all(
      pages.map((page) =>
        postForm(ada.agent, ROOT, {
          ...hiddenFields(page),
          name: 'Race',
          granted_scope: 'profile',
          expires: String(DAY * 7),
        }),
      ),
    );
    expect((await list()).length).toBeLessThanOrEqual(50);
    // reading the form clears the earlier message
    await ada.agent.get(`${ROOT}/new`);
    for (let left = 50 - (await list()).length; left > 0; left--) await make();
    const refused = await pageAfter(ada.agent, await send());
    expect(refused.text).toContain('There can be 50 tokens at once');
  });

  test('the form of a new token needs the CSRF token of its session', async () => {
    const foreign = hiddenFields(await grace.agent.get(`${ROOT}/new`)).csrf_token;
    for (const csrf_token of [undefined, foreign]) {
      const answer = await send({ csrf_token });
      expect([answer.status, valueIn(answer), await list()]).toEqual([403, undefined, []]);
    }
  });
});

describe('nobody sees or changes the token of somebody else', () => {
  const FORMS = ['scopes', 'rotate', 'revoke', 'leave', 'invite', 'withdraw', 'remove-owner'];

  test.each([{ userId: 'ada' }, { owners: ['ada'] }])('a token of %j is private', async (whose) => {
    const { userId, owners } = { userId: undefined, owners: undefined, ...whose };
    const { id, token } = await site.oauth.personalAccessTokens.create({
      ...(userId && { userId }),
      ...(owners && { owners }),
      name: 'Private name',
      scopes: ['photos:read', 'profile'],
    });
    const { csrf_token } = hiddenFields(await grace.agent.get(`${ROOT}/new`));
    for (const ending of ['', '/revoke', encodeURIComponent('/'), '/remove-owner?owner=ada']) {
      const path = `${ROOT}/${id}${ending}`;
      const { status, text } = await grace.agent.get(path);
      expect([status, text.includes('Private name')]).toEqual([404, false]);
    }
    for (const form of FORMS) {
      const sent = {
        csrf_token,
        rotations: '0',
        shown_scope: 'profile',
        scope: 'photos:read',
        id,
        userId: 'ada',
        person: 'grace',
        owner: 'ada',
        invitation: 'x',
      };
      const { status } = await grace.agent.post(`${ROOT}/${id}/${form}`).type('form').send(sent);
      expect([form, status]).toEqual([form, 404]);
    }
    await postForm(grace.agent, `${ROOT}/revoke-all`, { csrf_token, userId: 'ada', user_id: 'ada' });
    expect((await grace.agent.get(ROOT)).text).not.toContain('Private name');
    const called = await callApi(site, token);
    expect([called.status, called.body]).toEqual([
      200,
      expect.objectContaining({ scopes: ['photos:read', 'profile'] }),
    ]);
    await site.oauth.personalAccessTokens.revoke(id);
  });

  test('the pages of tokens redirect a visitor without a session to the login', async () => {
    const { id } = await make();
    for (const path of [ROOT, `${ROOT}/new`, `${ROOT}/${id}`]) {
      const { status, headers } = await request(site.server).get(path);
      expect([status, headers.location]).toEqual([303, expect.stringMatching(/^\/login/)]);
    }
    for (const path of [ROOT, `${ROOT}/${id}/revoke`, `${ROOT}/revoke-all`])
      expect((await request(site.server).post(path).type('form').send({})).status).toBe(303);
    expect(await list()).toHaveLength(1);
  });

  test('a bearer token cannot make, widen or list tokens, even beside a session', async () => {
    const { token, id } = await make({ scopes: Object.keys(SCOPES) });
    // nor can a token of an app, which a strategy of the site may take for a person as well
    for (const value of [token, 'eas_at_of-an-app']) {
      for (const path of [ROOT, `${ROOT}/new`, `${ROOT}/${id}`]) {
        const { status, text } = await ada.agent.get(path).set('Authorization', `Bearer ${value}`);
        expect([status, text.includes('Backup')]).toEqual([403, false]);
      }
    }
  });
});

describe('the page of a token', () => {
  test('the page of a token explains the revocation and mentions no app', async () => {
    const { id } = await make();
    const { text } = await ada.agent.get(`${ROOT}/${id}`);
    expect(text).toMatch(
      /id="revoke-heading">Revoke<\/h2>\s*<p>Programs that use it lose access at once\.<\/p>/,
    );
    expect(text).not.toContain('About this app');
  });

  test('the page of a token shows the last use and its address, at no cost for calls', async () => {
    const { id, token } = await make();
    const page = () => ada.agent.get(`${ROOT}/${id}`);
    expect((await page()).text).toContain('id="token-used">Not used yet');
    expect(await commandsDuring(site.database, () => callApi(site, token))).toEqual(['find oauth_grants']);
    expect((await page()).text).toMatch(
      /id="token-used"><time datetime="20[^>]+>[^<]+<\/time> from <code>[^<]*127/,
    );
  });

  test('the page of a token rotates it once, however often the form is sent', async () => {
    const { id, token } = await make();
    const page = await ada.agent.get(`${ROOT}/${id}`);
    const post = () => ada.agent.post(`${ROOT}/${id}/rotate`).type('form').send(hiddenFields(page));
    const answers = await Promise.all([post(), post(), post()]);
    const values = answers.flatMap((answer) => valueIn(answer) ?? []);
    expect(values).toHaveLength(1);
    for (const value of [token, ...values]) expect((await callApi(site, value)).status).toBe(200);
    const again = await pageAfter(ada.agent, await post());
    expect(again.text).toContain('It was replaced before');
  });

  test('the page of a blocked token shows the reason and offers no rotation', async () => {
    const { id } = await make({ name: 'Busy job' });
    await site.oauth.personalAccessTokens.block(id, { reason: 'It <b>calls</b> too often' });
    const page = await ada.agent.get(`${ROOT}/${id}`);
    expect(page.text).toContain('This site has blocked the token.');
    expect(page.text).toContain('It &lt;b&gt;calls&lt;/b&gt; too often');
    expect(page.text).not.toContain('id="token-rotate"');
    expect((await ada.agent.get(ROOT)).text).toMatch(/Busy job<\/bdi><\/a> <span class="eas-badge">blocked/);
    const { csrf_token } = hiddenFields(page);
    const sent = await postForm(ada.agent, `${ROOT}/${id}/rotate`, { csrf_token, rotations: '0' });
    expect([sent.status, valueIn(sent)]).toEqual([303, undefined]);
    await ada.agent.post(`${ROOT}/${id}/revoke`).type('form').send({ csrf_token });
    expect(await list()).toEqual([]);
  });

  test('the page of a token removes scopes and cannot add them again', async () => {
    const { id, token } = await make({ scopes: ['photos:write', 'profile'] });
    const page = await ada.agent.get(`${ROOT}/${id}`);
    const send = (scope: readonly string[]) =>
      postForm(ada.agent, `${ROOT}/${id}/scopes`, {
        ...hiddenFields(page),
        shown_scope: ['photos:write', 'photos:read', 'profile'],
        scope,
      });
    await send(['photos:read', 'profile']).expect(303);
    const scopes = async () => ((await callApi(site, token)).body as { scopes: string[] }).scopes.toSorted();
    expect(await scopes()).toEqual(['photos:read', 'profile']);
    await send(['photos:write', 'photos:read', 'profile', 'photos:delete']).expect(303);
    expect(await scopes()).toEqual(['photos:read', 'profile']);
    const nothing = await pageAfter(ada.agent, await send([]));
    expect([nothing.status, await scopes()]).toEqual([422, ['photos:read', 'profile']]);
  });

  test('the page of a token reports no change if an unticked scope is part of a ticked one', async () => {
    const { id, token } = await make({ scopes: ['photos:write', 'profile'] });
    const page = await ada.agent.get(`${ROOT}/${id}`);
    const sent = await postForm(ada.agent, `${ROOT}/${id}/scopes`, {
      ...hiddenFields(page),
      shown_scope: ['photos:write', 'photos:read', 'profile'],
      scope: ['photos:write', 'profile'],
    });
    expect((await pageAfter(ada.agent, sent)).text).not.toContain('can do less');
    expect((await callApi(site, token, '/api/photos')).status).toBe(200);
  });
});

describe('the list of tokens', () => {
  test('one button in the list of tokens ends all personal ones, not service tokens or apps', async () => {
    const [one, other] = [await make(), await make()];
    const service = await make({ userId: undefined, owners: ['ada'], name: 'Team' });
    const page = await ada.agent.get(ROOT);
    await ada.agent.post(`${ROOT}/revoke-all`).type('form').send(hiddenFields(page)).expect(303);
    const statuses = await Promise.all(
      [one, other, service].map(async ({ token }) => (await callApi(site, token)).status),
    );
    expect(statuses).toEqual([401, 401, 200]);
    await site.oauth.personalAccessTokens.revoke(service.id);
  });

  test('the list of tokens contains 50 tokens and ends all of them', async () => {
    const made = await Promise.all(
      Array.from({ length: 50 }, (_, index) => make({ name: `Number ${index}.`, scopes: ['profile'] })),
    );
    expect(await list()).toHaveLength(50);
    const page = await ada.agent.get(ROOT);
    for (const { name } of made) expect(page.text).toContain(name);
    await ada.agent.post(`${ROOT}/revoke-all`).type('form').send(hiddenFields(page)).expect(303);
    for (const { token } of made) expect((await callApi(site, token)).status).toBe(401);
  });

  test('the list of connected apps links to the list of tokens and contains no token', async () => {
    await make({ name: 'Not an app' });
    const { text } = await ada.agent.get('/oauth/authorizations');
    expect(text).toContain(`href="${ROOT}"`);
    expect(text).not.toContain('Not an app');
    expect((await ada.agent.get('/oauth/authorizations?sort=name')).text).not.toContain(
      'personal_access_token',
    );
  });

  test('the list of tokens has the applications of the person that act for themselves', async () => {
    await site.client({ name: 'Night job', grantTypes: ['client_credentials'], ownerId: 'ada' });
    expect((await ada.agent.get(ROOT)).text).toContain('Night job');
    expect((await grace.agent.get(ROOT)).text).not.toContain('Night job');
    await site.client({
      name: 'Job of two',
      grantTypes: ['client_credentials'],
      ownerId: 'ada',
      coOwnerIds: ['grace'],
    });
    expect((await grace.agent.get(ROOT)).text).toContain('Job of two');
  });

  test('the list of tokens has such applications once code has made a service token', async () => {
    await using other = await openSite({ personalAccessTokens: true });
    const bob = await logInPerson(other, 'bob');
    await other.client({ name: 'Night job', grantTypes: ['client_credentials'], ownerId: 'bob' });
    expect((await bob.agent.get(ROOT)).text).not.toContain('Night job');
    await other.oauth.personalAccessTokens.create({ owners: ['bob'], name: 'Team', scopes: ['profile'] });
    expect((await bob.agent.get(ROOT)).text).toContain('Night job');
  });
});

test('the form of a new token offers authorization details, which bind the token', async () => {
  const type = {
    schema: z.strictObject({ pots: z.array(z.string()).optional() }),
    describe: () => 'Move your savings',
    choices: {
      pots: {
        label: 'Which pots?',
        multiple: true,
        list: () => ['p1', 'p2'].map((value) => ({ value, label: `Pot ${value}` })),
      },
    },
  };
  await using other = await openSite({ personalAccessTokens: true, authorizationDetails: { savings: type } });
  const bob = await logInPerson(other, 'bob');
  for (const pots of [[], ['p3']]) {
    const page = await pageAfter(
      bob.agent,
      await send({ granted_scope: [], detail: '0', 'choice-0-pots': pots }, bob),
    );
    expect([page.status, page.text.includes('Which pots?')]).toEqual([422, true]);
  }
  const made = await send({ granted_scope: [], detail: '0', 'choice-0-pots': ['p1'] }, bob);
  expect((await callApi(other, String(valueIn(made)))).body).toMatchObject({
    scopes: [],
    authorizationDetails: [{ type: 'savings', pots: ['p1'] }],
  });
});

test('the curl line for a new token calls a route that accepts it', async () => {
  const elsewhere = 'https://albums.example/';
  await using other = await openSite({
    personalAccessTokens: true,
    resources: { [elsewhere]: { accessTokenFormat: 'opaque', scopes: ['photos:read'] } },
  });
  const bob = await logInPerson(other, 'bob');
  const lineFor = async (resource: string) => {
    const made = await send({ resource }, bob);
    return /id="token-curl"[^>]*>([^<]+)</.exec(made.text)?.[1];
  };
  expect(await lineFor('')).toContain(`${other.url}/oauth/personal-access-token`);
  expect(await lineFor(elsewhere)).toContain(elsewhere);
});
