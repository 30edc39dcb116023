import type { JWTPayload } from 'jose';
import { decodeProtectedHeader } from 'jose/decode/protected_header';
import { JOSEError } from 'jose/errors';

import type { ClientKeys, ClientKeySet } from '../../core/client-authentication/client-keys.js';
import { withClientKeys } from '../../core/client-authentication/with-client-keys.js';
import type { Client } from '../../core/clients/client.js';
import { algorithmsFor, requiresFapi } from '../../core/clients/fapi-profile.js';
import type { Profile } from '../../settings/features/profile-options.js';
import { clockDetailOf, findWrongTime, type PresentTime } from '../../shared/clock-tolerance.js';
import { verifyByAny } from '../../shared/crypto/verify-by-any.js';
import { OAuthError } from '../../shared/errors.js';
import type { GetCaller } from '../../shared/outbound/limit-untrusted-fetch.js';
import { jwtTypeOf } from '../../shared/protocol/jwt-type.js';
import type { Form } from '../../shared/protocol/parameters.js';
import { isStorableText } from '../../shared/protocol/storable.js';
import { type DecryptObject, invalidObject, isEncrypted } from './encrypted-object.js';

export interface RequestObjectDependencies {
  readonly issuer: string;
  readonly clientKeys: ClientKeys;
  /** The profile of FAPI that all clients are held to. */
  readonly profile?: Profile | undefined;
  /** Seconds that two clocks may be apart. */
  readonly clockTolerance: number;
  /** Undefined: encrypted ones are refused. */
  readonly decrypt?: DecryptObject | undefined;
}

/**
 * Opens a request object of a client; the result has the parameters of the request, and no claims about the JWT.
 *
 * @throws OAuthError invalid_request_object
 */
export type OpenRequestObject = (jwt: string, client: Client, opening: Opening) => Promise<Form>;

/** What a request object is opened with. */
export interface Opening {
  /** The time at which it has to be valid. */
  readonly now: Date;
  /** Whether it need not say when it expires, unless a profile asks for that. Default: it has to say so. */
  readonly mayLackExp?: boolean;
  /** Who is charged if keys of the client have to be fetched. Default: the client. */
  readonly getCaller?: GetCaller | undefined;
}

/** RFC 9101 §10.8.1: a JWT that says that it is a request object was made for nothing else. */
const TYPE = 'oauth-authz-req+jwt';
/** RFC 9101 §10.8: existing clients, those of OpenID Connect above all, do not say what their JWT is. */
const TYPES: readonly unknown[] = [undefined, 'jwt', TYPE];
const MAX_LENGTH = 32_768;
/** Seconds after which an object that somebody has seen is of no use. */
const MAX_LIFETIME = 3600;
/** RFC 7519 §4.1: these are about the JWT. */
const OF_THE_JWT: ReadonlySet<string> = new Set(['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti']);

/** @see RFC 9101 §4, §6 */
export function createOpenRequestObject({
  issuer,
  clientKeys,
  profile,
  clockTolerance,
  decrypt,
}: RequestObjectDependencies): OpenRequestObject {
  return async (given, client, { now, mayLackExp = false, getCaller }) => {
    if (given.length > MAX_LENGTH) throw invalidObject('it is too long');
    const jwt = await decrypted(given, client, decrypt);
    const algorithms = algorithmsFor({ profile }, client);
    const isFapi = requiresFapi({ profile }, client);
    const needsExp = isFapi || !mayLackExp;
    checkHeader(jwt, client, algorithms);
    const claims = await verify(jwt, client, {
      issuer,
      clientKeys,
      clockTolerance,
      now,
      algorithms,
      needsExp,
      getCaller,
    });
    checkIsRequest(claims, client);
    checkTimes(claims, { now, clockTolerance }, needsExp ? MAX_LIFETIME : Infinity);
    if (isFapi) checkLifetime(claims, now);
    // RFC 9101 §6.3
    if (claims.client_id !== client.clientId)
      throw invalidObject('its client_id is not the one of the request');
    // RFC 9101 §4
    if (claims.request !== undefined || claims.request_uri !== undefined)
      throw invalidObject('it has a request or a request_uri in it');
    return toForm(claims);
  };
}

/** RFC 9101 §6.1: the result is a signed request object. */
async function decrypted(jwt: string, client: Client, decrypt: DecryptObject | undefined): Promise<string> {
  const { requestObjectEncryptionAlg: registered } = client;
  if (isEncrypted(jwt)) {
    if (decrypt === undefined) throw invalidObject('it is encrypted, which is not supported');
    return decrypt(jwt, client);
  }
  if (decrypt !== undefined && registered !== undefined)
    throw invalidObject(`it must be encrypted by ${registered}, as the client is registered`);
  return jwt;
}

/** @throws OAuthError invalid_request_object before any key of the client is looked for */
function checkHeader(
  jwt: string,
  { requestObjectSigningAlg: registered }: Client,
  algorithms: readonly string[],
): void {
  if (isEncrypted(jwt)) throw invalidObject('what is encrypted in it is encrypted once more');
  const header = headerOf(jwt);
  const { alg, cty } = header;
  // RFC 8725 §3.1: the lists of this server and of the client decide, whatever the header says
  if (typeof alg !== 'string' || !algorithms.includes(alg))
    throw invalidObject(`its alg must be one of ${algorithms.join(', ')}`);
  if (registered !== undefined && alg !== registered)
    throw invalidObject(`its alg must be ${registered}, as the client is registered`);
  if (!TYPES.includes(jwtTypeOf(header))) throw invalidObject(`its typ must be ${TYPE}`);
  if (cty !== undefined) throw invalidObject('it has another JWT in it');
}

function headerOf(jwt: string) {
  try {
    return decodeProtectedHeader(jwt);
  } catch (cause) {
    throw invalidObject('it is no signed JWT', cause);
  }
}

/** RFC 9101 §6.2 */
async function verify(
  jwt: string,
  client: Client,
  {
    issuer,
    clientKeys,
    clockTolerance,
    now,
    algorithms,
    needsExp,
    getCaller,
  }: RequestObjectDependencies &
    Opening & { readonly algorithms: readonly string[]; readonly needsExp: boolean },
): Promise<JWTPayload> {
  const options = {
    algorithms: [...algorithms],
    issuer: client.clientId,
    audience: issuer,
    requiredClaims: needsExp ? ['exp'] : [],
    clockTolerance,
    currentDate: now,
  };
  try {
    const verifyBy = ({ find }: ClientKeySet) => verifyByAny(jwt, find, options);
    const verified = await withClientKeys(clientKeys, client, verifyBy, getCaller);
    if (verified === undefined) throw invalidObject('it is signed by a key that is not of the client');
    return verified.payload;
  } catch (error) {
    if (error instanceof JOSEError)
      throw invalidObject(error.message, error, clockDetailOf(error, { now, clockTolerance }));
    // the keys are missing, or could not be fetched
    if (error instanceof OAuthError && error.error === 'invalid_client')
      throw invalidObject('it cannot be verified by keys of the client', error);
    throw error;
  }
}

/**
 * A JWT that does not say what it is may be an assertion by which the client authenticates: its `sub` is always the
 * client (RFC 7523 §3), and that of a request object never is (RFC 9101 §10.8).
 */
function checkIsRequest({ sub }: JWTPayload, { clientId }: Client): void {
  // RFC 7519 §4.1.2; a list with the client in it would be no other claim
  if (sub !== undefined && typeof sub !== 'string') throw invalidObject('its sub must be text');
  if (sub === clientId) throw invalidObject('its sub is the client: it is an assertion, and no request');
}

/** An object that need not expire may expire late. */
function checkTimes({ exp, iat = 0, nbf = 0 }: JWTPayload, present: PresentTime, maxLifetime: number): void {
  const found = findWrongTime({ exp, iat: Math.max(iat, nbf) }, maxLifetime, present);
  if (found === undefined) return;
  const problem =
    found.claim === 'exp' ? `its exp is more than ${MAX_LIFETIME} seconds ahead` : 'its iat is in the future';
  throw invalidObject(problem, undefined, found.detail);
}

/** FAPI 2.0 Message Signing §5.3.1-3, §5.3.1-4 */
function checkLifetime({ nbf, exp = 0 }: JWTPayload, now: Date): void {
  if (nbf === undefined) throw invalidObject('it has no nbf');
  if (nbf < now.getTime() / 1000 - MAX_LIFETIME)
    throw invalidObject(`its nbf is more than ${MAX_LIFETIME} seconds ago`);
  if (exp > nbf + MAX_LIFETIME) throw invalidObject(`its exp is more than ${MAX_LIFETIME} seconds after nbf`);
}

/** RFC 9101 §4: text as JSON strings, numbers as numbers; anything more is JSON in a form as well. */
function toForm(claims: JWTPayload): Form {
  const form = Object.create(null) as Record<string, string | string[]>;
  for (const [name, value] of Object.entries(claims))
    if (!OF_THE_JWT.has(name) && value !== null) form[name] = toText(value);
  return form;
}

function toText(value: unknown): string | string[] {
  // a nonce that is stored as another text would be in the ID token as another one
  if ([value].flat().some((each) => typeof each === 'string' && !isStorableText(each)))
    throw invalidObject('a text has a NUL or half of a character');
  if (typeof value === 'string') return value;
  // RFC 8707 §2: resource is the only one that may occur more than once
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  return JSON.stringify(value);
}
