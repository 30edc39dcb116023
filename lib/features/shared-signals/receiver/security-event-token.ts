import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { JOSEError, JWKSNoMatchingKey, JWKSTimeout, JWTClaimValidationFailed, JWTExpired } from 'jose/errors';

import { KEY_SET_COOLDOWN } from '../../../core/keys/remote-key-set.js';
import type { TrustedTransmitter } from '../../../settings/features/shared-signals-options.js';
import { clockDetail, clockDetailOf, type PresentTime } from '../../../shared/clock-tolerance.js';
import { loadJose } from '../../../shared/crypto/jose.js';
import { SIGNATURE_ALGORITHMS } from '../../../shared/crypto/signature-algorithms.js';
import { verifyByAny } from '../../../shared/crypto/verify-by-any.js';
import { OAuthError, unableForTheMoment } from '../../../shared/errors.js';
import type { FailureReason } from '../../../shared/failure-reasons.js';
import { isSubject, type SubjectIdentifier } from '../../../shared/protocol/subject-identifier.js';
import { KNOWN_EVENTS, STREAM_UPDATED, VERIFICATION } from '../event-types.js';
import type { TransmitterApi } from './transmitter-api.js';

/** RFC 8417 §2.3, Shared Signals Framework §4.1.1 */
const TYP = 'secevent+jwt';
const MAX_JTI_LENGTH = 256;

/** What a security event token says. */
export interface SecurityEvent {
  readonly issuer: string;
  readonly jti: string;
  readonly iat: number;
  readonly txn?: string;
  readonly subject: SubjectIdentifier;
  /** The URI of its type; one that is understood here if it has one. */
  readonly type: string;
  readonly event: Readonly<Record<string, unknown>>;
  /** Whether anything here understands the type. */
  readonly isKnown: boolean;
}

/**
 * A security event token cannot be taken.
 *
 * @param error RFC 8935 §2.4
 */
export function refusedToken(
  error:
    | 'invalid_request'
    | 'invalid_key'
    | 'invalid_issuer'
    | 'invalid_audience'
    | 'authentication_failed'
    | 'access_denied'
    | 'invalid_state',
  description: string,
  reason: FailureReason,
  more: { readonly detail?: string | undefined; readonly cause?: unknown } = {},
): OAuthError {
  const { detail = description, cause } = more;
  // §2.3: SHALL respond with 400, whatever the code is
  return new OAuthError(error, description, { status: 400, reason, detail, cause });
}

/** The claimed issuer of a token that is not verified yet. @throws OAuthError invalid_request if it is no JWT */
export async function readIssuer(jwt: string): Promise<string> {
  const { decodeJwt } = await loadJose();
  try {
    const { iss } = decodeJwt(jwt);
    if (typeof iss === 'string') return iss;
  } catch (cause) {
    throw malformed('the body is no security event token', cause);
  }
  throw malformed('iss is missing');
}

/**
 * Validates a security event token of one transmitter.
 *
 * @throws OAuthError with a code of RFC 8935 §2.4; temporarily_unavailable if the keys cannot be had
 * @see RFC 8935 §2, RFC 8417 §2.2, Shared Signals Framework §4.1
 */
export async function verifyEventToken(
  jwt: string,
  { issuer, audience }: Pick<TrustedTransmitter, 'issuer' | 'audience'>,
  { api, maxAge, ...present }: PresentTime & { readonly api: TransmitterApi; readonly maxAge: number },
): Promise<SecurityEvent> {
  const claims = await verifySignature(jwt, api, {
    typ: TYP,
    algorithms: [...SIGNATURE_ALGORITHMS],
    issuer,
    audience: [...audience],
    currentDate: present.now,
    clockTolerance: present.clockTolerance,
  });
  // §4.1.2, §4.1.7: an access token or an ID token is no event
  if (claims.sub !== undefined || claims.exp !== undefined) throw malformed('sub and exp MUST NOT be there');
  checkTime(claims, maxAge, present);
  return { issuer, ...readClaims(claims) };
}

type VerifyOptions = Parameters<typeof verifyByAny>[2] & PresentTimeOfJose;
interface PresentTimeOfJose {
  readonly currentDate: Date;
  readonly clockTolerance: number;
}

async function verifySignature(
  jwt: string,
  api: TransmitterApi,
  options: VerifyOptions,
): Promise<JWTPayload> {
  let isCoolingDown = false;
  try {
    const keys: JWTVerifyGetKey & { readonly coolingDown?: boolean } = await api.keys();
    isCoolingDown = keys.coolingDown === true;
    return (await verifyByAny(jwt, keys, options)).payload;
  } catch (error) {
    // nobody repeats what was answered 400 (RFC 8935 §2.4), and the key may be younger than the last fetch
    if (isCoolingDown && error instanceof JWKSNoMatchingKey)
      throw unableForTheMoment('the key is unknown, and the keys were fetched a moment ago', error, {
        'Retry-After': String(KEY_SET_COOLDOWN),
      });
    throw toRefusal(error, options);
  }
}

function toRefusal(error: unknown, { currentDate: now, clockTolerance }: PresentTimeOfJose): OAuthError {
  if (error instanceof JWTExpired) return malformed('sub and exp MUST NOT be there', error);
  if (error instanceof JWTClaimValidationFailed) {
    if (error.claim === 'aud')
      return refusedToken(
        'invalid_audience',
        'the token is for somebody else',
        'event_token_wrong_audience',
        {
          detail: `aud is ${JSON.stringify(error.payload.aud)?.slice(0, 200)}`,
        },
      );
    const detail = clockDetailOf(error, { now, clockTolerance });
    return refusedToken('invalid_request', error.message, 'event_token_malformed', { detail, cause: error });
  }
  if (isUnanswered(error))
    return unableForTheMoment('the keys of a trusted transmitter could not be read', error);
  return refusedToken('invalid_key', 'the signature is not by a key of the issuer', 'event_token_wrong_key', {
    detail: error instanceof Error ? error.message : undefined,
    cause: error,
  });
}

/** An answer that never came is not the token's fault. */
function isUnanswered(error: unknown): boolean {
  return !(error instanceof JOSEError) || error instanceof JWKSTimeout || error.code === 'ERR_JOSE_GENERIC';
}

/** Old tokens are refused: otherwise somebody who has stored one could end a user's sessions again and again. */
function checkTime({ iat }: JWTPayload, maxAge: number, present: PresentTime): void {
  if (typeof iat !== 'number') throw malformed('iat is missing');
  const age = present.now.getTime() / 1000 - iat;
  if (age >= -present.clockTolerance && age <= maxAge + present.clockTolerance) return;
  const when = age < 0 ? 'in the future' : `more than ${maxAge} seconds ago`;
  throw refusedToken('invalid_request', `iat is ${when}`, 'event_token_wrong_time', {
    detail: clockDetail('iat', iat, present),
  });
}

function readClaims(claims: JWTPayload): Omit<SecurityEvent, 'issuer'> {
  const { jti, iat, txn, sub_id: subject, events } = claims;
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI_LENGTH)
    throw malformed(`jti must be text of 1 to ${MAX_JTI_LENGTH} characters`);
  if (!isSubject(subject)) throw malformed('sub_id must be a subject identifier (RFC 9493)');
  return {
    jti,
    iat: Number(iat),
    ...(typeof txn === 'string' && { txn: txn.slice(0, MAX_JTI_LENGTH) }),
    subject,
    ...readEvent(events),
  };
}

const OWN_EVENTS: ReadonlySet<string> = new Set([VERIFICATION, STREAM_UPDATED]);

/** §4.2.1: several types are different names for one event; the first that is understood counts. */
function readEvent(events: unknown): Pick<SecurityEvent, 'type' | 'event' | 'isKnown'> {
  const found = isObject(events) ? Object.entries(events) : [];
  if (found.length === 0) throw malformed('events must be an object with an event');
  if (!found.every(([, event]) => isObject(event))) throw malformed('each event must be an object');
  const known = found.find(([type]) => KNOWN_EVENTS.has(type) || OWN_EVENTS.has(type));
  const [type, event] = (known ?? found[0]) as [string, Readonly<Record<string, unknown>>];
  return { type, event, isKnown: known !== undefined };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function malformed(description: string, cause?: unknown): OAuthError {
  return refusedToken('invalid_request', description, 'event_token_malformed', { cause });
}
