import { decodeJwt } from 'jose/jwt/decode';

import type { GrantTypeDependencies } from '../../core/grant-types/grant-type.js';
import { isJwt } from '../../core/grants/tokens/access-tokens.js';
import type { AccessToken } from '../../core/guard/access-token.js';
import { createDiscovery } from '../../core/guard/discovery.js';
import { createIntrospectionVerifier } from '../../core/guard/introspection-verifier.js';
import { createJwtVerifier } from '../../core/guard/jwt-verifier.js';
import { invalidToken } from '../../core/guard/verify-access-token.js';
import type { Settings } from '../../settings/settings.js';
import { switchedOn } from '../../settings/table/switched-on.js';
import { OAuthError } from '../../shared/errors.js';
import { invalidSubjectToken } from './live-token.js';
import type { ExchangeTrust } from './options.js';

/** A valid access token of another server that the site trusts. */
export type ForeignToken = NonNullable<Awaited<ReturnType<ReturnType<typeof createReadForeignToken>>>>;

/** Milliseconds that the other server may take. */
const TIMEOUT = 5000;
/** Seconds between two fetches because of unknown key ids. */
const KEYS_COOLDOWN = 30;

/**
 * Reads access tokens of other servers as `bearerGuard` does: JWTs by the keys that their issuer publishes, opaque ones
 * by its introspection. A token goes to nobody but its issuer: a JWT says who that is, and an opaque one is asked about
 * only if a single issuer can be. Undefined if it can only be a token of this server.
 *
 * @see RFC 8693 §2.1, RFC 9068 §4, RFC 7662 §2
 */
export function createReadForeignToken({ settings, accessTokens }: GrantTypeDependencies) {
  const { trust } = switchedOn(settings.tokenExchange, 'tokenExchange');
  const verifiers = new Map(trust.map((entry) => [entry, createVerify(entry, settings)]));
  const [introspecting, ...others] = trust.filter(({ clientId }) => clientId !== undefined);
  const ofOpaque = others.length === 0 ? introspecting : undefined;

  return async (token: string, now: Date) => {
    let entry: ExchangeTrust | undefined;
    if (isJwt(token)) {
      // nothing is verified yet: the issuer says only whose keys are to verify it
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

/** A JWT of an issuer that can be asked has to be active there as well: it may have been revoked. */
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
