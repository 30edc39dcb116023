const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Those in a browser first, one after the other: a worker's Chromium is open while they last (launch-chromium.ts), and
 * closed before the worker is to end. They are among the longest, too.
 */
module.exports = class BrowserFirst extends Sequencer {
  async sort(suites) {
    const sorted = await super.sort(suites);
    const isInBrowser = ({ path }) => /[\\/]test[\\/]browser[\\/]/.test(path);
    return [...sorted.filter(isInBrowser), ...sorted.filter((suite) => !isInBrowser(suite))];
  }
};
