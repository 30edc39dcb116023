import { Router } from 'express';

import { crossOrigin } from '../../core/http/cross-origin.js';
import { handle } from '../../core/http/handle.js';
import { jsonError } from '../../core/http/json-error.js';
import { refuseOtherMethods } from '../../core/http/methods.js';
import type { SigningKeys } from '../../core/keys/signing-keys.js';
import type { Report } from '../../core/observability/report.js';
import { encryptionAlgorithmsOf } from '../../settings/options/signing-key-options.js';
import type { Endpoint } from '../endpoint.js';

export interface JwksEndpointDependencies {
  readonly signingKeys: SigningKeys;
  /** Seconds that the answer may be cached. */
  readonly cacheLife: number;
  readonly report: Report;
}

/**
 * Publishes the public keys.
 *
 * @see RFC 7517 §5, RFC 8414 §2 jwks_uri
 */
export function createJwksEndpoint({ signingKeys, cacheLife, report }: JwksEndpointDependencies): Router {
  const router = Router();
  router.all('/', crossOrigin('GET'));
  router.get(
    '/',
    handle(async (_req, res) => {
      const keys = await signingKeys.publicKeys();
      res
        .set({
          'Cache-Control': `public, max-age=${Math.floor(cacheLife)}`,
          'X-Content-Type-Options': 'nosniff',
        })
        .type('application/jwk-set+json')
        .send(JSON.stringify({ keys }));
    }),
  );
  router.all('/', refuseOtherMethods('GET', 'HEAD'));
  router.use(jsonError('jwks', report));
  return router;
}

export const jwks: Endpoint = {
  name: 'jwks',
  create: (server) => createJwksEndpoint({ ...server, cacheLife: server.settings.signingKeys.cacheLife }),
  metadata: ({ settings }, url) =>
    settings.signingKeys.hasKeys || encryptionAlgorithmsOf(settings).length > 0 ? { jwks_uri: url } : {},
};
