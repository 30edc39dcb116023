import { Router } from 'express';

import { handle, refuseOtherMethods, shedLoad } from '../../core/http/handle.js';
import { jsonError } from '../../core/http/json-error.js';
import { queryOf } from '../../core/http/query.js';
import { secureTransport } from '../../core/http/secure-transport.js';
import { logoVersionOf } from '../../pages/consent/client-logos.js';
import { peekParameter } from '../../shared/protocol/parameters.js';
import type { Endpoint } from '../server.js';

/** Serves the fetched logos of clients to the pages; see `withClientLogos`. */
export const clientLogo: Endpoint = {
  name: 'client-logo',
  create({ settings, models, report }) {
    const router = Router();
    router.use(secureTransport(settings), shedLoad(models.checkLoad));
    router.get(
      '/',
      handle(async (req, res) => {
        const query = queryOf(req);
        const clientId = peekParameter(query, 'client_id');
        const logo = clientId === undefined ? null : await models.clientLogos.find(clientId);
        const isNamed = logo !== null && peekParameter(query, 'v') === logoVersionOf(logo.url);
        if (!isNamed || logo.type === undefined || logo.data === undefined)
          return void res.status(404).set('Cache-Control', 'no-store').end();
        res
          .set({
            'Content-Type': logo.type,
            'Cache-Control': 'public, max-age=31536000, immutable',
            'X-Content-Type-Options': 'nosniff',
            // a stranger has made the picture: opened by itself it is a file and no page of this site, no script in it
            // runs, and no other site can embed it as this site's
            'Content-Disposition': 'attachment',
            'Content-Security-Policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'",
            'Cross-Origin-Resource-Policy': 'same-origin',
          })
          .send(Buffer.from(logo.data, 'base64'));
      }),
    );
    router.all('/', refuseOtherMethods('GET', 'HEAD'));
    router.use(jsonError('client-logo', report));
    return router;
  },
};
