import {
  constants,
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';

import { afterAll, describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { createLocalJWKSet, type JSONWebKeySet } from 'jose';

import type { MethodDependencies } from '../../lib/core/client-authentication/method.js';
import { privateKeyJwt } from '../../lib/core/client-authentication/private-key-jwt.js';
import { createAssertionVerifier } from '../../lib/core/client-authentication/verify-assertion.js';
import type { Client } from '../../lib/core/clients/client.js';
import { createAccessTokens } from '../../lib/core/grants/tokens/access-tokens.js';
import { createMigratedTokens } from '../../lib/core/grants/tokens/migrated-tokens.js';
import { createJwtVerifier } from '../../lib/core/guard/jwt-verifier.js';
import { createSigningKeys } from '../../lib/core/keys/signing-keys.js';
import { tokenRows } from '../../lib/settings/options/token-options.js';
import { defaultsOf } from '../../lib/settings/table/option.js';
import { openKeyPair } from '../../lib/shared/crypto/key-material.js';
import { OAuthError } from '../../lib/shared/errors.js';
import { almost, anyText, holds } from '../support/properties.js';

interface Key {
  readonly kid: string;
  readonly alg: 'ES256' | 'EdDSA' | 'RS256';
  readonly right: KeyObject;
  /** Of the same kind, but not published. */
  readonly attackers: KeyObject;
}
const p256 = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const ed25519 = () => generateKeyPairSync('ed25519').privateKey;
const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
/** All published keys, the same at each place; two are of one kind, so that a JWT without a kid fits more than one. */
const KEYS: readonly Key[] = [
  { kid: 'ec', alg: 'ES256', right: p256(), attackers: p256() },
  { kid: 'ec 2', alg: 'ES256', right: p256(), attackers: p256() },
  { kid: 'ed', alg: 'EdDSA', right: ed25519(), attackers: ed25519() },
  { kid: 'rsa', alg: 'RS256', right: rsa(), attackers: rsa() },
];
const publicJwk = (key: KeyObject) => createPublicKey(key).export({ format: 'jwk' });
const JWKS = {
  keys: KEYS.map(({ kid, alg, right }) => ({ ...publicJwk(right), kid, alg, use: 'sig' })),
} as unknown as JSONWebKeySet;

const encode = (part: string | Uint8Array) => Buffer.from(part as string).toString('base64url');

const ISSUER = 'https://photos.example';
const CLIENT = 'shop';
const now = Math.floor(Date.now() / 1000);
/** Valid at every place, however long this runs, so that only header or signature of a token can be wrong. */
const CLAIMS = {
  ...{ iss: ISSUER, aud: ISSUER, sub: CLIENT, client_id: CLIENT, iat: now, exp: now + 3600 },
  jti: 'g'.repeat(22) + 's'.repeat(22),
};

interface Place {
  /** Whether it is accepted; throws whatever the place throws. */
  readonly isTaken: (token: string) => Promise<boolean>;
  readonly claims: string;
  readonly rightTypes: readonly unknown[];
  /** What `typ` may be; written again here, not taken from `lib/`. */
  readonly isRightType: (typ: unknown) => boolean;
  /** Whether a JWT must name its key. */
  readonly needsKid?: boolean;
  readonly maxLength?: number;
  readonly usesIds?: boolean;
}

const ACCESS_TOKEN = {
  claims: encode(JSON.stringify(CLAIMS)),
  rightTypes: ['at+jwt', 'AT+JWT', 'application/at+jwt', 'Application/At+Jwt'],
  isRightType: (typ: unknown) => typeof typ === 'string' && /^(application\/)?at\+jwt$/i.test(typ),
};

const signingKeys = createSigningKeys(
  {
    load: () =>
      Promise.all(
        KEYS.map(async ({ kid, alg, right }) => ({
          ...(await openKeyPair({ ...right.export({ format: 'jwk' }), kid }, alg)),
          activatesAt: new Date(0),
        })),
      ),
  },
  3600,
);
const accessTokens = createAccessTokens(
  {
    issuer: ISSUER,
    resources: new Map(),
    tokens: { ...defaultsOf(tokenRows), accessTokenFormat: 'jwt' },
    stepUp: false,
  },
  signingKeys,
  [(token) => createMigratedTokens(undefined)('access_token', token)],
);
const find = createLocalJWKSet(JWKS);
const verifyElsewhere = createJwtVerifier({
  issuer: ISSUER,
  resource: ISSUER,
  clockTolerance: 5,
  discover: () =>
    Promise.resolve({
      keys: { find, endsAt: () => Infinity, notBefore: () => 0 },
      introspectionEndpoint: undefined,
    }),
});

let usedIds = 0;
const assertions = privateKeyJwt.create({
  verifyAssertion: createAssertionVerifier({
    issuer: ISSUER,
    audiences: [ISSUER],
    maxTtl: 3600,
    clockTolerance: 30,
    assertionIds: { use: () => Promise.resolve(++usedIds > 0) },
  }),
  clientKeys: {
    find: () => Promise.resolve({ find, keys: [], certificates: [] }),
    refetch: () => Promise.resolve(undefined),
  },
  otherAlgorithms: [],
  otherTypes: [],
} as Partial<MethodDependencies> as MethodDependencies);

/** Each place calls those of our functions that check tokens of that kind. */
const PLACES: Record<string, Place> = {
  'this server': {
    ...ACCESS_TOKEN,
    needsKid: true,
    async isTaken(token) {
      const rules = { issuer: ISSUER, typ: 'at+jwt', requiredClaims: ['exp', 'jti'] };
      const isOwn = (await signingKeys.verify(token, rules)) !== null;
      const isRead = (await accessTokens.read(token, new Date())) !== null;
      // read checks its form first, and refuses spaces and padding
      if (isRead || /^[\w.-]+$/.test(token)) expect(isRead).toBe(isOwn);
      return isOwn;
    },
  },
  'bearerGuard elsewhere': {
    ...ACCESS_TOKEN,
    isTaken: async (token) => (await verifyElsewhere(token, new Date())).auth.clientId === CLIENT,
  },
  'the assertions of clients': {
    claims: encode(JSON.stringify({ ...CLAIMS, iss: CLIENT })),
    rightTypes: [undefined, 'JWT', 'jwt', 'application/jwt', 'client-authentication+jwt'],
    // RFC 7515 §4.1.9: it may be left out; one that is no text, null as well, is refused
    isRightType: (typ) =>
      typ === undefined ||
      (typeof typ === 'string' && /^(application\/)?(client-authentication\+)?jwt$/i.test(typ)),
    maxLength: 8192,
    usesIds: true,
    async isTaken(token) {
      const request = {
        authorization: undefined,
        now: new Date(),
        parameters: {
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          client_assertion: token,
        },
      };
      const credentials = assertions.read(request);
      if (credentials === null) return false;
      return assertions.verify({ clientId: CLIENT } as Client, credentials, request);
    },
  },
};

const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
const optionsOf = (alg: Key['alg'], key: KeyObject) =>
  [alg === 'EdDSA' ? null : 'sha256', { key, dsaEncoding: 'ieee-p1363' }] as const;
const signAs = (input: string, alg: Key['alg'], key: KeyObject) =>
  sign(optionsOf(alg, key)[0], Buffer.from(input), optionsOf(alg, key)[1]);
/** Keys that sign a token: the right one, or those of an attacker. */
const SIGNERS = {
  right: (input: string, { alg, right }: Key) => signAs(input, alg, right),
  attacker: (input: string, { alg, attackers }: Key) => signAs(input, alg, attackers),
  'another key': (input: string, { kid }: Key) =>
    SIGNERS.right(input, KEYS.find((key) => key.kid !== kid) as Key),
  'PS256 by a key for RS256': (input: string) =>
    sign('sha256', Buffer.from(input), { key: (KEYS[3] as Key).right, ...PSS }),
  'HS256 by the public key': (input: string, { right }: Key) =>
    createHmac('sha256', createPublicKey(right).export({ type: 'spki', format: 'pem' }))
      .update(input)
      .digest(),
  nobody: () => Buffer.alloc(0),
  chance: () => Buffer.alloc(64, 7),
};

const mostly = <T>(value: T, others: fc.Arbitrary<T>, weight = 8) =>
  fc.oneof({ arbitrary: fc.constant(value), weight }, others);
const attackersJwk = publicJwk((KEYS[0] as Key).attackers);
const anyJson = fc.oneof(fc.jsonValue({ maxDepth: 2 }), anyText(), fc.constantFrom(null, 'k'.repeat(10_000)));
type Members = [string, unknown][];

/** What a header has in addition to its valid members. */
function membersFor({ rightTypes }: Place): fc.Arbitrary<Members> {
  const algs = ['ES256', 'EdDSA', 'RS256', 'PS256', 'Ed25519', 'HS256', 'none', 'None', 'toString'];
  const types = ['at+jwt', 'JWT', 'dpop+jwt', 'application/application/jwt', 'at+jwt '];
  const crits = [['x'], ['exp'], ['alg'], ['b64', 'x'], [], [''], 'b64', null, {}, false];
  const member = (name: string, ...values: unknown[]) =>
    fc.tuple(fc.constant(name), fc.oneof({ arbitrary: fc.constantFrom(...values), weight: 3 }, anyJson));
  const any = fc.oneof(
    member('alg', ...algs),
    member('typ', ...rightTypes.filter((type) => type !== undefined), ...types),
    member('kid', ...KEYS.map(({ kid }) => kid), 'nobody', '../../dev/null', '__proto__', 7, null),
    member('crit', ...crits),
    member('b64', true, false, 'false'),
    member('jwk', attackersJwk, { ...attackersJwk, kid: 'ec' }, JWKS.keys[0]),
    fc.constantFrom('jku', 'x5u').chain((name) => member(name, 'https://attacker.example/jwks', 'file:///x')),
    member('x5c', ['MIIB'], 'MIIB'),
    fc.tuple(fc.oneof(anyText(), fc.constantFrom('zip', 'nonce', 'exp', 'x')), anyJson),
  );
  const unencoded = fc.boolean().map((b64): Members => Object.entries({ crit: ['b64'], b64 }));
  return mostly([], fc.oneof({ arbitrary: fc.array(any, { maxLength: 3 }), weight: 6 }, unencoded), 2);
}

/** Header texts. If a name occurs twice the last member counts, which may be valid or not. */
const headersFor = (place: Place, { alg, kid }: Key): fc.Arbitrary<string | Uint8Array> =>
  fc
    .record({
      alg: mostly(alg as string, fc.constantFrom('PS256', 'HS256', 'none')),
      typ: fc.constantFrom(...place.rightTypes),
      without: mostly<string[]>([], fc.subarray(['alg', 'kid', 'typ'])),
      ...{ before: membersFor(place), after: membersFor(place) },
    })
    .map(({ before, after, without, ...right }) => {
      const stored = Object.entries({ ...right, kid }).filter(([name]) => !without.includes(name));
      const members = [...before, ...stored, ...after].filter(([, value]) => value !== undefined);
      return `{${members.map((member) => member.map((part) => JSON.stringify(part)).join(':')).join()}}`;
    })
    .chain((text) =>
      mostly<string | Uint8Array>(text, fc.oneof(fc.json(), anyText(), almost(text), fc.uint8Array()), 12),
    );

/** How to make a token; text is inserted, and the number of parts changed, after the signature. */
const recipesFor = (place: Place) =>
  fc.constantFrom(...KEYS).chain((key) =>
    fc.record({
      key: fc.constant(key),
      header: headersFor(place, key),
      claims: mostly(place.claims, fc.oneof(fc.json().map(encode), anyText()), 12),
      signer: mostly('right', fc.constantFrom(...Object.keys(SIGNERS)), 2),
      put: mostly('', fc.oneof(anyText(), fc.constantFrom('.', 'A', '=', ' '))),
      at: fc.nat(2000),
      parts: mostly(3, fc.nat(5), 12),
    }),
  );
type Recipe = ReturnType<typeof recipesFor> extends fc.Arbitrary<infer T> ? T : never;

function makeToken({ key, header, claims, signer, put, at, parts }: Recipe): string {
  const input = `${encode(header)}.${claims}`;
  const token = `${input}.${encode(SIGNERS[signer as keyof typeof SIGNERS](input, key))}`;
  const place = at % (token.length + 1);
  const spoilt = `${token.slice(0, place)}${put}${token.slice(place)}`;
  return [...spoilt.split('.'), 'x', 'x'].slice(0, parts).join('.');
}

/** Whether the right key signed it and its header is valid, from the token alone, without `lib/` or jose. */
function isRight(place: Place, token: string): boolean {
  const [header = '', claims, signature = '', ...more] = token.split('.');
  if (more.length > 0 || claims !== place.claims || token.length > (place.maxLength ?? Infinity))
    return false;
  const { alg, kid, typ, crit, b64 } = membersOf(header);
  // RFC 7797 §6: the one extension that jose understands, here with the value that changes nothing
  const isOrdinary = crit === undefined || (JSON.stringify(crit) === '["b64"]' && b64 === true);
  return (
    isOrdinary &&
    place.isRightType(typ) &&
    KEYS.filter((key) => key.alg === alg && (key.kid === kid || (kid === undefined && !place.needsKid))).some(
      ({ right }) =>
        verify(
          optionsOf(alg as Key['alg'], right)[0],
          Buffer.from(`${header}.${claims}`),
          optionsOf(alg as Key['alg'], createPublicKey(right))[1],
          Buffer.from(signature, 'base64url'),
        ),
    )
  );
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });
function membersOf(header: string): Record<string, unknown> {
  try {
    return (JSON.parse(UTF8.decode(Buffer.from(header, 'base64url'))) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** As in `accepted`: if anything but a refusal is thrown, that is a defect. */
function refusal(error: unknown): false {
  if (error instanceof OAuthError && error.status >= 400 && error.status < 500) return false;
  throw error;
}

describe.each(Object.entries(PLACES))('JWTs at %s', (_name, place) => {
  let taken = 0;
  // otherwise only refusals were tried
  afterAll(() => expect(taken).toBeGreaterThan(KEYS.length));

  holds(
    'are taken if the right key signed them under a right header, and refused otherwise',
    [recipesFor(place)],
    async (recipe) => {
      const token = makeToken(recipe);
      const usedBefore = usedIds;
      const isTaken = await place.isTaken(token).catch(refusal);
      const isWhole = recipe.put === '' && membersOf(token.split('.')[0] ?? '').kid !== undefined;
      if (isTaken || isWhole) expect(isTaken).toBe(isRight(place, token));
      // only the client can use up an id
      expect(usedIds - usedBefore).toBe(isTaken && place.usesIds === true ? 1 : 0);
      if (isTaken) taken++;
    },
  );
});
