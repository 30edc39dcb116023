import { describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { letPass } from '../../support/clock.js';
import { createProofKey, prove } from '../../support/dpop.js';
import { JWT_BEARER_GRANT, openIssuer, present, presentAs } from '../../support/issuer.js';
import { logInPerson } from '../../support/person.js';
import { openSite } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { exchange, exchanger } from '../../support/token-exchange.js';
import { callApi } from '../../support/tokens.js';

const ID_JAG = { header: { typ: 'oauth-id-jag+jwt' } };
const API = 'https://api.photos.example';

/** The local user for the subject `7` of each issuer. */
const STAFF: Readonly<Record<string, string>> = { corp: 'ada', partner: 'grace' };
const left = new Set<string>();

const find =
  (of: string) =>
  ({ iss, sub }: { readonly iss: string; readonly sub: string }) =>
    sub === '7' && !left.has(iss) ? STAFF[of] : null;

const corp = fixture(() => openIssuer());
const partner = fixture(() => openIssuer());
const site = siteFor(() => ({
  dpop: true,
  tokenExchange: true,
  security: { rateLimits: false },
  resources: { [API]: { scopes: ['photos:read', 'photos:write'] }, 'https://other.example': {} },
  authorizationDetails: {
    album: {
      schema: {
        type: 'object',
        properties: { id: { type: 'string' } },
        required: ['id'],
        additionalProperties: false,
      },
      describe: ({ id }) => `Album ${String(id)}`,
      compare: (requested, granted) => requested.id === granted.id,
    },
  },
  assertions: [
    { kind: 'enterprise', issuer: corp.issuer, jwksUri: corp.jwksUri, findUser: find('corp') },
    { kind: 'partner', issuer: partner.issuer, jwksUri: partner.jwksUri, findUser: find('partner') },
  ],
}));
const agent = fixture(() => site.client({ name: 'Agent', grantTypes: [JWT_BEARER_GRANT], redirectUris: [] }));

const claims = (changes: Readonly<Record<string, unknown>> = {}) => ({
  sub: '7',
  aud: site.url,
  client_id: agent.clientId,
  resource: API,
  scope: 'photos:read photos:write',
  ...changes,
});
const idJag = (changes?: Readonly<Record<string, unknown>>) => corp.sign(claims(changes), ID_JAG);

describe('an agent of a company (ID-JAG)', () => {
  test('an ID-JAG gets a token for its person, with its resource and its scopes', async () => {
    const { body } = await presentAs(site, agent, await idJag()).expect(200);
    expect(body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 600,
      scope: 'photos:read photos:write',
      resource: API,
    });
    const grant = await site.oauth.models.Grant.findOne({ _id: body.access_token.slice(7, 29) }).lean();
    expect(grant).toMatchObject({ userId: 'ada', clientId: agent.clientId, grantType: JWT_BEARER_GRANT });
  });

  test('the metadata list the ID-JAG profile and the JWT bearer grant', async () => {
    const { body } = await request(site.server).get('/.well-known/oauth-authorization-server');
    expect(body.authorization_grant_profiles_supported).toEqual([
      'urn:ietf:params:oauth:grant-profile:id-jag',
    ]);
    expect(body.grant_types_supported).toContain(JWT_BEARER_GRANT);
  });

  test('a request can narrow the scopes and the resource of an ID-JAG, not widen them', async () => {
    const less = await presentAs(site, agent, await idJag(), { scope: 'photos:read' }).expect(200);
    expect(less.body.scope).toBe('photos:read');
    const read = { scope: 'photos:read' };
    const more = await presentAs(site, agent, await idJag(read), { scope: 'photos:write' }).expect(400);
    expect(more.body.error).toBe('invalid_scope');
    const elsewhere = { resource: 'https://other.example' };
    const other = await presentAs(site, agent, await idJag(), elsewhere).expect(400);
    expect(other.body.error).toBe('invalid_target');
  });

  test('scopes and resources of an ID-JAG that this server does not have are left out', async () => {
    const wide = await idJag({ scope: 'photos:read admin', resource: [API, 'https://unknown.example'] });
    expect((await presentAs(site, agent, wide).expect(200)).body).toMatchObject({
      scope: 'photos:read',
      resource: API,
    });
    const nothing = await presentAs(site, agent, await idJag({ scope: 'admin' })).expect(400);
    expect(nothing.body.error).toBe('invalid_scope');
    const nowhere = await idJag({ resource: 'https://unknown.example' });
    expect((await presentAs(site, agent, nowhere).expect(400)).body.error).toBe('invalid_target');
  });

  test('authorization details of an ID-JAG are validated, and a request can narrow them', async () => {
    const authorization_details = [
      { type: 'album', id: '1' },
      { type: 'album', id: '2' },
    ];
    const all = await presentAs(site, agent, await idJag({ authorization_details })).expect(200);
    expect(all.body.authorization_details).toEqual(authorization_details);
    const one = { authorization_details: JSON.stringify([{ type: 'album', id: '2' }]) };
    const narrow = await presentAs(site, agent, await idJag({ authorization_details }), one).expect(200);
    expect(narrow.body.authorization_details).toEqual([{ type: 'album', id: '2' }]);
    const none = await presentAs(site, agent, await idJag(), one).expect(400);
    expect(none.body.error).toBe('invalid_authorization_details');
    const unknown = await idJag({ authorization_details: [{ type: 'bank' }] });
    expect((await presentAs(site, agent, unknown).expect(400)).body.error).toBe(
      'invalid_authorization_details',
    );
  });

  test.each([
    ['another typ', {}, { header: { typ: 'JWT' } }],
    ['the claims of an ID token', { aud: 'client of the company', nonce: 'n' }, { header: { typ: 'JWT' } }],
    ['another client', { client_id: 'another' }, ID_JAG],
    ['no client', { client_id: undefined }, ID_JAG],
    ['no iat', { iat: undefined }, ID_JAG],
    ['no jti', { jti: undefined }, ID_JAG],
    ['another audience', { aud: 'https://other.example' }, ID_JAG],
    ['the token endpoint as the audience', { aud: `http://127.0.0.1/oauth/token` }, ID_JAG],
    ['two audiences', { aud: ['https://other.example', 'x'] }, ID_JAG],
    ['a tenant without an entry', { tenant: 'blue' }, ID_JAG],
    ['a subject without an account here', { sub: '8' }, ID_JAG],
    ['no subject', { sub: undefined }, ID_JAG],
    ['a scope that is a list', { scope: ['photos:read'] }, ID_JAG],
    ['an actor without a subject', { act: { name: 'x' } }, ID_JAG],
  ])('an ID-JAG with %s is refused with invalid_grant', async (_what, changes, header) => {
    const assertion = await corp.sign(claims(changes), header);
    const { body } = await presentAs(site, agent, assertion).expect(400);
    expect(body.error).toBe('invalid_grant');
  });

  test('an ID-JAG for a person who has left is refused', async () => {
    left.add(corp.issuer);
    expect((await presentAs(site, agent, await idJag()).expect(400)).body.error).toBe('invalid_grant');
    left.clear();
    await presentAs(site, agent, await idJag()).expect(200);
  });

  test('an ID-JAG needs an authenticated client that is registered for the grant', async () => {
    expect((await present(site, await idJag()).expect(401)).body.error).toBe('invalid_client');
    const wrong = { ...agent, clientSecret: 'eas_cs_wrong' };
    expect((await presentAs(site, wrong, await idJag()).expect(401)).body.error).toBe('invalid_client');
    const app = await site.client({ type: 'public', grantTypes: [JWT_BEARER_GRANT], redirectUris: [] });
    const assertion = await idJag({ client_id: app.clientId });
    expect((await presentAs(site, app, assertion).expect(400)).body.error).toBe('unauthorized_client');
    const other = await site.client({ grantTypes: ['client_credentials'] });
    const theirs = await idJag({ client_id: other.clientId });
    expect((await presentAs(site, other, theirs).expect(400)).body.error).toBe('unauthorized_client');
  });

  test('an ID-JAG is accepted once', async () => {
    const assertion = await idJag();
    const answers = await Promise.all([presentAs(site, agent, assertion), presentAs(site, agent, assertion)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  test('the actors of an ID-JAG are in req.auth and in the event token.issued', async () => {
    const events: unknown[] = [];
    site.oauth.events.once('token.issued', (event) => events.push(event));
    const act = { sub: 'assistant', act: { sub: 'scheduler' } };
    const { body } = await presentAs(site, agent, await idJag({ act, resource: site.url })).expect(200);
    const { body: auth } = await callApi(site, body.access_token);
    expect(auth).toMatchObject({ userId: 'ada', actor: { ...act, iss: corp.issuer } });
    expect(events).toMatchObject([{ userId: 'ada', actors: ['assistant', 'scheduler'] }]);
  });

  test('the page of a connected app lists each actor of its tokens once', async () => {
    const print = await exchanger(site);
    const helper = await site.client({
      grantTypes: [JWT_BEARER_GRANT],
      redirectUris: [],
      mayAct: [print.clientId],
    });
    for (const sub of ['<assistant>', '<assistant>', 'scheduler']) {
      const assertion = await idJag({
        ...{ client_id: helper.clientId, act: { sub }, may_act: { sub: print.clientId } },
      });
      const { body } = await presentAs(site, helper, assertion).expect(200);
      await exchange(site, print, body.access_token).expect(200);
    }
    const ada = await logInPerson(site);
    const { text } = await ada.agent.get(`/oauth/authorizations/${helper.clientId}`);
    const [line = ''] = /<dd id="authorization-through">.*?<\/dd>/s.exec(text) ?? [];
    const names = [...line.matchAll(/<bdi>(.*?)<\/bdi>/g)].map(([, name]) => name);
    expect(names.sort()).toEqual(['&lt;assistant&gt;', 'Print', 'scheduler']);
  });

  test('a chain of more than ten actors is refused in an ID-JAG and in an exchange', async () => {
    const print = await exchanger(site);
    await site.oauth.clients.update(agent.clientId, { mayAct: [print.clientId] });
    const chainOf = (length: number): object =>
      length === 1 ? { sub: 'first' } : { sub: `actor ${length}`, act: chainOf(length - 1) };
    const tokenWith = async (length: number) => {
      const assertion = await idJag({ act: chainOf(length), may_act: { sub: print.clientId } });
      return (await presentAs(site, agent, assertion).expect(200)).body.access_token as string;
    };
    await exchange(site, print, await tokenWith(9)).expect(200);
    const { body } = await exchange(site, print, await tokenWith(10)).expect(400);
    expect(body).toEqual({
      error: 'invalid_request',
      error_description: 'the token was exchanged too often',
    });
    await presentAs(site, agent, await idJag({ act: chainOf(11) })).expect(400);
  });

  test('only the client in may_act of an ID-JAG can exchange the token (RFC 8693 §4.4)', async () => {
    const [print, other] = await Promise.all(['Print', 'Other'].map((name) => exchanger(site, { name })));
    await site.oauth.clients.update(agent.clientId, { mayAct: [print!.clientId] });
    const tokenWith = async (may_act: unknown) =>
      (await presentAs(site, agent, await idJag({ may_act })).expect(200)).body.access_token as string;
    const named = await tokenWith({ sub: print!.clientId });
    await exchange(site, print!, named).expect(200);
    await exchange(site, other!, named).expect(400);
    for (const claim of [undefined, null, 'x', {}, { sub: other!.clientId }])
      await exchange(site, print!, await tokenWith(claim)).expect(400);
  });

  test('an ID-JAG with a key needs a proof of it and yields a token for this key (§8.6.1.2)', async () => {
    const [key, other] = [await createProofKey(), await createProofKey()];
    const proof = (of: typeof key) => prove(of, 'POST', `${site.url}/oauth/token`);
    const bound = () => idJag({ cnf: { jkt: key.jkt } });
    const without = await presentAs(site, agent, await bound()).expect(400);
    expect(without.body.error).toBe('invalid_grant');
    const wrong = await presentAs(site, agent, await bound())
      .set('DPoP', await proof(other))
      .expect(400);
    expect(wrong.body.error).toBe('invalid_grant');
    const right = await presentAs(site, agent, await bound())
      .set('DPoP', await proof(key))
      .expect(200);
    expect(right.body.token_type).toBe('DPoP');
    for (const cnf of [{}, null, 'x', { kid: 'x' }, { jkt: key.jkt, jwe: 'x' }, { jkt: 7 }]) {
      const answer = await presentAs(site, agent, await idJag({ cnf })).set('DPoP', await proof(key));
      expect([answer.status, (answer.body as { error?: string }).error]).toEqual([400, 'invalid_grant']);
    }
  });
});

describe('the users of a partner', () => {
  const assertion = (changes?: Readonly<Record<string, unknown>>) => partner.sign(claims(changes));

  test('the same subject at two issuers is two people', async () => {
    const ofPartner = await presentAs(site, agent, await assertion()).expect(200);
    const ofCorp = await presentAs(site, agent, await idJag()).expect(200);
    const users = await Promise.all(
      [ofPartner, ofCorp].map(async ({ body }) => {
        const _id = (body as { access_token: string }).access_token.slice(7, 29);
        return (await site.oauth.models.Grant.findOne({ _id }).lean())?.userId;
      }),
    );
    expect(users).toEqual(['grace', 'ada']);
  });

  test('an issuer cannot sign for another, and both can use the same jti', async () => {
    // the pause between two fetches of keys is over
    letPass(31);
    const forged = await partner.sign({ ...claims(), iss: corp.issuer }, ID_JAG);
    expect((await presentAs(site, agent, forged).expect(400)).body.error).toBe('invalid_grant');
    // the same jti of another issuer is another assertion
    const jti = 'one of many';
    await presentAs(site, agent, await idJag({ jti })).expect(200);
    await presentAs(site, agent, await assertion({ jti })).expect(200);
  });

  test.each([
    ['an ID token', { nonce: 'n' }],
    ['an ID token with the hash of an access token', { at_hash: 'x' }],
    ['for another client', { client_id: 'another' }],
  ])('a partner’s assertion is refused if it is %s', async (_what, changes) => {
    const { body } = await presentAs(site, agent, await assertion(changes)).expect(400);
    expect(body.error).toBe('invalid_grant');
  });

  test('a partner’s assertion needs no client_id if the client authenticates', async () => {
    await presentAs(site, agent, await assertion({ client_id: undefined })).expect(200);
  });
});

describe('the option assertions', () => {
  const entry = { kind: 'enterprise' as const, jwksUri: 'https://idp.example/keys', findUser: () => 'ada' };

  test('this server cannot be a trusted issuer itself (ID-JAG §9.3)', async () => {
    const own = { ...entry, issuer: 'https://photos.example' };
    await expect(openSite({ issuer: 'https://photos.example', assertions: [own] })).rejects.toThrow(
      /is this server itself/,
    );
  });

  test('the tenant of an ID-JAG selects the entry, and an ID-JAG without a tenant is refused', async () => {
    await using idp = await openIssuer();
    const tenant = (name: string, userId: string) => ({
      ...entry,
      ...{ issuer: idp.issuer, jwksUri: idp.jwksUri, tenant: name, findUser: () => userId },
    });
    await using several = await openSite({
      assertions: [tenant('blue', 'ada'), tenant('red', 'bob')],
    });
    const client = await several.client({ grantTypes: [JWT_BEARER_GRANT], redirectUris: [] });
    const by = async (name: string | undefined) =>
      presentAs(
        several,
        client,
        await idp.sign({ sub: '7', aud: several.url, client_id: client.clientId, tenant: name }, ID_JAG),
      );
    const [blue, red, none] = [await by('blue'), await by('red'), await by(undefined)];
    const users = await Promise.all(
      [blue, red].map(async ({ body }) => (await callApi(several, body.access_token)).body.userId as string),
    );
    expect(users).toEqual(['ada', 'bob']);
    expect(none.status).toBe(400);
  });

  test.each([
    [
      'an unknown kind',
      [{ ...entry, kind: 'company' }],
      "assertions.0.kind must be 'workload', 'enterprise' or 'partner', not 'company'",
    ],
    [
      'no kind',
      [{ ...entry, kind: undefined }],
      "assertions.0.kind is missing: it must be 'workload', 'enterprise' or 'partner'",
    ],
    [
      'text as an entry',
      ['x'],
      "assertions.0 must be an object with kind: 'workload', 'enterprise' or 'partner', not text",
    ],
    ['no findUser', [{ ...entry, findUser: undefined }], 'assertions.0.findUser is missing'],
    [
      'a member that is misspelt',
      [{ ...entry, tenants: 'blue' }],
      "assertions.0 has an unknown member 'tenants'; did you mean 'tenant'",
    ],
    [
      'a member of another kind',
      [{ ...entry, kind: 'partner', tenant: 'blue' }],
      "assertions.0 has an unknown member 'tenant'",
    ],
    [
      'an issuer twice',
      [entry, entry],
      'assertions.1: is never used: an earlier enterprise has the same issuer and tenant',
    ],
    [
      'a partner twice',
      [entry, { ...entry, kind: 'partner' }, { ...entry, kind: 'partner' }],
      'assertions.2: is never used: an earlier partner has the same issuer',
    ],
  ])('assertions with %s are refused when the server starts', async (_what, trust, text) => {
    const given = trust.map((each) =>
      typeof each === 'object' ? { issuer: 'https://idp.example', ...each } : each,
    );
    await expect(openSite({ assertions: given as never })).rejects.toThrow(text);
  });

  test('an issuer can be an enterprise and a partner: typ distinguishes the assertions', async () => {
    await using idp = await openIssuer();
    const of = { ...entry, issuer: idp.issuer, jwksUri: idp.jwksUri };
    await using both = await openSite({
      assertions: [{ ...of, kind: 'partner', findUser: () => 'bob' }, of],
    });
    const client = await both.client({ grantTypes: [JWT_BEARER_GRANT], redirectUris: [] });
    const given = { sub: '7', aud: both.url, client_id: client.clientId };
    const answers = [
      await presentAs(both, client, await idp.sign(given)),
      await presentAs(both, client, await idp.sign(given, ID_JAG)),
    ];
    const users = await Promise.all(
      answers.map(async ({ body }) => (await callApi(both, body.access_token)).body.userId as string),
    );
    expect(users).toEqual(['bob', 'ada']);
  });

  test('a findUser that throws is answered with 500', async () => {
    await using idp = await openIssuer();
    const failing = {
      ...{ ...entry, issuer: idp.issuer, jwksUri: idp.jwksUri },
      findUser: () => Promise.reject(new Error('down')),
    };
    await using failed = await openSite({ assertions: [failing] });
    const client = await failed.client({ grantTypes: [JWT_BEARER_GRANT], redirectUris: [] });
    const jwt = await idp.sign({ sub: '7', aud: failed.url, client_id: client.clientId }, ID_JAG);
    expect((await presentAs(failed, client, jwt)).status).toBe(500);
  });
});
