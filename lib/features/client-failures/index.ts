import type { Feature } from '../../server/server.js';

/** Why clients were refused lately, for those who develop them. */
export const clientFailures = {
  name: 'client-failures',
  isOn: (settings) => settings.applications.failures,
  collections: () => ['Refusals'],
} satisfies Feature;
