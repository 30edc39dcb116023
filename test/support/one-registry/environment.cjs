const { ModuleMocker } = require('jest-mock');

const { writeCoverage } = require('./coverage.cjs');

/** Jest's data of a suite in the globals of its context. */
const OF_A_SUITE = [
  'EVENT_HANDLERS',
  'TEST_TIMEOUT_SYMBOL',
  'RETRY_TIMES',
  'RETRY_TIMES_SETTER',
  'RETRY_IMMEDIATELY',
]
  .concat(['WAIT_BEFORE_RETRY', 'LOG_ERRORS_BEFORE_RETRY'])
  .map((name) => Symbol.for(name));

/** A test environment that is this process itself, and not a context in it; see runtime.cjs. */
module.exports = class ProcessEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  // nothing here sets fake timers: the driver of the database would wait for ever
  fakeTimers = null;
  fakeTimersModern = null;
  #before = { console: globalThis.console, exit: process.exit };

  async setup() {}

  /** A suite's replacement of a global is gone for the next suite. */
  async teardown() {
    this.moduleMocker.restoreAllMocks();
    globalThis.console = this.#before.console;
    process.exit = this.#before.exit;
    for (const symbol of OF_A_SUITE) delete globalThis[symbol];
    writeCoverage();
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return null;
  }
};
