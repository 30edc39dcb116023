import type { JWTPayload } from 'jose';
import { decodeProtectedHeader } from 'jose/decode/protected_header';
import { JOSEError } from 'jose/errors';

import { type ClientKeySet, withClientKeys } from '../../core/client-authentication/client-keys.js';
import type { Client } from '../../core/clients/client.js';
import { algorithmsFor, requiresFapi } from '../../core/clients/fapi-profile.js';
import type { FeatureParts } from '../../server/server.js';
import { jwtTypeOf, verifyByAny } from '../../shared/crypto/jose.js';
import { clockDetailOf, findWrongTime } from '../../shared/date.js';
import { OAuthError } from '../../shared/errors.js';
import type { GetCaller } from '../../shared/outbound/limit-untrusted-fetch.js';
import type { Form } from '../../shared/protocol/parameters.js';
import { isStorableText } from '../../shared/protocol/storable.js';
import { createDecryptObject, invalidObject, isEncrypted } from './encrypted-object.js';

export type OpenRequestObject = ReturnType<typeof createOpenRequestObject>;

/** The rules for opening a request object. */
interface Opening {
  /** The time at which the object has to be valid. */
  readonly now: Date;
  /** Whether `exp` is optional, unless a profile requires it. Default: `exp` is required. */
  readonly mayLackExp?: boolean;
  /** The caller to whom a fetch of the client's keys is charged. Default: the client. */
  readonly getCaller?: GetCaller | undefined;
}

/** RFC 9101 §10.8.1: a `typ` of its own, which excludes other uses. */
const TYPE = 'oauth-authz-req+jwt';
/** RFC 9101 §10.8: existing clients, above all of OpenID Connect, set no `typ`. */
const TYPES: readonly unknown[] = [undefined, 'jwt', TYPE];
const MAX_LENGTH = 32_768;
/** Maximum lifetime in seconds, which limits the use of an intercepted object. */
const MAX_LIFETIME = 3600;
/** RFC 7519 §4.1: claims about the JWT, not parameters of the request. */
const OF_THE_JWT: ReadonlySet<string> = new Set(['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti']);

/**
 * Opens a request object of a client, and returns the parameters of the request, without the claims about the JWT.
 *
 * @see RFC 9101 §4, §6
 */
export function createOpenRequestObject(parts: FeatureParts) {
  const { clientKeys, settings } = parts;
  const { issuer, security } = settings;
  const { clockTolerance } = security;
  const decrypt = createDecryptObject(parts);
  return async (
    object: string,
    client: Client,
    { now, mayLackExp = false, getCaller }: Opening,
  ): Promise<Form> => {
    if (object.length > MAX_LENGTH) throw invalidObject('it is too long');
    const isFapi = requiresFapi(settings, client);
    const needsExp = isFapi || !mayLackExp;

    // RFC 9101 §6.1: an encrypted object contains a signed one
    const encryptionAlg = client.requestObjectEncryptionAlg;
    if (isEncrypted(object) && decrypt === undefined)
      throw invalidObject('it is encrypted, which is not supported');
    if (!isEncrypted(object) && decrypt !== undefined && encryptionAlg !== undefined)
      throw invalidObject(`it must be encrypted by ${encryptionAlg}, as the client is registered`);
    const jwt = isEncrypted(object) && decrypt !== undefined ? await decrypt(object, client) : object;
    if (isEncrypted(jwt)) throw invalidObject('what is encrypted in it is encrypted once more');

    // validates the header before the search for a key
    let header: ReturnType<typeof decodeProtectedHeader>;
    try {
      header = decodeProtectedHeader(jwt);
    } catch (cause) {
      throw invalidObject('it is no signed JWT', cause);
    }
    const { alg, cty } = header;
    // RFC 8725 §3.1: the lists of this server and of the client decide, whatever the header says
    const algorithms = [...algorithmsFor(settings, client)];
    const signingAlg = client.requestObjectSigningAlg;
    if (typeof alg !== 'string' || !algorithms.includes(alg))
      throw invalidObject(`its alg must be one of ${algorithms.join(', ')}`);
    if (signingAlg !== undefined && alg !== signingAlg)
      throw invalidObject(`its alg must be ${signingAlg}, as the client is registered`);
    if (!TYPES.includes(jwtTypeOf(header))) throw invalidObject(`its typ must be ${TYPE}`);
    if (cty !== undefined) throw invalidObject('it has another JWT in it');

    // RFC 9101 §6.2: the signature
    const verifyBy = ({ find }: ClientKeySet) =>
      verifyByAny(jwt, find, {
        algorithms,
        issuer: client.clientId,
        audience: issuer,
        requiredClaims: needsExp ? ['exp'] : [],
        clockTolerance,
        currentDate: now,
      });
    const verified = await withClientKeys(clientKeys, client, verifyBy, getCaller).catch((error: unknown) => {
      if (error instanceof JOSEError)
        throw invalidObject(error.message, error, clockDetailOf(error, { now, clockTolerance }));
      // the keys are missing, or could not be fetched
      if (error instanceof OAuthError && error.error === 'invalid_client')
        throw invalidObject('it cannot be verified by keys of the client', error);
      throw error;
    });
    if (verified === undefined) throw invalidObject('it is signed by a key that is not of the client');
    const claims: JWTPayload = verified.payload;

    // RFC 9101 §10.8: a JWT without `typ` may be a client assertion. The `sub` of an assertion is always the client
    // (RFC 7523 §3), the `sub` of a request object never. RFC 7519 §4.1.2: it must be text, because a list could
    // contain the client
    const { sub, exp, nbf, iat = 0 } = claims;
    if (sub !== undefined && typeof sub !== 'string') throw invalidObject('its sub must be text');
    if (sub === client.clientId)
      throw invalidObject('its sub is the client: it is an assertion, and no request');

    // RFC 7519 §4.1; an object without a required `exp` may expire late
    const wrong = findWrongTime({ exp, iat: Math.max(iat, nbf ?? 0) }, needsExp ? MAX_LIFETIME : Infinity, {
      now,
      clockTolerance,
    });
    if (wrong !== undefined)
      throw invalidObject(
        wrong.claim === 'exp'
          ? `its exp is more than ${MAX_LIFETIME} seconds ahead`
          : 'its iat is in the future',
        undefined,
        wrong.detail,
      );
    // FAPI 2.0 Message Signing §5.3.1-3, §5.3.1-4
    if (isFapi) {
      if (nbf === undefined) throw invalidObject('it has no nbf');
      if (nbf < now.getTime() / 1000 - MAX_LIFETIME)
        throw invalidObject(`its nbf is more than ${MAX_LIFETIME} seconds ago`);
      if (exp !== undefined && exp > nbf + MAX_LIFETIME)
        throw invalidObject(`its exp is more than ${MAX_LIFETIME} seconds after nbf`);
    }

    // RFC 9101 §6.3
    if (claims.client_id !== client.clientId)
      throw invalidObject('its client_id is not the one of the request');
    // RFC 9101 §4
    if (claims.request !== undefined || claims.request_uri !== undefined)
      throw invalidObject('it has a request or a request_uri in it');

    // RFC 9101 §4: text as JSON strings, numbers as numbers; other values are JSON in a form as well
    const form = Object.create(null) as Record<string, string | string[]>;
    for (const [name, value] of Object.entries(claims)) {
      if (OF_THE_JWT.has(name) || value === null) continue;
      const values: unknown[] = [value].flat();
      // a nonce that the database changes would be wrong in the ID token
      if (values.some((each) => typeof each === 'string' && !isStorableText(each)))
        throw invalidObject('a text has a NUL or half of a character');
      // RFC 8707 §2: only resource may occur more than once
      const isText = values.every((each) => typeof each === 'string');
      form[name] = isText ? (value as string | string[]) : JSON.stringify(value);
    }
    return form;
  };
}
