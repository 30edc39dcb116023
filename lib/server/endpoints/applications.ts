import { Router } from 'express';

import { createClientDirectory } from '../../core/clients/registry/client-directory.js';
import { createApplicationsPages } from '../../pages/applications/applications.js';
import { lazy } from '../../shared/lazy.js';
import type { Endpoint } from '../endpoint.js';

/** Where developers register and manage their clients. The first request loads these pages. */
export const applications: Endpoint = {
  name: 'applications',
  isPage: true,
  create(server) {
    const pages = lazy(() =>
      createApplicationsPages({
        ...server,
        ...server.rendering,
        directory: createClientDirectory(server.models),
        failures: server.models.failures,
      }),
    );
    return Router().use((req, res, next) => pages()(req, res, next));
  },
};
