import { fileURLToPath } from 'node:url';

import config from '../../jest.config.js';

/**
 * The suites of two folders that switch no feature on. `npm run test:release` runs them with a features.ts that has no
 * line in `const features = […]`.
 */
const SUITES = [
  'grants/{ended-grants,grants-by-host,token-lifetimes}',
  'rfc/rfc6749/{authorization-code,authorization-endpoint,client-authentication,client-credentials}',
  'rfc/rfc6749/{extension-grant,guessing,password,refresh-token,scope,secrets}',
  'rfc/rfc6749/{token-endpoint,token-errors,token-response,transport}',
];
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
      testMatch: SUITES.map((suites) => `**/test/${suites}.test.ts`),
      transform: {
        '/lib/features\\.ts$': ['<rootDir>/test/support/without-lines.mjs', options],
        ...project.transform,
      },
    },
  ],
};
