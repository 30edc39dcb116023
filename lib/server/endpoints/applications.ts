import { createClientDirectory } from '../../core/clients/registry/client-directory.js';
import { createLazyRouter } from '../../core/http/lazy-router.js';
import { createApplicationsPages } from '../../pages/applications/applications.js';
import { pageErrors } from '../../pages/rendering/page-errors.js';
import type { Endpoint } from '../endpoint.js';

/** Where developers register and manage their clients. The first request loads these pages. */
export const applications: Endpoint = {
  name: 'applications',
  isPage: true,
  create(server) {
    return createLazyRouter(
      () =>
        createApplicationsPages({
          ...server,
          ...server.rendering,
          directory: createClientDirectory(server.models),
          failures: server.models.failures,
        }),
      pageErrors({ ...server, ...server.rendering, endpoint: 'applications', sender: 'person' }),
    );
  },
};
