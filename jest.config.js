import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

/** Folders of suites that start processes, browsers or servers of others, or take their time. */
const SYSTEM = ['bench', 'bin', 'browser', 'conformance', 'docs', 'interop', 'scale', 'stress', 'support'];

/** Suites that put a mock in a module's place, which needs the registry of Jest. */
const MOCKING = ['<rootDir>/test/scale/no-scans.test.ts'];

const project = {
  testEnvironment: 'node',
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
};
const support = fileURLToPath(new URL('./test/support/one-registry/', import.meta.url));
/** `ISOLATED=1 npm test -- PATTERN` runs suites in registries of their own, as Jest does by itself. */
const shared = process.env.ISOLATED
  ? {}
  : { runtime: `${support}runtime.cjs`, testEnvironment: `${support}environment.cjs` };
const folders = SYSTEM.map((folder) => `<rootDir>/test/${folder}/`);

/** `npm test` runs what needs nothing but this process and a database, `npm run test:system` the rest. */
export default {
  projects: [
    {
      ...project,
      ...shared,
      displayName: 'inside',
      roots: ['<rootDir>/test/'],
      testPathIgnorePatterns: folders,
    },
    { ...project, ...shared, displayName: 'system', roots: folders, testPathIgnorePatterns: MOCKING },
    { ...project, displayName: 'system', roots: folders, testMatch: MOCKING },
  ],
  testTimeout: 30_000,
  // three for two cores: while one waits for its database, another has work (on two cores 170 s for `npm test`, 199 with
  // two); here, and not in the scripts, so that `npm test -- --maxWorkers=1` can say otherwise
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
  workerIdleMemoryLimit: '1GB',
};
