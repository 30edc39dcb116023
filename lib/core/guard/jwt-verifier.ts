import type { JWTPayload } from 'jose';
import { JOSEError, JWKSInvalid, JWKSTimeout } from 'jose/errors';

import { clockDetail, clockDetailOf } from '../../shared/clock-tolerance.js';
import { loadJose } from '../../shared/crypto/jose.js';
import { SIGNING_ALGORITHMS } from '../../shared/crypto/key-material.js';
import type { OAuthError } from '../../shared/errors.js';
import { parseActor } from '../../shared/protocol/actor.js';
import { TOKEN_KINDS, type TokenKind } from '../../shared/protocol/token-kind.js';
import type { AccessToken } from './access-token.js';
import { authenticationIn } from './authentication-in.js';
import { detailsIn } from './details-in.js';
import type { IssuerMetadata } from './discovery.js';
import { unavailable } from './unavailable.js';
import { invalidToken, type VerifyToken } from './verify-access-token.js';

export interface JwtVerifierOptions {
  readonly issuer: string;
  readonly resource: string;
  readonly discover: () => Promise<IssuerMetadata>;
  /** Seconds by which the clocks of two machines may differ. */
  readonly clockTolerance: number;
}

const REQUIRED_CLAIMS = ['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti'];
/** Claims that the fields of `req.auth` already show. */
const DESCRIBED_CLAIMS = [
  ...REQUIRED_CLAIMS,
  'scope',
  'authorization_details',
  'authorization_choices',
  'auth_time',
  'acr',
  'amr',
  'nbf',
  'cnf',
  'token_kind',
  'act',
];

/**
 * Verifies JWT access tokens by the published keys.
 *
 * @see RFC 9068 §4, RFC 8725 §3
 */
export function createJwtVerifier({
  issuer,
  resource,
  discover,
  clockTolerance,
}: JwtVerifierOptions): VerifyToken {
  const options = {
    issuer,
    audience: spellingsOf(resource),
    typ: 'at+jwt',
    algorithms: [...SIGNING_ALGORITHMS],
    requiredClaims: REQUIRED_CLAIMS,
    clockTolerance,
  };

  return async (token, now) => {
    const { keys } = await discover();
    if (keys === undefined) throw invalidToken('a JWT, but the authorization server publishes no jwks_uri');
    const { jwtVerify } = await loadJose();
    // before the look-up: the set may be fetched anew during it, and the key may be from the older one
    const believedUntil = keys.endsAt();
    const { payload } = await jwtVerify(token, keys.find, { ...options, currentDate: now }).catch(
      (error: unknown) => {
        throw refusalOf(error, clockDetailOf(error, { now, clockTolerance }));
      },
    );
    // jose checks it only together with maxTokenAge
    const { iat = 0 } = payload;
    if (iat > now.getTime() / 1000 + clockTolerance)
      throw invalidToken(`issued in the future: ${clockDetail('iat', iat, { now, clockTolerance })}`);
    return { auth: toAccessToken(token, payload, resource), believedUntil };
  };
}

export function toAccessToken(token: string, payload: JWTPayload, resource: string): AccessToken {
  const { sub, client_id: clientId, scope, exp, cnf, act } = payload;
  if (typeof clientId !== 'string' || (scope !== undefined && typeof scope !== 'string'))
    throw invalidToken('client_id or scope is no text');
  const extra = Object.fromEntries(
    Object.entries(payload).filter(([name]) => !DESCRIBED_CLAIMS.includes(name)),
  );
  return {
    token,
    kind: kindIn(payload.token_kind),
    clientId,
    scopes: scope === undefined ? [] : scope.split(' '),
    expiresAt: exp,
    resource: new URL(resource),
    // RFC 9068 §2.2: without a resource owner, sub is the client
    ...(sub !== clientId && { userId: sub }),
    ...detailsIn(payload),
    ...authenticationIn(payload),
    ...actorIn(act),
    ...(cnf !== undefined && { cnf: confirmationIn(cnf) }),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

/** What the authorization server says that a token is; one of another make says nothing. */
export function kindIn(kind: unknown): TokenKind {
  return TOKEN_KINDS.find((known) => known === kind) ?? 'app';
}

/**
 * Who acts for the person (RFC 8693 §4.1).
 *
 * @throws OAuthError invalid_token if nobody can read who it is: then it is not the person's own client
 */
export function actorIn(act: unknown): Pick<AccessToken, 'actor'> {
  if (act === undefined) return {};
  const actor = parseActor(act);
  if (actor === undefined) throw invalidToken('act names nobody');
  return { actor };
}

/** RFC 7800 §3.1: a cnf that cannot be read binds the token all the same. */
export function confirmationIn(cnf: unknown): NonNullable<AccessToken['cnf']> {
  return typeof cnf === 'object' && cnf !== null ? { ...cnf } : {};
}

/** An answer that never came is not the token's fault. */
function refusalOf(error: unknown, detail?: string): OAuthError {
  const isUnanswered =
    !(error instanceof JOSEError) ||
    error instanceof JWKSTimeout ||
    error instanceof JWKSInvalid ||
    error.code === 'ERR_JOSE_GENERIC';
  return isUnanswered
    ? unavailable('the keys of the authorization server could not be read', error)
    : invalidToken(detail === undefined ? error.message : `${error.message}: ${detail}`, error);
}

/** `https://api.example` and `https://api.example/` are one resource; jose compares text. */
export function spellingsOf(resource: string): string[] {
  const { href } = new URL(resource);
  return [...new Set([resource, href, href.replace(/\/$/, '')])];
}
