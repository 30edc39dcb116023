import { fileURLToPath } from 'node:url';

import config from '../../jest.config.js';

/** `npm run test:stress`: a hundred times the generated runs of `npm test`. */
process.env.STRESS = '1';

const rootDir = fileURLToPath(new URL('../..', import.meta.url));
const [project] = config.projects;

export default {
  ...config,
  rootDir,
  testTimeout: 12 * 60 * 60_000,
  projects: [
    {
      ...project,
      rootDir,
      displayName: 'stress',
      roots: ['<rootDir>/test/'],
      testPathIgnorePatterns: [],
      testMatch: [
        '**/test/properties/**/*.test.ts',
        '**/test/stress/**/*.test.ts',
        // suites of other folders that have a long form
        '**/test/attacks/fetches-of-strangers.test.ts',
        '**/test/attacks/unfolded-fields.test.ts',
        '**/test/browser/stored-redirect-uris.test.ts',
        '**/test/features/notifications/notifications.test.ts',
        '**/test/features/personal-access-tokens/races.test.ts',
        '**/test/people/races.test.ts',
        '**/test/shared/outbound/fetch-for-stranger.test.ts',
      ],
    },
  ],
};
