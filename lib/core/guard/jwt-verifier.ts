import { JOSEError, JWKSInvalid, JWKSTimeout } from 'jose/errors';

import { loadJose } from '../../shared/crypto/jose.js';
import { SIGNING_ALGORITHMS } from '../../shared/crypto/key-material.js';
import { clockDetail, clockDetailOf } from '../../shared/date.js';
import { OAuthError } from '../../shared/errors.js';
import type { Discover, RemoteServer } from './discovery.js';
import { accessTokenFromClaims } from './token-claims.js';
import { invalidToken, unavailable, type VerifyUncached } from './verify-access-token.js';

const REQUIRED_CLAIMS = ['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti'];
/** Claims that other fields of `req.auth` have. */
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

/** Verifies JWT access tokens by the published keys. @see RFC 9068 §4, RFC 8725 §3 */
export function createJwtVerifier(server: RemoteServer, discover: Discover): VerifyUncached {
  const { issuer, resource, clockTolerance } = server;
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
    // read before the key is looked up: a fetch meanwhile may replace the set, and the key be from the older one
    const cacheableUntil = keys.endsAt();
    const { payload, protectedHeader } = await jwtVerify(token, keys.find, {
      ...options,
      currentDate: now,
    }).catch((error: unknown) => {
      if (error instanceof OAuthError) throw error;
      // an unreadable key set is not the token's fault
      const areKeysMissing =
        !(error instanceof JOSEError) ||
        error instanceof JWKSTimeout ||
        error instanceof JWKSInvalid ||
        error.code === 'ERR_JOSE_GENERIC';
      if (areKeysMissing) throw unavailable('the keys of the authorization server could not be read', error);
      const detail = clockDetailOf(error, { now, clockTolerance });
      throw invalidToken(detail === undefined ? error.message : `${error.message}: ${detail}`, error);
    });
    // jose checks `iat` only together with maxTokenAge
    const { iat = 0 } = payload;
    if (iat > now.getTime() / 1000 + clockTolerance)
      throw invalidToken(`issued in the future: ${clockDetail('iat', iat, { now, clockTolerance })}`);
    if (iat < keys.notBefore(protectedHeader.kid)) throw invalidToken('all tokens of then were revoked');
    const auth = accessTokenFromClaims(token, payload, resource);
    const extra = Object.entries(payload).filter(([name]) => !DESCRIBED_CLAIMS.includes(name));
    if (extra.length > 0) auth.extra = Object.fromEntries(extra);
    return { auth, cacheableUntil };
  };
}

/** `https://api.example` and `https://api.example/` are one resource; jose compares text. */
export function spellingsOf(resource: string): string[] {
  const { href } = new URL(resource);
  return [...new Set([resource, href, href.replace(/\/$/, '')])];
}
