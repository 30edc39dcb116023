import { createGrantRevocation } from '../../core/grants/grant-registry.js';
import { createLazyRouter } from '../../core/http/lazy-router.js';
import { emitFor } from '../../core/observability/events.js';
import { createAuthorizationsPage } from '../../pages/connected-apps/connected-apps.js';
import { pageErrors } from '../../pages/rendering/page-errors.js';
import type { Endpoint } from '../endpoint.js';

/** Where users see which apps can use their account, and end that. The first request loads these pages. */
export const authorizations: Endpoint = {
  name: 'authorizations',
  isPage: true,
  create(server) {
    const { models, events, rendering, grantTypes } = server;
    return createLazyRouter(
      () =>
        createAuthorizationsPage({
          ...server,
          ...rendering,
          deviceGrantTypes: grantTypes.flatMap(({ name, connectsDevice }) =>
            connectsDevice === true ? [name] : [],
          ),
          grantsFor: (req) => createGrantRevocation(models, emitFor(events, req)),
        }),
      pageErrors({ ...server, ...server.rendering, endpoint: 'authorizations', sender: 'person' }),
    );
  },
};
