import { createClientDirectory } from '../../core/clients/registry/client-directory.js';
import { createApplicationsPages } from '../../pages/applications/applications.js';
import type { Endpoint } from '../endpoint.js';

/** Where developers register and manage their clients. */
export const applications: Endpoint = {
  name: 'applications',
  isPage: true,
  create: (server) =>
    createApplicationsPages({
      ...server,
      ...server.rendering,
      directory: createClientDirectory(server.models),
      failures: server.models.failures,
    }),
};
