import { createHmac, createPublicKey } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import request from 'supertest';

import { bearerGuard, errorHandler } from '../../lib/guard.js';
import type { PublicJwk } from '../../lib/index.js';
import { claimsOf, postAssertion } from '../support/assertions.js';
import { openJwksServer } from '../support/jwks-server.js';
import { attackerKey, forge, hostKey, signTexts, signWith, takeApart } from '../support/jwt.js';
import { fixture, siteFor } from '../support/site-for.js';
import { callApi, tokenRequest } from '../support/tokens.js';

const PHOTOS = 'https://api.photos.example';
const { key, jwk } = hostKey();

/** The three places that accept JWTs: the API of the site, one elsewhere, and the authentication of clients. */
const site = siteFor({
  tokens: { accessTokenFormat: 'jwt' },
  signingKeys: { keys: [jwk] },
  resources: { [PHOTOS]: {} },
  security: { rateLimits: false },
});
const attackersKeys = fixture(() => openJwksServer());
const attacker = attackerKey();
const publicPart = (of: typeof key) => createPublicKey(of).export({ format: 'jwk' });

interface Place {
  /** The status of a JWT with this header, signed by the key (default: the right one). */
  readonly send: (header: Record<string, unknown>, by?: typeof key) => Promise<number>;
  /** The status of a JWT with these texts and a valid signature. */
  readonly sendTexts: (header: string, claims: string) => Promise<number>;
  readonly sendToken: (jwt: string) => Promise<number>;
  readonly header: () => Record<string, unknown>;
  readonly claims: () => Record<string, unknown>;
}
let places: Record<'site API' | 'API elsewhere' | 'client authentication', Place>;
const PLACES = ['site API', 'API elsewhere', 'client authentication'] as const;

beforeAll(async () => {
  attackersKeys.json({ keys: [{ ...publicPart(attacker), kid: 'of the host', alg: 'ES256' }] });
  const guard = bearerGuard({ issuer: site.url, resource: PHOTOS, onError: () => undefined });
  const elsewhere = express()
    .get('/', guard(), (_req, res) => void res.end())
    .use(errorHandler);
  const client = await site.client({
    jwks: { keys: [{ ...publicPart(key), kid: 'of the host' } as unknown as PublicJwk] },
    grantTypes: ['client_credentials'],
  });
  const withSecret = await site.client();
  const tokenFor = async (fields: object) =>
    (await tokenRequest(site, withSecret, { grant_type: 'client_credentials', ...fields })).body
      .access_token as string;
  const [ownToken, photosToken] = [await tokenFor({}), await tokenFor({ resource: PHOTOS })];
  places = {
    'site API': placeOf(
      async (jwt) => (await callApi(site, jwt)).status,
      () => takeApart(ownToken),
    ),
    'API elsewhere': placeOf(
      async (jwt) => (await request(elsewhere).get('/').set('Authorization', `Bearer ${jwt}`)).status,
      () => {
        const { header, claims } = takeApart(photosToken);
        // an unknown kid of a token younger than the keys may be a new key (test/guard/bearer-guard.test.ts)
        return { header, claims: { ...claims, iat: Number(claims.iat) - 120 } };
      },
    ),
    'client authentication': placeOf(
      async (jwt) => (await postAssertion(site, jwt)).status,
      () => ({ header: { alg: 'ES256', kid: 'of the host' }, claims: claimsOf(site, client.clientId) }),
    ),
  };
});
// each was refused on purpose, none because of a crash
afterAll(() => expect(site.errors.filter(({ error }) => error === 'server_error')).toEqual([]));

function placeOf(
  sendToken: Place['sendToken'],
  parts: () => { header: Record<string, unknown>; claims: Record<string, unknown> },
): Place {
  return {
    sendToken,
    header: () => parts().header,
    claims: () => parts().claims,
    send: async (header, by = key) =>
      sendToken(await signWith(by, { ...parts().header, ...header }, parts().claims)),
    sendTexts: (header, claims) => sendToken(signTexts(key, header, claims)),
  };
}

describe.each(PLACES)('JWTs of attackers at the %s', (name) => {
  const place = () => places[name];

  test('a valid JWT is accepted, so that the others are refused for their fault', async () => {
    expect(await place().send({})).toBe(200);
    expect(await place().sendTexts(JSON.stringify(place().header()), JSON.stringify(place().claims()))).toBe(
      200,
    );
  });

  test.each([
    ['a path', '../../../../dev/null'],
    ['a file', 'file:///proc/self/environ'],
    ['a URL', 'http://127.0.0.1:1/key'],
    ['SQL', "x' UNION SELECT 'key' --"],
    ['a query of MongoDB', '{"$ne":null}'],
    ['a shell', '$(touch /tmp/x)`id`;|id'],
    ['a member of every object', '__proto__'],
    ['a method of every object', 'constructor'],
    ['a NUL', 'of the host\0'],
    ['text in reverse direction', '\u202eof the host'],
    ['empty', ''],
    ['4000 characters', 'k'.repeat(4000)],
  ])('a JWT with a kid that is %s is refused', async (_what, kid) => {
    expect(await place().send({ kid })).toBe(401);
    expect(await place().send({ kid }, attacker)).toBe(401);
  });

  test.each([7, { $ne: null }, ['of the host'], null, true])('a JWT with kid %j is refused', async (kid) => {
    const header = JSON.stringify({ ...place().header(), kid });
    expect([400, 401]).toContain(await place().sendTexts(header, JSON.stringify(place().claims())));
  });

  test('a JWT with a header of a megabyte is refused', async () => {
    const huge = signTexts(
      key,
      JSON.stringify({ ...place().header(), kid: 'k'.repeat(1_000_000) }),
      JSON.stringify(place().claims()),
    );
    // Node itself refuses such an HTTP header, and the form parser such a body
    expect([400, 401, 413, 431]).toContain(
      await place()
        .sendToken(huge)
        .catch((error: unknown) => {
          if (!/ECONNRESET|EPIPE|hang up/.test(String(error))) throw error;
          return 431;
        }),
    );
    expect(await place().send({})).toBe(200);
  });

  test.each(['jku', 'x5u'])(
    'a JWT with %s to keys of the attacker is refused without a fetch',
    async (parameter) => {
      expect(await place().send({ [parameter]: attackersKeys.url }, attacker)).toBe(401);
      expect(await place().send({ [parameter]: attackersKeys.url, kid: 'unknown' }, attacker)).toBe(401);
      expect(attackersKeys.requests).toEqual([]);
    },
  );

  test('a JWT with the attacker’s key in jwk or x5c is refused', async () => {
    for (const header of [
      { jwk: publicPart(attacker) },
      { jwk: { ...publicPart(attacker), kid: 'of the host' }, kid: undefined },
      { x5c: ['MIIB'] },
    ])
      expect(await place().send(header, attacker)).toBe(401);
  });

  test('a JWT with crit is refused, known, unknown or malformed', async () => {
    const claims = JSON.stringify(place().claims());
    for (const more of [
      { crit: ['x'], x: 1 },
      { crit: ['exp'], exp: 1 },
      { crit: ['b64'], b64: false },
      { crit: [] },
      { crit: 'x', x: 1 },
      { crit: ['x'] },
      { crit: [''], '': 1 },
      { crit: null },
      { crit: ['alg'] },
    ]) {
      expect([
        more,
        await place().sendTexts(JSON.stringify({ ...place().header(), ...more }), claims),
      ]).toEqual([more, 401]);
    }
  });

  test.each(['none', 'None', 'NONE', 'nOnE', 'none ', ''])('a JWT with alg %j is refused', async (alg) => {
    for (const signature of ['', 'AAAA'])
      expect(await place().sendToken(forge({ ...place().header(), alg }, place().claims(), signature))).toBe(
        401,
      );
  });

  test.each(['HS256', 'HS384', 'HS512'])('a JWT with %s by the public key is refused', async (alg) => {
    const pem = String(createPublicKey(key).export({ type: 'spki', format: 'pem' }));
    const der = createPublicKey(key).export({ type: 'spki', format: 'der' });
    const published = (await request(site.server).get('/oauth/jwks')).body as { keys: { x: string }[] };
    const secrets = [
      pem,
      pem.trim(),
      der,
      JSON.stringify(published.keys[0]),
      JSON.stringify(published),
      String(published.keys[0]?.x),
      Buffer.from(String(published.keys[0]?.x), 'base64url'),
      '',
    ];
    for (const secret of secrets) {
      const unsigned = forge({ ...place().header(), alg }, place().claims());
      const mac = createHmac(alg.replace('HS', 'sha'), secret)
        .update(unsigned.slice(0, -1))
        .digest('base64url');
      expect(await place().sendToken(unsigned + mac)).toBe(401);
    }
  });

  test('duplicate members of a JWT: the last one counts throughout (RFC 7519 §4)', async () => {
    const [header, claims] = [JSON.stringify(place().header()), JSON.stringify(place().claims())];
    const twice = (text: string, first: string, last = '') =>
      `{${first}${first && ','}${text.slice(1, -1)}${last && ','}${last}}`;
    // at the site's API the stored grant has the audience, whatever a signed copy says
    for (const wrong of [
      ...(name === 'site API' ? [] : ['"aud":"https://attacker.example"']),
      '"exp":1',
      '"iss":"https://attacker.example"',
    ]) {
      expect([wrong, await place().sendTexts(header, twice(claims, '', wrong))]).toEqual([wrong, 401]);
    }
    expect(await place().sendTexts(twice(header, '', '"alg":"none"'), claims)).toBe(401);
    expect(await place().sendTexts(twice(header, '', '"kid":"nobody"'), claims)).toBe(401);
    expect(await place().sendTexts(twice(header, '', '"crit":["x"]'), claims)).toBe(401);
  });

  const NO_OBJECTS = ['null', '[]', '7', '"text"', '{', '', '{}'];
  const NO_HEADERS = [...NO_OBJECTS, '{"alg":"ES256"', '{"alg":["ES256"]}', '{"alg":{}}'];
  test.each(NO_HEADERS)('a JWT with the header %j is refused', async (header) => {
    expect([400, 401]).toContain(await place().sendTexts(header, JSON.stringify(place().claims())));
  });

  test.each(NO_OBJECTS)('a JWT with the claims %j is refused', async (claims) => {
    expect([400, 401]).toContain(await place().sendTexts(JSON.stringify(place().header()), claims));
  });

  test.each(['dpop+jwt', 'jwt ', 'application/application/jwt', '', 7, null, ['at+jwt']])(
    'a JWT with the typ %j is refused',
    async (typ) => {
      const header = JSON.stringify({ ...place().header(), typ });
      expect([400, 401]).toContain(await place().sendTexts(header, JSON.stringify(place().claims())));
    },
  );

  test('a JWT with inserted text, or a part too many or too few, is refused', async () => {
    const right = signTexts(key, JSON.stringify(place().header()), JSON.stringify(place().claims()));
    const [header = '', claims = '', signature = ''] = right.split('.');
    const wrong = [
      ...['A', '=', ' ', '.', '\u00e9'].flatMap((text) =>
        [0, header.length, header.length + 9, right.length - 40, right.length].map(
          (at) => right.slice(0, at) + text + right.slice(at),
        ),
      ),
      ...[header, `${header}.${claims}`, `${header}..${signature}`, `.${claims}.${signature}`],
      ...[`${right}.x`, `${right}.x.x`, `${header}.${claims}.${signature}${signature}`],
    ].filter((jwt) => jwt.trim() !== right);
    for (const jwt of wrong)
      expect({ jwt, isTaken: (await place().sendToken(encodeURI(jwt))) === 200 }).toEqual({
        jwt,
        isTaken: false,
      });
  });

  test('a JWT with malformed, past or future exp and nbf is refused', async () => {
    const now = Math.floor(Date.now() / 1000);
    for (const more of [
      { exp: `${now + 60}` },
      { exp: now - 600 },
      { exp: null },
      { exp: [now + 60] },
      { nbf: now + 600 },
      { nbf: '0' },
    ]) {
      expect([
        more,
        await place().sendTexts(
          JSON.stringify(place().header()),
          JSON.stringify({ ...place().claims(), ...more }),
        ),
      ]).toEqual([more, 401]);
    }
  });
});
