import { describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { z } from 'zod';

import { bearerGuard } from '../../../lib/guard.js';
import { type ClientWithSecret, OAuthError } from '../../../lib/index.js';
import { createTestKey } from '../../support/assertions.js';
import {
  ACCOUNTS,
  BUDGET,
  DETAIL_TYPES,
  detailsParameter,
  IDENTITY,
  PAYMENT,
} from '../../support/authorization-details.js';
import { codeQuery, locationOf, logInPerson } from '../../support/person.js';
import { push, pushed } from '../../support/pushed-requests.js';
import { register } from '../../support/registration.js';
import { signRequest } from '../../support/request-objects.js';
import { openSite, REDIRECT_URI } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import {
  callApi,
  introspectAs,
  obtainCode,
  obtainTokens,
  redeem,
  refreshTokens,
  tokenRequest,
  whoseGrantIs,
} from '../../support/tokens.js';

const JWT_API = 'https://jwt.example';

const ownKey = fixture(() => createTestKey());
const site = siteFor({
  authorizationDetails: DETAIL_TYPES,
  pushedRequests: true,
  signedRequests: true,
  tokens: { reuseGrace: 10 },
  registration: { open: true, grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'] },
  resources: { [JWT_API]: { accessTokenFormat: 'jwt' } },
});
const client = fixture(() => site.client({ introspection: true }));

const query = (fields: object, of = client) => codeQuery(of, { state: 'xyz', ...fields });
const refresh = (token: string, fields = {}) => refreshTokens(site, client, token, { ...fields });
const introspect = (token: string) => introspectAs(site, client, token);
const claimsOf = (jwt: string) =>
  JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

describe('§5 invalid authorization details', () => {
  const wrong: [string, string][] = [
    ['no JSON', '[{"type":"payment"'],
    ['no list', JSON.stringify(PAYMENT)],
    ['an empty list', '[]'],
    ['a list of strings', '["payment"]'],
    ['a list in a list', JSON.stringify([[PAYMENT]])],
    ['null', 'null'],
    ['a detail without a type', '[{"amount":"20.00"}]'],
    ['a type that is no string', '[{"type":["payment"]}]'],
    ['a thousand details', JSON.stringify(Array.from({ length: 1000 }, () => ({ type: 'x' })))],
    ['a detail of 64 KB', JSON.stringify([{ ...PAYMENT, creditor: 'x'.repeat(65_536) }])],
    ['a deeply nested detail', JSON.stringify([{ ...PAYMENT, creditor: nested(40) }])],
    ['a field that is a prototype', '[{"type":"payment","__proto__":{"amount":"20.00"}}]'],
    ['a field that is an operator', JSON.stringify([{ ...PAYMENT, $where: '1' }])],
    ['a NUL in a string', JSON.stringify([{ ...PAYMENT, creditor: 'A\0B' }])],
  ];
  test.each(wrong)('%s in a pushed request is refused [2-1] [12-3]', async (_name, text) => {
    const { body, status } = await push(site, client, { authorization_details: text });
    // a body that is too large is refused before it is read
    expect([status, body.error]).toEqual(
      text.length > 60_000 && status === 413
        ? [413, 'invalid_request']
        : [400, 'invalid_authorization_details'],
    );
  });

  test.each([
    ['an unknown type', { type: 'loan' }],
    ['a type named like an object member', { type: 'constructor' }],
    ['an unknown field', { ...PAYMENT, urgent: true }],
    ['an unknown field that the schema would leave out', { ...ACCOUNTS, admin: true }],
    ['a field of a wrong type', { ...PAYMENT, amount: 20 }],
    ['an invalid value', { ...PAYMENT, currency: 'XYZ' }],
    ['a missing field', { type: 'payment', amount: '20.00', currency: 'EUR' }],
    ['a type with a look-alike letter [12-2]', { ...PAYMENT, type: 'p\u0430yment' }],
  ])(
    '%s is refused at each endpoint, without its values in the error [5-1] [5-2] [5-3] [5-4] [5-5] [12-2]',
    async (_name, detail) => {
      const wrong = detailsParameter(PAYMENT, detail);
      const person = await logInPerson(site);
      const { searchParams } = locationOf(await person.openAuthorize(query(wrong)));
      expect(searchParams.get('error')).toBe('invalid_authorization_details');
      expect(searchParams.get('state')).toBe('xyz');
      expect(searchParams.get('error_description')).not.toMatch(/urgent|admin|XYZ|loan|Merchant/);
      await push(site, client, wrong).expect(400, /invalid_authorization_details/);
      const credentials = tokenRequest(site, client, { grant_type: 'client_credentials', ...wrong });
      await credentials.expect(400, /invalid_authorization_details/);
    },
  );

  test('a code or a refresh token stays valid after a request with invalid authorization details [8-1]', async () => {
    const code = await obtainCode(site, client, { query: detailsParameter(ACCOUNTS) });
    const { body: refused } = await redeem(site, client, code, detailsParameter({ type: 'loan' })).expect(
      400,
    );
    expect(refused.error).toBe('invalid_authorization_details');
    const { body } = await redeem(site, client, code).expect(200);
    const wrong = detailsParameter({ ...ACCOUNTS, actions: ['steal'] });
    await refresh(body.refresh_token as string, wrong).expect(400, /invalid_authorization_details/);
    await refresh(body.refresh_token as string).expect(200);
  });

  test('events and errors have no values of authorization details [13-1]', async () => {
    const events: unknown[] = [];
    site.oauth.events.on('authorization.refused', (event) => events.push(event));
    await push(site, client, detailsParameter({ ...PAYMENT, creditor: 'Secret GmbH', urgent: true }));
    await obtainTokens(site, client, { query: detailsParameter({ ...PAYMENT, creditor: 'Secret GmbH' }) });
    expect(JSON.stringify([events, site.errors])).not.toContain('Secret GmbH');
  });

  test('a schema of authorization details that throws is answered 500 without the reason', async () => {
    await using broken = await openSite({
      pushedRequests: true,
      authorizationDetails: {
        odd: {
          schema: z.unknown().transform(() => {
            throw new Error('Secret GmbH is odd');
          }),
          describe: () => 'odd',
        },
        date: { schema: z.object({}).transform(() => 'no object'), describe: () => 'date' },
      },
    });
    const own = await broken.client();
    const { body } = await push(broken, own, detailsParameter({ type: 'odd' })).expect(500);
    expect(JSON.stringify(body)).not.toContain('Secret');
    await push(broken, own, detailsParameter({ type: 'date' })).expect(500);
  });
});

describe('§3 a request', () => {
  test('authorization details may be sent in the query, pushed, or signed, with several of one type [2-2] [2.2-1] [3-1] [12-1]', async () => {
    const two = [PAYMENT, { ...PAYMENT, creditor: 'Merchant B' }];
    const expected = expect.objectContaining({ authorization_details: two });
    expect(await obtainTokens(site, client, { query: detailsParameter(...two) })).toEqual(expected);
    const reference = await pushed(site, client, detailsParameter(...two));
    const person = await logInPerson(site);
    const code = (await person.authorize(reference)).searchParams.get('code') ?? '';
    expect((await redeem(site, client, code)).body).toEqual(expected);
    const signer = await site.client({ jwks: { keys: [ownKey.publicJwk] } });
    // RFC 9101 §4: in the claims an array is a real array
    const claims = { authorization_details: two, scope: undefined };
    const object = await signRequest(site, signer.clientId, ownKey, { claims });
    const other = await logInPerson(site);
    const page = await other.openAuthorize({
      client_id: signer.clientId,
      request: object,
      ...detailsParameter(IDENTITY),
    });
    expect(page.text).toContain('To Merchant B');
    expect(page.text).not.toContain('Know you');
  });

  test('a request with authorization details and without a scope gets no default scopes [3.1-2]', async () => {
    const alone = await obtainTokens(site, client, { query: detailsParameter(ACCOUNTS) });
    expect(alone.scope).toBeUndefined();
    const both = await obtainTokens(site, client, {
      query: { scope: 'photos:read', ...detailsParameter(ACCOUNTS) },
    });
    expect(both).toMatchObject({ scope: 'photos:read', authorization_details: [ACCOUNTS] });
  });

  test('authorization_details at the token endpoint has to be in the body once (RFC 6749 §3.2)', async () => {
    const fields = { grant_type: 'client_credentials' };
    const twice = { ...fields, authorization_details: ['[]', '[]'] };
    await tokenRequest(site, client, twice).expect(400, /authorization_details must be given once/);
    const inUrl = tokenRequest(site, client, fields).query(detailsParameter(ACCOUNTS));
    await inUrl.expect(400, /belong in the request body/);
  });

  test('a site without types refuses authorization_details, and the token endpoint ignores the parameter', async () => {
    await using plain = await openSite({ pushedRequests: true });
    const own = await plain.client();
    await push(plain, own, detailsParameter(PAYMENT)).expect(400, /invalid_authorization_details/);
    const fields = { grant_type: 'client_credentials', ...detailsParameter(PAYMENT) };
    const { body } = await tokenRequest(plain, own, fields).expect(200);
    expect(body).not.toHaveProperty('authorization_details');
    const twice = { ...fields, authorization_details: ['[]', '[]'] };
    await tokenRequest(plain, own, twice).expect(200);
    await tokenRequest(plain, own, fields).query(detailsParameter(PAYMENT)).expect(200);
    const { body: metadata } = await request(plain.server).get('/.well-known/oauth-authorization-server');
    expect(metadata).not.toHaveProperty('authorization_details_types_supported');
  });

  test('type names are printable ASCII, and wrong types throw at the start [2.1-1]', async () => {
    const { describe: say, schema } = DETAIL_TYPES.payment;
    await expect(
      openSite({ authorizationDetails: { 'p\u0430y': { schema, describe: say } } }),
    ).rejects.toThrow(/authorizationDetails: 'p.y' is no name of a type/);
    await expect(openSite({ authorizationDetails: { pay: { schema: {}, describe: say } } })).rejects.toThrow(
      /authorizationDetails.pay.schema must be a schema of zod/,
    );
  });
});

describe('§6, §7 tokens', () => {
  const all = detailsParameter(PAYMENT, ACCOUNTS);

  test('granted authorization details are in the token response, in req.auth and in introspection [7-1] [9-1] [9.2-1] [9.2-2]', async () => {
    const { access_token: token } = await obtainTokens(site, client, { query: all });
    const { body: auth } = await callApi(site, token);
    expect(auth.authorizationDetails).toEqual([PAYMENT, ACCOUNTS]);
    expect((await introspect(token)).authorization_details).toEqual([PAYMENT, ACCOUNTS]);
    const plain = await obtainTokens(site, client);
    expect(plain).not.toHaveProperty('authorization_details');
    expect((await callApi(site, plain.access_token)).body).not.toHaveProperty('authorizationDetails');
  });

  test('a token may have fewer authorization details, and the grant keeps the others [6-1] [6.1-1] [6.1-2]', async () => {
    const code = await obtainCode(site, client, { query: all });
    const less = { ...ACCOUNTS, actions: ['list'] };
    const { body } = await redeem(site, client, code, detailsParameter(less)).expect(200);
    expect(body.authorization_details).toEqual([less]);
    expect((await callApi(site, body.access_token as string)).body.authorizationDetails).toEqual([less]);
    expect((await introspect(body.access_token as string)).authorization_details).toEqual([less]);
    const { body: again } = await refresh(body.refresh_token as string).expect(200);
    expect(again.authorization_details).toEqual([PAYMENT, ACCOUNTS]);
    const { body: third } = await refresh(again.refresh_token as string, detailsParameter(PAYMENT));
    expect(third.authorization_details).toEqual([PAYMENT]);
    // members in another order are the same
    const turned = Object.fromEntries(Object.entries(PAYMENT).reverse());
    await refresh(third.refresh_token as string, detailsParameter(turned)).expect(200);
  });

  test.each([
    ['of another amount', { ...PAYMENT, amount: '2000.00' }],
    ['with more actions', { ...ACCOUNTS, actions: ['list', 'transactions'] }],
    ['of a type that was not granted', IDENTITY],
  ])('a token never has a detail %s [6-1]', async (_name, more) => {
    const code = await obtainCode(site, client, { query: all });
    const { body: refused } = await redeem(site, client, code, detailsParameter(more)).expect(400);
    expect(refused.error).toBe('invalid_authorization_details');
    const { body } = await redeem(site, client, code).expect(200);
    await refresh(body.refresh_token as string, detailsParameter(more)).expect(
      400,
      /invalid_authorization_details/,
    );
    await refresh(body.refresh_token as string).expect(200);
  });

  test('a token has a payment at most as often as granted [6-1]', async () => {
    const code = await obtainCode(site, client, { query: detailsParameter(PAYMENT, PAYMENT, ACCOUNTS) });
    const thrice = detailsParameter(PAYMENT, PAYMENT, PAYMENT);
    const { body: refused } = await redeem(site, client, code, thrice).expect(400);
    expect(refused.error).toBe('invalid_authorization_details');
    const { body } = await redeem(site, client, code, detailsParameter(PAYMENT, PAYMENT)).expect(200);
    expect(body.authorization_details).toEqual([PAYMENT, PAYMENT]);
    await refresh(body.refresh_token as string, thrice).expect(400, /invalid_authorization_details/);
  });

  test('a token has a budget at most once for each granted budget, at the code and at each refresh [6.1-3]', async () => {
    const smaller = { ...BUDGET, upTo: 20 };
    const code = await obtainCode(site, client, { query: detailsParameter(BUDGET, smaller) });
    const twice = detailsParameter(BUDGET, BUDGET);
    await redeem(site, client, code, twice).expect(400, /invalid_authorization_details/);
    // the smaller budget fits both, and leaves the larger budget to the other
    const { body } = await redeem(site, client, code, detailsParameter(smaller, BUDGET)).expect(200);
    expect(body.authorization_details).toEqual([smaller, BUDGET]);
    const { refresh_token: token } = body as { refresh_token: string };
    await refresh(token, twice).expect(400, /invalid_authorization_details/);
    await refresh(token, detailsParameter(smaller, smaller, smaller)).expect(400);
    await refresh(token, detailsParameter(smaller, smaller)).expect(200);
  });

  test('a repeated refresh with other authorization details does not get the same tokens', async () => {
    const code = await obtainCode(site, client, { query: all });
    const { body } = await redeem(site, client, code).expect(200);
    const other = await refresh(body.refresh_token as string, detailsParameter(ACCOUNTS)).expect(200);
    const same = await refresh(body.refresh_token as string, detailsParameter(ACCOUNTS)).expect(200);
    expect(same.body.access_token).toBe(other.body.access_token);
    await refresh(body.refresh_token as string).expect(400, /invalid_grant/);
  });

  test('a JWT has only the authorization details for its audience [3.2-1] [9-2] [9.1-1]', async () => {
    const here = { ...PAYMENT, locations: [`${JWT_API}/payments`] };
    const there = { ...PAYMENT, locations: ['https://jwt.example.evil/', `${site.url}/x`] };
    const tokens = await obtainTokens(site, client, {
      query: { ...detailsParameter(here, there, ACCOUNTS), resource: JWT_API },
    });
    expect(tokens).toMatchObject({ authorization_details: [here, ACCOUNTS] });
    expect(claimsOf(tokens.access_token)).toMatchObject({ authorization_details: [here, ACCOUNTS] });
    expect((await introspect(tokens.access_token)).authorization_details).toEqual([here, ACCOUNTS]);
    const grant = await site.database.collection('oauth_grants').findOne(whoseGrantIs(tokens.refresh_token));
    expect(grant?.authorization.authorizationDetails).toEqual([here, there, ACCOUNTS]);
  });

  test('a refresh omits authorization details that the client may no longer have', async () => {
    const own = await site.client();
    const tokens = await obtainTokens(site, own, { query: { ...all, scope: 'photos:read' } });
    await site.oauth.clients.update(own.clientId, { authorizationDetailsTypes: ['accounts'] });
    const again = await refreshTokens(site, own, tokens.refresh_token).expect(200);
    expect(again.body.authorization_details).toEqual([ACCOUNTS]);
  });
});

describe('§6 the client itself', () => {
  const credentials = (of: ClientWithSecret, ...details: object[]) =>
    tokenRequest(site, of, { grant_type: 'client_credentials', ...detailsParameter(...details) });

  test('client_credentials grants only authorization details of types that the site has set for the client [6-1]', async () => {
    const own = await site.client({ authorizationDetailsTypes: ['accounts'] });
    const { body } = await credentials(own, ACCOUNTS).expect(200);
    expect(body.authorization_details).toEqual([ACCOUNTS]);
    expect(body.scope).toBeUndefined();
    await credentials(own, ACCOUNTS, PAYMENT).expect(400, /invalid_authorization_details/);
    await credentials(client, ACCOUNTS).expect(400, /invalid_authorization_details/);
  });

  test('a client cannot register itself for authorization details without a person [10-2]', async () => {
    const { body } = await register(site, {
      redirect_uris: [REDIRECT_URI],
      grant_types: ['client_credentials', 'authorization_code'],
      authorization_details_types: ['accounts'],
    }).expect(201);
    expect(body.authorization_details_types).toEqual(['accounts']);
    const own = { clientId: body.client_id, clientSecret: body.client_secret } as ClientWithSecret;
    await credentials(own, ACCOUNTS).expect(400, /invalid_authorization_details/);
    await push(site, own, detailsParameter(ACCOUNTS)).expect(201);
    await push(site, own, detailsParameter(PAYMENT)).expect(400, /invalid_authorization_details/);
  });

  test('the password grant refuses authorization_details', async () => {
    await using other = await openSite({ authorizationDetails: DETAIL_TYPES, grantTypes: ['password'] });
    const own = await other.client({ grantTypes: ['password'] });
    const fields = { grant_type: 'password', username: 'ada', password: 'password of ada' };
    await tokenRequest(other, own, { ...fields, ...detailsParameter(PAYMENT) }).expect(
      400,
      /invalid_authorization_details/,
    );
    await tokenRequest(other, own, fields).expect(200);
  });
});

describe('§9 a separate resource server', () => {
  test('bearerGuard gets the authorization details of JWTs and of introspection, unchanged by earlier requests [9-1] [9-2]', async () => {
    const tokens = await obtainTokens(site, client, {
      query: { ...detailsParameter(ACCOUNTS), resource: JWT_API },
    });
    const { clientId, clientSecret } = client;
    const guard = bearerGuard({ issuer: site.url, resource: JWT_API });
    const opaque = bearerGuard({ issuer: site.url, clientId, clientSecret: clientSecret! });
    const { access_token: other } = await obtainTokens(site, client, { query: detailsParameter(PAYMENT) });
    for (const [by, token, expected] of [
      [guard, tokens.access_token, ACCOUNTS],
      [opaque, other, PAYMENT],
    ] as const) {
      const app = site.app;
      const path = `/own/${token.slice(-8)}`;
      app.get(path, by(), (req, res) => {
        const { authorizationDetails = [], extra } = req.auth!;
        res.json({ authorizationDetails, extra });
        (authorizationDetails[0] as { type: string }).type = 'changed';
      });
      const answers = [await callApi(site, token, path), await callApi(site, token, path)];
      for (const { body } of answers) expect(body).toEqual({ authorizationDetails: [expected] });
    }
  });
});

describe('§10 metadata', () => {
  test('the metadata of the server and of its resources lists the types [10-1]', async () => {
    const { body } = await request(site.server).get('/.well-known/oauth-authorization-server');
    expect(body.authorization_details_types_supported).toEqual(Object.keys(DETAIL_TYPES));
    const { body: resource } = await request(site.server).get('/.well-known/oauth-protected-resource');
    expect(resource.authorization_details_types_supported).toEqual(Object.keys(DETAIL_TYPES));
  });

  test('a client cannot be registered for unknown types [10-2]', async () => {
    await expect(site.client({ authorizationDetailsTypes: ['loan'] })).rejects.toThrow(OAuthError);
  });
});
