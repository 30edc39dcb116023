import type { FailureCounts } from '../../clients/client-failures.js';
import type { Words } from '../../rendering/words.js';

/** Why an application was refused lately, the most frequent first, each with what to do about it. */
export function describeFailures(counts: FailureCounts, { text }: Words) {
  return [...counts].map(([reason, count]) => ({
    reason,
    times: text('authorization.times', { count }),
    meaning: text(`failures.${reason}`),
  }));
}
