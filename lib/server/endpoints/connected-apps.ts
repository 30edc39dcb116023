import { Router } from 'express';

import { createGrantRevocation } from '../../core/grants/grant-registry.js';
import { emitFor } from '../../core/observability/events.js';
import { createAuthorizationsPage } from '../../pages/connected-apps/connected-apps.js';
import { lazy } from '../../shared/lazy.js';
import type { Endpoint } from '../endpoint.js';

/** Where users see which apps can use their account, and end that. The first request loads these pages. */
export const authorizations: Endpoint = {
  name: 'authorizations',
  isPage: true,
  create(server) {
    const { models, events, rendering, grantTypes } = server;
    const pages = lazy(() =>
      createAuthorizationsPage({
        ...server,
        ...rendering,
        deviceGrantTypes: grantTypes.flatMap(({ name, connectsDevice }) =>
          connectsDevice === true ? [name] : [],
        ),
        grantsFor: (req) => createGrantRevocation(models, emitFor(events, req)),
      }),
    );
    return Router().use((req, res, next) => pages()(req, res, next));
  },
};
