import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

/** Folders of suites that start processes, browsers or servers of others: `npm run test:system`. */
const SYSTEM = ['bench', 'bin', 'browser', 'conformance', 'docs', 'interop', 'scale', 'stress', 'support'];

/**
 * The suites of `npm run test:deep`, which take the longest of those that need only this process and a database;
 * `npm run test:tiers` writes the list. `npm test` runs the others, and so each new suite.
 */
const DEEP = JSON.parse(readFileSync(new URL('./test/deep-suites.json', import.meta.url), 'utf8')).map(
  (file) => `<rootDir>/${file}`,
);

/**
 * The suites of `npm run test:release`: each takes long, and beside it stands what finds the same kind of fault after
 * every change.
 */
const RELEASE = [
  'browser/example-sites', // browser/walk
  'browser/playground', // interop/playground, interop/playground-attacks
  'browser/stored-redirect-uris', // attacks/redirects, properties/uris
  'browser/swagger-ui', // rfc/openapi
  'conformance/fapi2', // rfc/fapi2-security-profile, rfc/fapi2-message-signing
  'conformance/main', // conformance/* are for certifications, which are run by hand
  'conformance/openid', // rfc/openid-core, rfc/openid-registration
  'conformance/shared-signals', // rfc/openid-sharedsignals-framework
  'docs/recipes/behind-nginx', // attacks/transport
  'docs/recipes/nestjs', // docs/recipes/graphql
  'docs/recipes/socket-io', // docs/recipes/websockets
  'docs/site', // docs/links
  'interop/fake-clocks', // testing/fake-clocks
  'interop/mcp-conformance', // rfc/mcp-authorization-2026-07-28, interop/mcp-sdks
  'interop/migration/migration', // cli/migrate-sources, cli/migrate-clients
  'stress/fuzz', // stress/wrong-fields, stress/wrong-bodies
  'stress/kills', // grants/settled-grants, features/personal-access-tokens/races, people/races, webhooks/stored-before-the-answer
  'stress/soak', // properties/grant-life
  'support/mongodb', // every run starts a server
].map((suite) => `<rootDir>/test/${suite}.test.ts`);

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
  // `npm run test:mutants` has set up once for all of its runs
  ...(process.env.TEST_MONGODB_URI === undefined && {
    globalSetup: '<rootDir>/test/support/global-setup.mjs',
    globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  }),
};
const support = fileURLToPath(new URL('./test/support/one-registry/', import.meta.url));
/** `ISOLATED=1 npm run jest -- PATTERN` runs suites in registries of their own, as Jest does by itself. */
const shared = process.env.ISOLATED
  ? {}
  : { runtime: `${support}runtime.cjs`, testEnvironment: `${support}environment.cjs` };
const folders = SYSTEM.map((folder) => `<rootDir>/test/${folder}/`);
const tests = ['<rootDir>/test/'];

export default {
  testSequencer: fileURLToPath(new URL('./test/support/longest-first.mjs', import.meta.url)),
  projects: [
    {
      ...project,
      ...shared,
      displayName: 'quick',
      roots: tests,
      testPathIgnorePatterns: [...folders, ...DEEP],
    },
    { ...project, ...shared, displayName: 'deep', roots: tests, testMatch: DEEP },
    {
      ...project,
      ...shared,
      displayName: 'system',
      roots: folders,
      testPathIgnorePatterns: [...MOCKING, ...RELEASE],
    },
    { ...project, displayName: 'system', roots: folders, testMatch: MOCKING },
    { ...project, ...shared, displayName: 'release', roots: folders, testMatch: RELEASE },
  ],
  // ends what hangs, not what is slow on a busy machine; no suite has a limit of its own
  testTimeout: 600_000,
  // three for two cores: while one waits for its database, another has work (on two cores 15 % less time than with two);
  // here, and not in the scripts, so that `npm test -- --maxWorkers=1` can say otherwise
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
  workerIdleMemoryLimit: '1GB',
};
