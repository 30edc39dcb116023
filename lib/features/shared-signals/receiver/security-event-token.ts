import type { JWTPayload } from 'jose';
import { JOSEError, JWKSTimeout, JWTClaimValidationFailed, JWTExpired } from 'jose/errors';

import { verifyByAny } from '../../../shared/crypto/jose.js';
import { SIGNATURE_ALGORITHMS } from '../../../shared/crypto/jwa.js';
import { clockDetail, clockDetailOf, type PresentTime } from '../../../shared/date.js';
import { OAuthError, unableForTheMoment } from '../../../shared/errors.js';
import type { FailureReason } from '../../../shared/failure-reasons.js';
import { isSubject } from '../../../shared/protocol/subject-identifier.js';
import { isObject } from '../../../shared/schema.js';
import { KNOWN_EVENTS } from '../event-types.js';
import type { TrustedTransmitter } from '../options.js';
import type { TransmitterApi } from './transmitter-api.js';

/** RFC 8417 §2.3, Shared Signals Framework §4.1.1 */
const TYP = 'secevent+jwt';
const MAX_JTI_LENGTH = 256;
/** Maximum age of an event in seconds: after a week offline, a transmitter has to report the current state. */
export const MAX_EVENT_AGE = 604_800;

/** The content of a security event token. */
export type SecurityEvent = Awaited<ReturnType<typeof verifyEventToken>>;

/** RFC 8935 §2.4, and Shared Signals Framework §8.1.4.1 for the state of a verification. */
type RefusalCode =
  | 'invalid_request'
  | 'invalid_key'
  | 'invalid_issuer'
  | 'invalid_audience'
  | 'authentication_failed'
  | 'access_denied'
  | 'invalid_state';

/** Refuses a security event token. */
export function refusedToken(
  error: RefusalCode,
  description: string,
  reason: FailureReason,
  more: { readonly detail?: string | undefined; readonly cause?: unknown } = {},
): OAuthError {
  const { detail = description, cause } = more;
  // §2.3: SHALL respond with 400, whatever the code is
  return new OAuthError(error, description, { status: 400, reason, detail, cause });
}

/**
 * Validates a security event token of one transmitter.
 *
 * @throws OAuthError with a code of RFC 8935 §2.4; temporarily_unavailable if its keys cannot be fetched
 * @see RFC 8935 §2, RFC 8417 §2.2, Shared Signals Framework §4.1
 */
export async function verifyEventToken(
  jwt: string,
  { issuer, audience }: TrustedTransmitter,
  { api, ...present }: PresentTime & { readonly api: TransmitterApi },
) {
  const { now, clockTolerance } = present;
  let claims: JWTPayload;
  try {
    const verified = await verifyByAny(jwt, await api.keys(), {
      typ: TYP,
      algorithms: [...SIGNATURE_ALGORITHMS],
      issuer,
      audience: [...audience],
      currentDate: now,
      clockTolerance,
    });
    claims = verified.payload;
  } catch (error) {
    throw toRefusal(error, present);
  }
  // §4.1.2, §4.1.7: an access token or an ID token is no event
  if (claims.sub !== undefined || claims.exp !== undefined) throw malformed('sub and exp MUST NOT be there');

  // refuses old tokens: otherwise a stored token could end a user's sessions again and again
  const { iat, jti, txn, sub_id: subject, events } = claims;
  if (typeof iat !== 'number') throw malformed('iat is missing');
  const age = now.getTime() / 1000 - iat;
  if (age < -clockTolerance || age > MAX_EVENT_AGE + clockTolerance) {
    const when = age < 0 ? 'in the future' : `more than ${MAX_EVENT_AGE} seconds ago`;
    throw refusedToken('invalid_request', `iat is ${when}`, 'event_token_wrong_time', {
      detail: clockDetail('iat', iat, present),
    });
  }
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI_LENGTH)
    throw malformed(`jti must be text of 1 to ${MAX_JTI_LENGTH} characters`);
  if (!isSubject(subject)) throw malformed('sub_id must be a subject identifier (RFC 9493)');

  // §4.2.1: several types are different names for one event; the first supported type counts
  const entries = isObject(events) ? Object.entries(events) : [];
  if (entries.length === 0) throw malformed('events must be an object with an event');
  if (!entries.every(([, event]) => isObject(event))) throw malformed('each event must be an object');
  const understood = entries.find(([type]) => KNOWN_EVENTS.has(type));
  const [type, event] = (understood ?? entries[0]) as [string, Readonly<Record<string, unknown>>];
  return {
    issuer,
    jti,
    iat,
    txn: typeof txn === 'string' ? txn.slice(0, MAX_JTI_LENGTH) : undefined,
    subject,
    type,
    event,
    /** Whether this server supports the type. */
    isKnown: understood !== undefined,
  };
}

function toRefusal(error: unknown, present: PresentTime): OAuthError {
  if (error instanceof OAuthError && error.status === 503) return error;
  if (error instanceof JWTExpired) return malformed('sub and exp MUST NOT be there', error);
  if (error instanceof JWTClaimValidationFailed && error.claim === 'aud')
    return refusedToken('invalid_audience', 'the token is for somebody else', 'event_token_wrong_audience', {
      detail: `aud is ${JSON.stringify(error.payload.aud)?.slice(0, 200)}`,
    });
  if (error instanceof JWTClaimValidationFailed)
    return refusedToken('invalid_request', error.message, 'event_token_malformed', {
      detail: clockDetailOf(error, present),
      cause: error,
    });
  // a failed fetch of keys is not the token's fault
  if (!(error instanceof JOSEError) || error instanceof JWKSTimeout || error.code === 'ERR_JOSE_GENERIC')
    return unableForTheMoment('the keys of a trusted transmitter could not be read', error);
  return refusedToken('invalid_key', 'the signature is not by a key of the issuer', 'event_token_wrong_key', {
    detail: error.message,
    cause: error,
  });
}

export function malformed(description: string, cause?: unknown): OAuthError {
  return refusedToken('invalid_request', description, 'event_token_malformed', { cause });
}
