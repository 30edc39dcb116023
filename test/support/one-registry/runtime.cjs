const asyncHooks = require('node:async_hooks');
const { register } = require('node:module');
const { pathToFileURL } = require('node:url');
const { default: Runtime } = require('jest-runtime');

/** Where globals.mjs finds `describe`, `expect` and the others of the suite that runs. */
const GLOBALS = Symbol.for('globals of the suite that runs');

/**
 * An AsyncLocalStorage for what runs one after the other, as tests of a suite do. The one of Node 20 costs each promise
 * of the process, and the runner of each suite makes one: 5 % of the CPU time of 615 tests, in eight runs in turn.
 */
class OneAfterTheOther {
  #store;

  getStore() {
    return this.#store;
  }

  run(store, callback) {
    const before = this.#store;
    const restore = () => void (this.#store = before);
    this.#store = store;
    let result;
    try {
      result = callback();
      return result instanceof Promise ? result.finally(restore) : result;
    } finally {
      if (!(result instanceof Promise)) restore();
    }
  }
}

function withoutAsyncStorage(load) {
  const { AsyncLocalStorage } = asyncHooks;
  asyncHooks.AsyncLocalStorage = OneAfterTheOther;
  try {
    return load();
  } finally {
    asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
  }
}

let prepared;
function prepare() {
  prepared ??= import('tsx/esm/api').then((tsx) => {
    tsx.register();
    register(pathToFileURL(require.resolve('./resolve.mjs')));
  });
  return prepared;
}

/**
 * Loads suites as Node does, so that all of a worker share one registry of modules: Express, Mongoose and the package
 * are loaded once and not by each of 400 suites. The price: a suite must leave nothing behind in its modules, as a site
 * has to bear it as well.
 *
 * Measured in one hour on one busy machine, once each, CPU time of user and system:
 * - 20 suites of one request each: 13 s by this runtime, 43 s by the stock one with these sources.
 * - The same by the stock runtime with lib/ as one minified file of CommonJS, with Express, Mongoose, supertest, jose and
 *   zod bundled as well: 21 s. By these bundles, not yet minified, 24 suites of grants, keys, sessions and endpoints took
 *   54 s, and 40 s by this runtime: 34 % more, where 20 % would be worth it. 85 of their 290 tests failed by the bundles,
 *   so the figure is a rough one.
 *
 * What would have to change upstream: jest-runtime compiles each module of each suite anew (`vm.compileFunction` without
 * `cachedData`), and loads jest-circus and expect into each suite. jest-light-runner, a published
 * runner that shares modules as this one does, knows no time limit of a test: one that hangs never ends.
 *
 * Mocks of modules need the registries apart, and take the runtime of Jest; `ISOLATED=true` takes it for all suites,
 * before a release (`npm run test:isolated`). A suite that passes only because an earlier one left something behind in
 * a module is found by that, or when somebody runs it alone. Coverage is counted by V8 itself (coverage.cjs).
 */
module.exports = class SharedRuntime extends Runtime {
  #testPath;

  constructor(config, environment, resolver, transformer, cacheFS, coverage, testPath, globalConfig) {
    super(config, environment, resolver, transformer, cacheFS, coverage, testPath, globalConfig);
    this.#testPath = testPath;
  }

  /** What runs the tests is new for each suite: it keeps what it knows of one in variables of its own. */
  requireInternalModule(path) {
    delete require.cache[path];
    return withoutAsyncStorage(() => require(path));
  }

  setGlobalsForRuntime(globals) {
    super.setGlobalsForRuntime(globals);
    globalThis[GLOBALS] = { ...globals, jest: this.jestGlobals.jestObjectFor(this.#testPath) };
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(path) {
    await prepare();
    // Jest's reading of stacks knows only what Jest has compiled
    Error.prepareStackTrace = undefined;
    process.setSourceMapsEnabled(true);
    // by a name of its own each time: --watch runs a suite again
    return import(`${pathToFileURL(path)}?run=${process.hrtime.bigint()}`);
  }
};
