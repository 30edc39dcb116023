import { afterEach, describe, expect, test } from '@jest/globals';
import type { Response } from 'supertest';

import { carryValue } from '../../../lib/core/http/carried-text.js';
import type { ClientWithSecret } from '../../../lib/index.js';
import { SHIPPED_MESSAGES } from '../../../lib/messages/index.js';
import type { PolicyResult } from '../../../lib/settings/options/policy-options.js';
import { SCOPE_CLAIMS } from '../../../lib/shared/protocol/standard-claims.js';
import { PERSON, userinfo, verifyIdToken } from '../../support/openid.js';
import {
  codeQuery,
  hiddenFields,
  locationOf,
  logInPerson,
  type Person,
  postForm,
  tickedScopes,
} from '../../support/person.js';
import { SCOPES } from '../../support/site.js';
import { siteFor } from '../../support/site-for.js';
import { introspectAs, redeem, refreshTokens, whoseGrantIs } from '../../support/tokens.js';

/** The scopes of each call of the policy, and its answer. */
let heard: readonly (readonly string[])[] = [];
let rule: (scopes: readonly string[]) => PolicyResult = () => undefined;

const HOSTILE = '<img src=x> "a" {user} $&';
const KNOWN = { ...PERSON, nickname: 'Countess', gender: 'female', [HOSTILE]: 'told' };
const ALL_OF_PROFILE = 'See your name, your picture and what else your profile says';

const site = siteFor({
  openid: {
    claims: () => Promise.resolve(KNOWN),
    scopeClaims: { 'photos:write': ['department', HOSTILE] },
  },
  scopes: {
    'photos:read': SCOPES['photos:read'],
    'photos:write': { description: 'Change your photos', risk: 'high' },
  },
  policy: {
    onAuthorize({ scopes }) {
      heard = [...heard, scopes];
      return rule(scopes);
    },
  },
});
afterEach(() => {
  rule = () => undefined;
});

interface Asking {
  readonly client: ClientWithSecret;
  readonly person: Person;
}
async function begin(fields: object = {}): Promise<Asking> {
  const person = await logInPerson(site);
  return { client: await site.client(fields), person };
}
/** A request for claims by name, at userinfo and in the ID token. */
const queryFor = (client: ClientWithSecret, claims: readonly string[], more: object = {}) => {
  const each = Object.fromEntries(claims.map((name) => [name, null]));
  return codeQuery(client, {
    scope: 'openid',
    claims: JSON.stringify({ userinfo: each, id_token: each }),
    ...more,
  });
};
const open = ({ client, person }: Asking, claims: readonly string[], more: object = {}) =>
  person.openAuthorize(queryFor(client, claims, more));
/** The result of a silent request: `code`, or an error. */
async function silently(asking: Asking, claims: readonly string[], more: object = {}): Promise<string> {
  const { searchParams } = locationOf(await open(asking, claims, { prompt: 'none', ...more }));
  return searchParams.get('error') ?? (searchParams.has('code') ? 'code' : 'nothing');
}
async function tokensOf({ client }: Asking, answer: Response) {
  const { body } = await redeem(site, client, String(locationOf(answer).searchParams.get('code'))).expect(
    200,
  );
  return body as { access_token: string; refresh_token: string; id_token: string; scope: string };
}
const reported = async (token: string) => (await userinfo(site, token)).body as Record<string, unknown>;
async function refresh({ client }: Asking, refresh_token: string) {
  const { body } = await refreshTokens(site, client, refresh_token);
  return body as { access_token: string; id_token: string; scope: string };
}
/** Deselects these names on the page of the connected app. */
async function takeBack({ client, person }: Asking, names: readonly string[]): Promise<void> {
  const path = `/oauth/authorizations/${client.clientId}`;
  const page = await person.agent.get(path).expect(200);
  const displayed = tickedScopes(page, 'scope');
  const unticked = names.map(carryValue);
  expect(displayed).toEqual(expect.arrayContaining(unticked));
  await postForm(person.agent, `${path}/scopes`, {
    csrf_token: hiddenFields(page).csrf_token,
    shown_scope: displayed,
    scope: displayed.filter((name) => !unticked.includes(name)),
  }).expect(303);
}

describe('§5.5 a single claim', () => {
  test('a single claim is described, returned and remembered without the rest of its scope', async () => {
    const asking = await begin({ introspection: true });
    const page = await open(asking, ['nickname']);
    expect(page.text).toContain('See your nickname');
    expect(page.text).not.toContain(ALL_OF_PROFILE);
    const tokens = await tokensOf(asking, await asking.person.choose(page));
    expect(tokens.scope).toBe('openid');
    expect(await reported(tokens.access_token)).toEqual({ sub: 'ada', nickname: 'Countess' });
    expect((await introspectAs(site, asking.client, tokens.access_token)).scope).toBe('openid');
    const grants = site.database.collection('oauth_grants');
    const stored = await grants.findOne(whoseGrantIs(tokens.refresh_token));
    expect(stored?.authorization.scopes).toEqual(['openid']);
    const refreshed = await refresh(asking, tokens.refresh_token);
    expect(refreshed.scope).toBe('openid');
    expect(await reported(refreshed.access_token)).toEqual({ sub: 'ada', nickname: 'Countess' });
    const claims = await verifyIdToken(site, refreshed.id_token, asking.client);
    expect(claims).toMatchObject({ nickname: 'Countess' });
    expect(claims).not.toHaveProperty('name');
    expect(await silently(asking, ['nickname'])).toBe('code');
    expect(await silently(asking, ['nickname#de'])).toBe('code');
    // another claim of the scope and the scope itself need consent
    expect(await silently(asking, ['nickname', 'gender'])).toBe('consent_required');
    expect(await silently(asking, [], { scope: 'openid profile' })).toBe('consent_required');
    expect(await silently(asking, ['nickname'], { scope: 'openid profile' })).toBe('consent_required');
    const more = await open(asking, ['gender']);
    expect(more.text).toContain('See your gender');
    expect(more.text).not.toContain(ALL_OF_PROFILE);
  });

  test('a claim of a requested scope is covered by the consent to the scope', async () => {
    const asking = await begin();
    const page = await open(asking, ['nickname'], { scope: 'openid profile' });
    expect(page.text).toContain(ALL_OF_PROFILE);
    expect(page.text).not.toContain('See your nickname');
    await asking.person.choose(page);
    expect(await silently(asking, ['nickname', 'gender'])).toBe('code');
    expect(await silently(asking, ['email'])).toBe('consent_required');
  });

  test('a person may refuse an essential claim, which is then neither returned nor remembered [5.5.1-1]', async () => {
    const asking = await begin();
    const claims = JSON.stringify({ userinfo: { nickname: { essential: true }, email: null, gender: null } });
    const page = await open(asking, [], { claims });
    const unticked = ['claim\\nickname', 'claim\\gender'].map(carryValue);
    const left = tickedScopes(page).filter((name) => !unticked.includes(name));
    const tokens = await tokensOf(asking, await asking.person.choose(page, { scopes: left }));
    expect(await reported(tokens.access_token)).toEqual({ sub: 'ada', email: PERSON.email });
    expect(await silently(asking, ['email'])).toBe('code');
    expect(await silently(asking, ['nickname'])).toBe('consent_required');
    expect(await silently(asking, ['email_verified'])).toBe('consent_required');
  });

  test('a refused claim voids the consent to its scope', async () => {
    const asking = await begin();
    await asking.person.choose(await open(asking, [], { scope: 'openid profile' }));
    const page = await open(asking, ['nickname'], { prompt: 'consent' });
    await asking.person.choose(page, { scopes: ['openid'] });
    expect(await silently(asking, ['nickname'])).toBe('consent_required');
  });

  test('a claim cannot be requested as a scope, and a form cannot grant unrequested claims', async () => {
    const asking = await begin();
    const requested = await open(asking, [], { scope: 'openid claim\\nickname' });
    expect(locationOf(requested).searchParams.get('error')).toBe('invalid_scope');
    const page = await open(asking, ['nickname']);
    const scopes = [...tickedScopes(page), 'profile', carryValue('claim\\gender'), 'photos:read'];
    const tokens = await tokensOf(asking, await asking.person.choose(page, { scopes }));
    expect(tokens.scope).toBe('openid');
    expect(await reported(tokens.access_token)).toEqual({ sub: 'ada', nickname: 'Countess' });
    expect(await silently(asking, [], { scope: 'openid profile' })).toBe('consent_required');
  });

  test('a claim of the site is shown as text, and has the risk of its scope', async () => {
    const asking = await begin({ verified: true });
    const page = await open(asking, [HOSTILE, '<script>alert(1)</script>']);
    expect(page.text).toContain('&lt;img src=x&gt; &#34;a&#34; {user} $&amp;');
    expect(page.text).not.toContain('<img src=x>');
    expect(page.text).not.toContain('alert(1)');
    // a risky claim is not preselected
    expect(tickedScopes(page)).toEqual([]);
    const scopes = ['openid', `claim\\${HOSTILE.replaceAll(' ', '%20')}`];
    const tokens = await tokensOf(asking, await asking.person.choose(page, { scopes }));
    expect(await reported(tokens.access_token)).toEqual({ sub: 'ada', [HOSTILE]: 'told' });
    expect(await silently(asking, [HOSTILE])).toBe('code');
    const app = await asking.person.agent.get(`/oauth/authorizations/${asking.client.clientId}`);
    expect(app.text).toContain('&lt;img src=x&gt;');
    expect(app.text).not.toContain('<img src=x>');
  });
});

describe('the names of claims', () => {
  test.each(Object.entries(SHIPPED_MESSAGES))(
    'the language %s has a text for each claim of §5.1',
    async (locale, texts) => {
      const asking = await begin();
      const all = Object.values(SCOPE_CLAIMS).flat();
      const page = await open(asking, all, { ui_locales: locale });
      const said = Object.entries(texts).flatMap(([key, text]) =>
        /^claim\.(?!other)|^openid\.(email|address|phone)$/.test(key) ? [text] : [],
      );
      expect(new Set(said).size).toBe(all.length);
      for (const text of said) expect(page.text).toContain(text.replaceAll("'", '&#39;'));
      expect(page.text).not.toContain(texts['openid.profile']);
    },
  );
});

describe('the policy of the site', () => {
  test('the policy gets the scopes of requested claims, and removes the claims of a removed scope', async () => {
    const asking = await begin();
    heard = [];
    await open(asking, ['nickname', 'email']);
    expect(heard).toEqual([['openid', 'profile', 'email']]);
    rule = (scopes) => ({ scopes: scopes.filter((scope) => scope !== 'profile') });
    const page = await open(asking, ['nickname', 'email']);
    expect(page.text).not.toContain('See your nickname');
    const tokens = await tokensOf(asking, await asking.person.choose(page));
    // a scope that only stands for a claim is not granted, even if the policy leaves the scope
    expect([tokens.scope, await reported(tokens.access_token)]).toEqual([
      'openid',
      { sub: 'ada', email: PERSON.email },
    ]);
  });
});

describe('withdrawn consent', () => {
  const AFTER = { sub: 'ada', email: PERSON.email };

  test('a person may withdraw one claim and keep the others', async () => {
    const asking = await begin();
    const page = await open(asking, ['nickname', 'email']);
    const tokens = await tokensOf(asking, await asking.person.choose(page));
    const code = String(locationOf(await open(asking, ['nickname'])).searchParams.get('code'));
    const app = await asking.person.agent.get(`/oauth/authorizations/${asking.client.clientId}`);
    expect(app.text).toContain('See your nickname');
    expect(app.text).not.toContain(ALL_OF_PROFILE);
    await takeBack(asking, ['claim\\nickname']);
    const refreshed = await refresh(asking, tokens.refresh_token);
    expect(await verifyIdToken(site, refreshed.id_token, asking.client)).not.toHaveProperty('nickname');
    for (const { access_token } of [tokens, refreshed]) expect(await reported(access_token)).toEqual(AFTER);
    // the code is from before the withdrawal
    expect((await redeem(site, asking.client, code)).body.error).toBe('invalid_grant');
    expect(await silently(asking, ['nickname'])).toBe('consent_required');
    expect(await silently(asking, ['email'])).toBe('code');
  });

  test('the withdrawal of a scope ends claims that were granted because of the scope', async () => {
    const asking = await begin();
    await asking.person.choose(await open(asking, ['email'], { scope: 'openid profile' }));
    const tokens = await tokensOf(asking, await open(asking, ['nickname', 'email']));
    expect(await reported(tokens.access_token)).toEqual({ ...AFTER, nickname: 'Countess' });
    await takeBack(asking, ['profile']);
    const refreshed = await refresh(asking, tokens.refresh_token);
    expect(await verifyIdToken(site, refreshed.id_token, asking.client)).not.toHaveProperty('nickname');
    for (const { access_token } of [tokens, refreshed]) expect(await reported(access_token)).toEqual(AFTER);
    expect(await silently(asking, ['nickname'])).toBe('consent_required');
  });

  test('the withdrawal of a scope ends separately granted claims of the scope', async () => {
    const asking = await begin();
    const first = await tokensOf(
      asking,
      await asking.person.choose(await open(asking, ['nickname', 'email'])),
    );
    await asking.person.choose(await open(asking, [], { scope: 'openid profile' }));
    await takeBack(asking, ['profile']);
    expect(await reported(first.access_token)).toEqual(AFTER);
    expect(await silently(asking, ['nickname'])).toBe('consent_required');
  });

  test('a claim that is not remembered can be withdrawn on the page of the app', async () => {
    const asking = await begin();
    const page = await open(asking, ['nickname', 'email']);
    const answer = await asking.person.sendForm({
      ...hiddenFields(page),
      granted_scope: tickedScopes(page),
      ask_each_time: 'yes',
      decision: 'allow',
    });
    const tokens = await tokensOf(asking, answer);
    expect(await silently(asking, ['nickname'])).toBe('login_required');
    await takeBack(asking, ['claim\\nickname']);
    expect(await reported(tokens.access_token)).toEqual(AFTER);
  });
});
