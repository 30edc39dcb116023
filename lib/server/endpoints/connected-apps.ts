import { createGrantRevocation } from '../../core/grants/grant-registry.js';
import { emitFor } from '../../core/observability/events.js';
import { createAuthorizationsPage } from '../../pages/connected-apps/connected-apps.js';
import type { Endpoint } from '../endpoint.js';

/** Where users see which apps can use their account, and end that. */
export const authorizations: Endpoint = {
  name: 'authorizations',
  isPage: true,
  create(server) {
    const { models, events, rendering, grantTypes } = server;
    return createAuthorizationsPage({
      ...server,
      ...rendering,
      deviceGrantTypes: grantTypes.flatMap(({ name, connectsDevice }) =>
        connectsDevice === true ? [name] : [],
      ),
      grantsFor: (req) => createGrantRevocation(models, emitFor(events, req)),
    });
  },
};
