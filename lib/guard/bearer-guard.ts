import type { Router } from 'express';

import { isJwt } from '../grants/access-tokens.js';
import { createReport } from '../observability/report.js';
import { isLoopbackHost } from '../protocol/redirect-uri.js';
import {
  type BearerGuardOptions,
  bearerGuardOptions,
  type BearerGuardSettings,
} from '../settings/bearer-guard-options.js';
import { mistake, parseOptions } from '../settings/parse-options.js';
import { createDiscovery, MAX_AGE } from './discovery.js';
import { createGuard, type Guard } from './guard.js';
import { createIntrospectionVerifier } from './introspection-verifier.js';
import { createJwtVerifier } from './jwt-verifier.js';
import { createProtectedResourceMetadata } from './protected-resource.js';
import { rememberVerified } from './remember-verified.js';
import { invalidToken, type VerifyAccessToken } from './verify-access-token.js';

/** A guard, with the metadata of its resource: `app.use(guard.wellKnown)` at the site's root. (RFC 9728) */
export interface BearerGuard extends Guard {
  readonly wellKnown: Router;
}

/**
 * Guards the routes of a resource server that is a process of its own: JWTs by the published keys, opaque tokens by
 * introspection. It needs no database.
 *
 * @throws TypeError where an option is wrong
 * @example
 * const guard = bearerGuard({ issuer: 'https://photos.example', resource: 'https://api.photos.example' });
 * app.use(guard.wellKnown);
 * app.get('/photos', guard('photos:read'), (req, res) => res.json(photosOf(req.auth.userId)));
 */
export function bearerGuard(given: BearerGuardOptions): BearerGuard {
  const options = parseOptions('bearerGuard', bearerGuardOptions, given);
  checkTogether(options);
  const { issuer, resource = issuer, scopes, bearerMethods, name, onError } = options;
  const guard = createGuard({
    verify: createVerifier(options, resource),
    report: createReport({ onError }),
    issuer,
    realm: new URL(resource).host,
    bearerMethods,
    knownScopes: scopes,
    resource,
    knownResources: [resource],
  });
  return Object.assign(guard, {
    wellKnown: createProtectedResourceMetadata(
      [{ resource, issuer, scopes, bearerMethods, name }],
      new URL(resource).origin,
    ),
  });
}

function createVerifier(options: BearerGuardSettings, resource: string): VerifyAccessToken {
  const { issuer, clientId, clientSecret, timeout, keysCooldown, cacheTtl, cacheSize } = options;
  const discover = createDiscovery({ issuer, timeout, keysCooldown });
  // a key that the issuer takes away is believed as long as the set of keys is
  const verifyJwt = rememberVerified(createJwtVerifier({ issuer, resource, discover }), {
    size: cacheSize,
    life: MAX_AGE,
  });
  const verifyOpaque =
    clientId === undefined || clientSecret === undefined
      ? undefined
      : rememberVerified(
          createIntrospectionVerifier({ issuer, resource, discover, clientId, clientSecret, timeout }),
          { size: cacheSize, life: cacheTtl },
        );
  return async ({ token }) => {
    // what looks like a JWT is never asked about: a forged one would get a second chance
    if (isJwt(token)) return verifyJwt(token);
    if (verifyOpaque !== undefined) return verifyOpaque(token);
    throw invalidToken(
      'an opaque token, and bearerGuard has no clientId and clientSecret to ask about it with',
    );
  };
}

function checkTogether({
  clientId,
  clientSecret,
  issuer,
  dangerouslyAllowInsecureHttp,
}: BearerGuardSettings): void {
  if ((clientId === undefined) !== (clientSecret === undefined))
    throw mistake('bearerGuard', 'clientId', 'write both clientId and clientSecret, or neither');
  const { protocol, hostname } = new URL(issuer);
  if (protocol !== 'https:' && !isLoopbackHost(hostname) && !dangerouslyAllowInsecureHttp)
    throw mistake(
      'bearerGuard',
      'issuer',
      `'${issuer}' is asked for its keys without TLS; write https:, or dangerouslyAllowInsecureHttp: true if you must`,
    );
}
