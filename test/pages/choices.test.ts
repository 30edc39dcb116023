import { beforeEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';

import { bearerGuard } from '../../lib/guard.js';
import type { ClientWithSecret } from '../../lib/index.js';
import { detailsParameter } from '../support/authorization-details.js';
import { DEVICE_CODE, deviceClient, personOf, poll, startDevice, typeCode } from '../support/device.js';
import {
  codeQuery,
  hiddenFields,
  locationOf,
  logInPerson,
  type Person,
  postForm,
  tickedScopes,
} from '../support/person.js';
import { openSite } from '../support/site.js';
import { siteFor } from '../support/site-for.js';
import { callApi, introspectAs, redeem, refreshTokens } from '../support/tokens.js';
import { withoutDetail } from '../support/without-detail.js';

const JWT_API = 'https://jwt.example';
let client: ClientWithSecret;
let person: Person;
/** The workspaces of each person. */
let members: Record<string, string[]>;
let isDown = false;
/** A result of `holds` other than true and false. */
let strange: { readonly answer: unknown } | undefined;
const requested: string[] = [];

const NAMES: Readonly<Record<string, string>> = { w1: 'Family', w2: '<b>Work</b>', w3: 'Club' };

const site = siteFor({
  pushedRequests: true,
  grantTypes: ['authorization_code', 'refresh_token', DEVICE_CODE],
  resources: { [JWT_API]: { accessTokenFormat: 'jwt' } },
  choices: {
    workspace: {
      label: { en: 'Which workspace?', de: 'Welcher Arbeitsbereich?' },
      details: 'It sees nothing of the others.',
      scopes: ['photos:read'],
      list: (user, { language = '' }) =>
        (members[String((user as { id: string }).id)] ?? []).map((value) => ({
          value,
          label: `${NAMES[value] ?? value}${language === 'de' ? ' (de)' : ''}`,
        })),
      holds(value, { userId, clientId }) {
        if (isDown) throw new Error('the database of the host is away');
        requested.push(`${value} ${userId} ${clientId}`);
        if (strange !== undefined) return strange.answer as boolean;
        return members[userId]?.includes(String(value)) ?? false;
      },
    },
    folders: {
      label: 'Which folders?',
      scopes: ['photos:write'],
      multiple: true,
      list: () =>
        Array.from({ length: 3 }, (_each, index) => ({ value: `f${index}`, label: `Folder ${index}` })),
    },
    maxAmount: {
      label: 'At most?',
      scopes: ['photos:write'],
      optional: true,
      number: { min: 1, max: 10, step: 0.5 },
    },
    expiresIn: { scopes: ['profile'], lifetime: [300, 86_400] },
  },
  authorizationDetails: {
    accounts: {
      schema: z.strictObject({
        actions: z.array(z.string()),
        accounts: z.array(z.string()).optional(),
      }),
      describe: ({ actions }) => `Accounts: ${actions.join(', ')}`,
      compare: (one, other) => one.actions.every((action: string) => other.actions.includes(action)),
      choices: {
        accounts: {
          label: 'Which accounts?',
          multiple: true,
          list: () => ['a1', 'a2', 'a3'].map((value) => ({ value, label: `Account ${value}` })),
        },
      },
    },
    savings: {
      schema: z.strictObject({
        pots: z.array(z.string()).optional(),
        max: z.number().optional(),
      }),
      describe: () => 'Move your savings',
      // ignores choices, which are compared all the same
      compare: () => true,
      choices: {
        pots: {
          label: 'Which pots?',
          multiple: true,
          optional: true,
          list: (user) =>
            [1, 2].map((pot) => ({ value: `${(user as { id: string }).id}-${pot}`, label: `Pot ${pot}` })),
        },
        max: { label: 'At most?', optional: true, number: { min: 1, max: 100 } },
      },
    },
  },
});
beforeEach(async () => {
  members = { ada: ['w1', 'w2'], eve: ['w3'] };
  client = await site.client({ introspection: true });
  person = await logInPerson(site);
});

const query = (fields: object = {}) => codeQuery(client, { state: 'xyz', scope: 'photos:read', ...fields });
const decide = async (fields: object, more: object = {}) => {
  const page = await person.openAuthorize(query(more));
  return person.sendForm({
    ...hiddenFields(page),
    granted_scope: tickedScopes(page),
    detail: tickedScopes(page, 'detail'),
    decision: 'allow',
    ...fields,
  });
};
async function tokensFor(fields: object, more: object = {}) {
  const sent = await decide(fields, more);
  const code = locationOf(sent).searchParams.get('code') ?? '';
  return (await redeem(site, client, code).expect(200)).body as Record<string, never>;
}
const refresh = (token: string, fields = {}) => refreshTokens(site, client, token, { ...fields });
const introspect = (token: string) => introspectAs(site, client, token);

describe('the choices of a person', () => {
  test('the consent page offers the person’s entries, in their language, without a default', async () => {
    const page = await person.openAuthorize(query());
    expect(page.text).toContain('Which workspace?');
    expect(page.text).toContain('&lt;b&gt;Work&lt;/b&gt;');
    expect(page.text).not.toMatch(/value="w\d" checked/);
    expect(page.text).not.toContain('Club');
    const german = await person.openAuthorize(query({ ui_locales: 'de' }));
    expect(german.text).toContain('Welcher Arbeitsbereich?');
    expect(german.text).toContain('Family (de)');
    // a choice of another scope
    const other = await person.openAuthorize(query({ scope: 'photos:write' }));
    expect(other.text).not.toContain('Which workspace?');
    expect(other.text).toContain('Which folders?');
  });

  test('a choice is in req.auth, in JWTs, in introspection and at a resource server', async () => {
    const tokens = await tokensFor({ 'choice-workspace': 'w2' });
    expect((await callApi(site, tokens.access_token!)).body.choices).toEqual({ workspace: 'w2' });
    expect((await introspect(tokens.access_token!)).authorization_choices).toEqual({ workspace: 'w2' });
    const jwt = await tokensFor({ 'choice-workspace': 'w1' }, { resource: JWT_API });
    site.app.get('/own/choices', bearerGuard({ issuer: site.url, resource: JWT_API })(), (req, res) => {
      res.json({ choices: req.auth?.choices, extra: req.auth?.extra });
    });
    expect((await callApi(site, jwt.access_token!, '/own/choices')).body).toEqual({
      choices: { workspace: 'w1' },
    });
  });

  test('a person can choose several entries of a list, and a number', async () => {
    const selected = { 'choice-folders': ['f0', 'f2'], 'choice-maxAmount': '2.5' };
    const tokens = await tokensFor(selected, { scope: 'photos:write' });
    expect((await callApi(site, tokens.access_token!)).body.choices).toEqual({
      folders: ['f0', 'f2'],
      maxAmount: 2.5,
    });
  });

  test('the page of a device has the choices of its scope', async () => {
    const device = await deviceClient(site);
    const authorization = await startDevice(site, device, { scope: 'photos:read' });
    const at = await personOf(site);
    const page = await typeCode(at, authorization.user_code);
    expect(page.text).toContain('Which workspace?');
    const send = (fields: object) =>
      postForm(at.agent, '/oauth/device', {
        ...hiddenFields(page),
        granted_scope: 'photos:read',
        decision: 'allow',
        ...fields,
      }).redirects(1);
    expect((await send({ 'choice-workspace': 'w3' })).text).toContain('Please choose one of these.');
    await send({ 'choice-workspace': 'w1' });
    const { body } = await poll(site, device, authorization).expect(200);
    const stored = await callApi(site, (body as { access_token: string }).access_token);
    expect(stored.body.choices).toEqual({ workspace: 'w1' });
  });
});

describe('a form with wrong choices', () => {
  test.each([
    ['no choice', {}],
    ['the workspace of somebody else', { 'choice-workspace': 'w3' }],
    ['two entries instead of one', { 'choice-workspace': ['w1', 'w2'] }],
    ['the name of a property of every object', { 'choice-workspace': 'constructor' }],
  ])('%s decides nothing, and the form retains its ticks', async (_name, fields) => {
    const page = await decide(
      { ...fields, granted_scope: ['photos:read'], ask_each_time: 'yes' },
      { scope: 'photos:read photos:write' },
    );
    expect(page.status).toBe(422);
    expect(page.text).toContain('Something is not picked yet');
    expect(page.text).toContain('Please choose one of these.');
    expect(tickedScopes(page)).toEqual(['photos:read']);
    expect(page.text).toMatch(/name="ask_each_time"[^>]* checked/);
    expect(await site.database.collection('oauth_grants').countDocuments({ clientId: client.clientId })).toBe(
      0,
    );
  });

  test.each(['0', '11', '2.7', '1e1', 'NaN', '0x2', '-1', ['2', '3']])(
    'the number %p is refused outside the range or the steps of the choice',
    async (value) => {
      const selected = { 'choice-folders': ['f0'], 'choice-maxAmount': value };
      const page = await decide(selected, { scope: 'photos:write' });
      expect(page.status).toBe(422);
      expect(page.text).toContain('Please type a number from 1 to 10.');
      expect(page.text).toMatch(/value="f0" checked/);
    },
  );

  test('choices that no scope asks for are ignored', async () => {
    const tokens = await tokensFor({
      'choice-workspace': 'w1',
      'choice-admin': 'yes',
      'choice-folders': 'f0',
    });
    expect((await callApi(site, tokens.access_token!)).body.choices).toEqual({ workspace: 'w1' });
  });

  test('a person without entries to choose can only deny', async () => {
    members = {};
    const page = await decide({ 'choice-workspace': 'w1' });
    expect(page.status).toBe(422);
    expect(page.text).toContain('There is nothing here that you could choose');
    const denied = await person.sendForm({ ...hiddenFields(page), decision: 'deny' });
    expect(locationOf(denied).searchParams.get('error')).toBe('access_denied');
  });

  test('a list() that throws is answered with 500 and grants nothing', async () => {
    members = null as never;
    const page = await person.openAuthorize(query());
    expect(page.status).toBe(500);
    expect(withoutDetail(page.text)).not.toContain('null');
  });
});

describe('remembered choices', () => {
  test('a remembered choice is used without a page as long as it is offered', async () => {
    await tokensFor({ 'choice-workspace': 'w2' });
    const silent = await person.openAuthorize(query({ prompt: 'none' }));
    const code = locationOf(silent).searchParams.get('code') ?? '';
    const { body } = await redeem(site, client, code).expect(200);
    expect((await callApi(site, body.access_token as string)).body.choices).toEqual({ workspace: 'w2' });
    const again = await person.openAuthorize(query({ prompt: 'consent' }));
    expect(again.text).toMatch(/value="w2" checked/);
    members.ada = ['w1'];
    const refused = await person.openAuthorize(query({ prompt: 'none' }));
    expect(locationOf(refused).searchParams.get('error')).toBe('consent_required');
  });

  test('a choice is not remembered for a person who wants to be asked, or who denies', async () => {
    await tokensFor({ 'choice-workspace': 'w2', ask_each_time: 'yes' });
    expect((await person.openAuthorize(query())).text).toContain('Which workspace?');
    await tokensFor({ 'choice-workspace': 'w2' });
    await decide({ decision: 'deny' }, { prompt: 'consent' });
    expect((await person.openAuthorize(query())).text).not.toMatch(/value="w2" checked/);
  });

  test('a trusted client skips the consent page for scopes, not for choices', async () => {
    client = await site.client({ trusted: true });
    const page = await person.openAuthorize(query());
    expect(page.text).toContain('Which workspace?');
    await tokensFor({ 'choice-workspace': 'w1' });
    expect((await person.openAuthorize(query())).status).toBe(302);
    expect((await person.openAuthorize(query({ scope: 'photos:write' }))).status).toBe(200);
  });
});

test('the page of a connected app shows the choices', async () => {
  const selected = { 'choice-workspace': 'w2', 'choice-folders': ['f1'], 'choice-maxAmount': '2.5' };
  await tokensFor(selected, { scope: 'photos:read photos:write' });
  const { text } = await person.agent.get(`/oauth/authorizations/${client.clientId}`);
  for (const terms of ['Which workspace?', '&lt;b&gt;Work&lt;/b&gt;', 'Folder 1', '2.5'])
    expect(text).toContain(terms);
  expect(text).toMatch(/value="f1" checked/);
  expect(text).not.toMatch(/value="f2" checked/);
});

describe('the function holds of a choice', () => {
  test('holds runs at each refresh, and false ends only the grant with this choice', async () => {
    const events: unknown[] = [];
    site.oauth.events.on('grant.revoked', ({ reason, userId }) => events.push({ reason, userId }));
    const { body: first } = await refresh(
      (await tokensFor({ 'choice-workspace': 'w2' })).refresh_token!,
    ).expect(200);
    expect(requested.at(-1)).toBe(`w2 ada ${client.clientId}`);
    const stored = await tokensFor({ 'choice-workspace': 'w1' }, { prompt: 'consent' });
    isDown = true;
    await refresh(first.refresh_token as string).expect(500);
    isDown = false;
    const { body: second } = await refresh(first.refresh_token as string).expect(200);
    members.ada = ['w1'];
    const { body: refused } = await refresh(second.refresh_token as string).expect(400);
    expect(refused.error).toBe('invalid_grant');
    expect(JSON.stringify(refused)).not.toContain('w2');
    expect(events).toEqual([{ reason: 'choice_lost', userId: 'ada' }]);
    await callApi(site, second.access_token as string).then(({ status }) => expect(status).toBe(401));
    await refresh(stored.refresh_token!).expect(200);
    // and the grant stays ended
    members.ada = ['w1', 'w2'];
    await refresh(second.refresh_token as string).expect(400);
  });
});

test.each([null, undefined, 'no', {}])(
  'a holds that returns %p is answered with 500 and ends nothing',
  async (answer) => {
    const { refresh_token: token } = await tokensFor({ 'choice-workspace': 'w1' }, { prompt: 'consent' });
    strange = { answer };
    const refused = await refresh(token!);
    strange = undefined;
    expect([refused.status, site.errors.at(-1)?.detail]).toEqual([
      500,
      'holds of the choice workspace: it gave neither true nor false',
    ]);
    await refresh(token!).expect(200);
  },
);

describe('the choice of a lifetime', () => {
  const selected = { 'choice-expiresIn': '300' };

  test('a chosen lifetime limits access tokens and refresh tokens', async () => {
    const tokens = await tokensFor(selected, { scope: 'profile' });
    expect(tokens.expires_in).toBeLessThanOrEqual(300);
    const { exp } = await introspect(tokens.refresh_token!);
    expect(Number(exp) - Date.now() / 1000).toBeLessThanOrEqual(300);
    const { body } = await refresh(tokens.refresh_token!).expect(200);
    expect((await introspect(body.refresh_token as string)).exp).toBe(exp);
  });

  test('a remembered lifetime continues, and a new one is chosen after its end', async () => {
    await tokensFor(selected, { scope: 'profile' });
    const of = { userId: 'ada', clientId: client.clientId };
    const consents = site.database.collection('oauth_consents');
    const endsAt = new Date(Date.now() + 100_000);
    await consents.updateOne(of, { $set: { endsAt } });
    const silent = await person.openAuthorize(query({ scope: 'profile' }));
    const code = locationOf(silent).searchParams.get('code') ?? '';
    const { body } = await redeem(site, client, code).expect(200);
    expect(body.expires_in).toBeLessThanOrEqual(100);
    await consents.updateOne(of, { $set: { endsAt: new Date(Date.now() - 1) } });
    expect((await person.openAuthorize(query({ scope: 'profile' }))).status).toBe(200);
  });

  test('a code is refused once the chosen lifetime is over', async () => {
    const sent = await decide(selected, { scope: 'profile' });
    await site.database
      .collection('oauth_grants')
      .updateOne(
        { clientId: client.clientId },
        { $set: { 'authorization.endsAt': new Date(Date.now() - 1) } },
      );
    const other = await openSite({ database: site.database, issuer: site.url });
    const code = locationOf(sent).searchParams.get('code') ?? '';
    const { body } = await redeem(other, client, code).expect(400);
    expect(body.error).toBe('invalid_grant');
    other.server.close();
  });

  test('the lifetimes are in the language of the person', async () => {
    const page = await person.openAuthorize(query({ scope: 'profile', ui_locales: 'de' }));
    expect(page.text).toContain('Wie lange darf sie Zugriff haben?');
    expect(page.text).toContain('24 Stunden');
  });
});

describe('choices of authorization details', () => {
  const open = { type: 'accounts', actions: ['list'] };

  test('a choice fills a field of a detail, and a refresh cannot widen it (RFC 9396 §7.1)', async () => {
    const tokens = await tokensFor(
      { 'choice-0-accounts': ['a1', 'a3'] },
      { scope: undefined, ...detailsParameter(open) },
    );
    const filled = { ...open, accounts: ['a1', 'a3'] };
    expect(tokens.authorization_details).toEqual([filled]);
    const { body } = await refresh(tokens.refresh_token!, detailsParameter(open)).expect(200);
    expect(body.authorization_details).toEqual([filled]);
    const less = { ...open, accounts: ['a3'] };
    const { body: third } = await refresh(body.refresh_token as string, detailsParameter(less)).expect(200);
    expect(third.authorization_details).toEqual([less]);
    const more = detailsParameter({ ...open, accounts: ['a2'] });
    await refresh(third.refresh_token as string, more).expect(400, /invalid_authorization_details/);
    // a request without a page gets the same entries
    const silent = await person.openAuthorize(query({ scope: undefined, ...detailsParameter(open) }));
    const code = locationOf(silent).searchParams.get('code') ?? '';
    expect((await redeem(site, client, code)).body.authorization_details).toEqual([filled]);
  });

  test('choices are limited to the client’s entries, and omitted for unticked details', async () => {
    const asking = { scope: 'photos:read', ...detailsParameter({ ...open, accounts: ['a2', 'zz'] }) };
    const page = await person.openAuthorize(query(asking));
    expect(page.text).toContain('Account a2');
    expect(page.text).not.toContain('Account a1');
    const refused = await decide({ 'choice-workspace': 'w1', 'choice-0-accounts': ['a1'] }, asking);
    expect(refused.status).toBe(422);
    const tokens = await tokensFor({ 'choice-workspace': 'w1', detail: [] }, asking);
    expect(tokens).not.toHaveProperty('authorization_details');
  });

  describe('optional choices', () => {
    const savings = { type: 'savings' };
    const asking = (fields: object) => ({ scope: undefined, ...detailsParameter({ ...savings, ...fields }) });

    test.each([
      ['of another person', { pots: ['eve-1'] }, { 'choice-0-pots': ['eve-1'] }],
      ['beyond its bounds', { max: 100_000 }, { 'choice-0-max': '100000' }],
    ])('an optional choice has no entry outside the offer: %s [6-1]', async (_what, fields, selected) => {
      for (const form of [{}, selected]) expect((await decide(form, asking(fields))).status).toBe(422);
    });

    test('an optional choice is made among the offered entries of the client', async () => {
      const fields = { pots: ['ada-1', 'ada-2', 'eve-1'] };
      expect((await decide({}, asking(fields))).status).toBe(422);
      const tokens = await tokensFor({ 'choice-0-pots': ['ada-2'] }, asking(fields));
      expect(tokens.authorization_details).toEqual([{ ...savings, pots: ['ada-2'] }]);
    });

    test.each([
      ['an entry', { pots: ['ada-1'] }],
      ['a number', { max: 100 }],
    ])('a refresh cannot add an optional choice: %s [6-1]', async (_what, fields) => {
      const tokens = await tokensFor({}, asking({}));
      expect(tokens.authorization_details).toEqual([savings]);
      const named = detailsParameter({ ...savings, ...fields });
      await refresh(tokens.refresh_token!, named).expect(400, /invalid_authorization_details/);
      const { body } = await refresh(tokens.refresh_token!, detailsParameter(savings)).expect(200);
      expect(body.authorization_details).toEqual([savings]);
    });
  });
});

describe('wrong options of choices', () => {
  const list = () => [];
  test.each([
    [{ a: { label: 'A' } }, /choices\.a: write one of list, number and lifetime/],
    [{ a: { label: 'A', list, lifetime: [5] } }, /choices\.a: write one of/],
    [{ a: { list } }, /choices\.a: write a label/],
    [{ 'a b': { label: 'A', list } }, /its name must be letters/],
    [{ a: { label: 'A', list, scopes: ['x'] } }, /its scope 'x' is not among scopes/],
    [{ a: { label: 'A', multiple: true, number: { min: 1, max: 2 } } }, /multiple is for a list/],
    [{ a: { label: 'A', number: { min: 3, max: 2 } } }, /min is more than max/],
  ])('the choices %j are refused when the server starts', async (choices, message) => {
    await expect(openSite({ choices })).rejects.toThrow(message);
  });
});
