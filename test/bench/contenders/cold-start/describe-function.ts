import type { Express } from 'express';

import type { ContenderDescription } from '../../contender.js';
import type { Made } from '../support/serve.js';

/** What both functions have: a token endpoint and one guarded route. */
export function describeFunction(app: Express, client: ContenderDescription['client']): Made {
  return {
    listener: app as never,
    version: process.versions.node,
    workloads: ['client_credentials', 'guard'],
    paths: { token: '/oauth/token', authorize: '/oauth/authorize', api: '/api/photos' },
    client,
  };
}
