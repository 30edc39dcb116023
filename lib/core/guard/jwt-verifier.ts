import type { JWTPayload } from 'jose';
import { JOSEError, JWKSInvalid, JWKSTimeout } from 'jose/errors';

import { loadJose } from '../../shared/crypto/jose.js';
import { SIGNING_ALGORITHMS } from '../../shared/crypto/key-material.js';
import { clockDetail, clockDetailOf } from '../../shared/date.js';
import { OAuthError } from '../../shared/errors.js';
import type { AccessToken } from './access-token.js';
import type { IssuerMetadata } from './discovery.js';
import { parseTokenClaims } from './token-claims.js';
import { invalidToken, unavailable, type VerifyUncached } from './verify-access-token.js';

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
 * @param place `clockTolerance`: seconds by which the clocks of two machines may differ
 * @see RFC 9068 §4, RFC 8725 §3
 */
export function createJwtVerifier(place: {
  readonly issuer: string;
  readonly resource: string;
  readonly discover: () => Promise<IssuerMetadata>;
  readonly clockTolerance: number;
}): VerifyUncached {
  const { issuer, resource, discover, clockTolerance } = place;
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
    // read before the key is looked up: the set may be fetched again meanwhile, and the key be from the older one
    const cacheableUntil = keys.endsAt();
    const { payload, protectedHeader } = await jwtVerify(token, keys.find, {
      ...options,
      currentDate: now,
    }).catch((error: unknown) => {
      if (error instanceof OAuthError) throw error;
      // it is not the token's fault if the keys could not be read
      const areKeysMissing =
        !(error instanceof JOSEError) ||
        error instanceof JWKSTimeout ||
        error instanceof JWKSInvalid ||
        error.code === 'ERR_JOSE_GENERIC';
      if (areKeysMissing) throw unavailable('the keys of the authorization server could not be read', error);
      const detail = clockDetailOf(error, { now, clockTolerance });
      throw invalidToken(detail === undefined ? error.message : `${error.message}: ${detail}`, error);
    });
    // jose checks it only together with maxTokenAge
    const { iat = 0 } = payload;
    if (iat > now.getTime() / 1000 + clockTolerance)
      throw invalidToken(`issued in the future: ${clockDetail('iat', iat, { now, clockTolerance })}`);
    if (iat < keys.notBefore(protectedHeader.kid)) throw invalidToken('all tokens of then were revoked');
    return { auth: accessTokenFromClaims(token, payload, resource), cacheableUntil };
  };
}

export function accessTokenFromClaims(token: string, payload: JWTPayload, resource: string): AccessToken {
  const { sub, client_id: clientId, scope, exp } = payload;
  if (typeof clientId !== 'string' || (scope !== undefined && typeof scope !== 'string'))
    throw invalidToken('client_id or scope is no text');
  const extra = Object.fromEntries(
    Object.entries(payload).filter(([name]) => !DESCRIBED_CLAIMS.includes(name)),
  );
  return {
    token,
    clientId,
    scopes: scope === undefined ? [] : scope.split(' '),
    expiresAt: exp,
    resource: new URL(resource),
    // RFC 9068 §2.2: without a resource owner, sub is the client
    ...(sub !== clientId && { userId: sub }),
    ...parseTokenClaims(payload),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

/** `https://api.example` and `https://api.example/` are one resource; jose compares text. */
export function spellingsOf(resource: string): string[] {
  const { href } = new URL(resource);
  return [...new Set([resource, href, href.replace(/\/$/, '')])];
}
