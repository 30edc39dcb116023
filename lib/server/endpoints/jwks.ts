import { Router } from 'express';

import { crossOrigin } from '../../core/http/cross-origin.js';
import { handle, refuseOtherMethods } from '../../core/http/handle.js';
import { jsonError } from '../../core/http/json-error.js';
import { encryptionAlgorithmsOf } from '../../settings/options/signing-key-options.js';
import type { Endpoint } from '../server.js';

/** Publishes the public keys. @see RFC 7517 §5, RFC 8414 §2 jwks_uri */
export const jwks: Endpoint = {
  name: 'jwks',
  create({ settings, signingKeys, report }) {
    const router = Router();
    router.all('/', crossOrigin('GET'));
    router.get(
      '/',
      handle(async (_req, res) => {
        const keys = await signingKeys.publicKeys();
        res
          .set({
            'Cache-Control': `public, max-age=${Math.floor(settings.signingKeys.cacheLife)}`,
            'X-Content-Type-Options': 'nosniff',
          })
          .type('application/jwk-set+json')
          .send(JSON.stringify({ keys }));
      }),
    );
    router.all('/', refuseOtherMethods('GET', 'HEAD'));
    router.use(jsonError('jwks', report));
    return router;
  },
  metadata: ({ settings }, url) =>
    settings.signingKeys.hasKeys || encryptionAlgorithmsOf(settings).length > 0 ? { jwks_uri: url } : {},
};
