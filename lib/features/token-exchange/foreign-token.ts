import { decodeJwt } from 'jose/jwt/decode';

import type { GrantTypeDependencies } from '../../core/grant-types/grant-type.js';
import { isJwt } from '../../core/grants/tokens/access-tokens.js';
import type { AccessToken } from '../../core/guard/access-token.js';
import { createDiscovery } from '../../core/guard/discovery.js';
import { createIntrospectionVerifier } from '../../core/guard/introspection-verifier.js';
import { createJwtVerifier } from '../../core/guard/jwt-verifier.js';
import { invalidToken } from '../../core/guard/verify-access-token.js';
import type { Settings } from '../../settings/settings.js';
import { requireEnabled } from '../../settings/table/require-enabled.js';
import { OAuthError } from '../../shared/errors.js';
import { invalidSubjectToken } from './live-token.js';
import type { ExchangeTrust } from './options.js';

/** A valid access token of a trusted server. */
export type ForeignToken = NonNullable<Awaited<ReturnType<ReturnType<typeof createReadForeignToken>>>>;

/** Timeout of requests to the other server in milliseconds. */
const TIMEOUT = 5000;
/** Seconds between two fetches because of unknown key ids. */
const KEYS_COOLDOWN = 30;

/**
 * Reads access tokens of other servers as `bearerGuard` does: JWTs by the published keys of their issuer, opaque tokens
 * by its introspection. Only its issuer may see a token: a JWT names its issuer, and an opaque token is introspected
 * only if there is a single candidate. Undefined if the token can only be this server's.
 *
 * @see RFC 8693 §2.1, RFC 9068 §4, RFC 7662 §2
 */
export function createReadForeignToken({ settings, accessTokens }: GrantTypeDependencies) {
  const { trust } = requireEnabled(settings.tokenExchange, 'tokenExchange');
  const verifiers = new Map(trust.map((entry) => [entry, createVerify(entry, settings)]));
  const [introspecting, ...others] = trust.filter(({ clientId }) => clientId !== undefined);
  const ofOpaque = others.length === 0 ? introspecting : undefined;

  return async (token: string, now: Date) => {
    let entry: ExchangeTrust | undefined;
    if (isJwt(token)) {
      // unverified: the issuer only selects the keys
      let issuerOfJwt: string | undefined;
      try {
        issuerOfJwt = decodeJwt(token).iss;
      } catch {
        return undefined;
      }
      entry = trust.find(({ issuer }) => issuer === issuerOfJwt);
    } else if (ofOpaque !== undefined && (await accessTokens.read(token, now)) === null) entry = ofOpaque;
    if (entry === undefined) return undefined;
    try {
      return { entry, token: await verifiers.get(entry)!(token, now) };
    } catch (error) {
      if (error instanceof OAuthError && error.error === 'invalid_token')
        throw invalidSubjectToken(`of ${entry.issuer}: ${error.detail ?? error.description}`);
      throw error;
    }
  };
}

/** A JWT must be active at its issuer, too, if the issuer offers introspection: it may have been revoked. */
function createVerify(
  entry: ExchangeTrust,
  settings: Settings,
): (token: string, now: Date) => Promise<AccessToken> {
  const { clockTolerance } = settings.security;
  const { resource = settings.issuer } = entry;
  const server = { ...entry, resource, timeout: TIMEOUT, keysCooldown: KEYS_COOLDOWN, clockTolerance };
  const discover = createDiscovery(server);
  const verifyJwt = createJwtVerifier(server, discover);
  if (entry.clientId === undefined) return async (token, now) => (await verifyJwt(token, now)).auth;
  const introspect = createIntrospectionVerifier(server, discover);
  return async (token, now) => {
    if (!isJwt(token)) return (await introspect(token, now)).auth;
    const { auth } = await verifyJwt(token, now);
    const { auth: current } = await introspect(token, now);
    if (current.userId !== auth.userId) throw invalidToken('introspection tells of another user');
    return { ...auth, scopes: auth.scopes.filter((scope) => current.scopes.includes(scope)) };
  };
}
