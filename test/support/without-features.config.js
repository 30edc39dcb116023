/**
 * `npm run test:release` runs suites of the core on a features.ts that has no line in `const features = […]`. The other
 * suites of these folders switch a feature on.
 */
import { fileURLToPath } from 'node:url';

import config from '../../jest.config.js';

const rootDir = fileURLToPath(new URL('../..', import.meta.url));
// by Jest's own runtime, which transforms the files
const project = config.projects.find(({ runtime }) => runtime === undefined);
const [[, options]] = Object.values(project.transform);

export default {
  ...config,
  rootDir,
  projects: [
    {
      ...project,
      rootDir,
      displayName: 'without features',
      roots: ['<rootDir>/test/'],
      testMatch: ['**/test/grants/*.test.ts', '**/test/rfc/rfc6749/*.test.ts'],
      transform: {
        '/lib/features\\.ts$': ['<rootDir>/test/support/without-lines.mjs', options],
        ...project.transform,
      },
    },
  ],
};
