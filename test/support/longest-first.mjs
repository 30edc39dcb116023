import Sequencer from '@jest/test-sequencer';

/** The longest suites first, so that no worker ends long before the others. */
const TIERS = ['release', 'system', 'deep', 'quick'];
const rankOf = ({ context }) => TIERS.indexOf(context.config.displayName?.name);

/** Within a tier the order is that of Jest: by the times of the last run or, where there was none, by size. */
export default class LongestFirst extends Sequencer {
  async sort(tests) {
    return (await super.sort(tests)).toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}
