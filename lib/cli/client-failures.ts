import type { FailureCounts } from '../core/clients/status/client-failures.js';
import { FAILURE_MEANINGS } from '../shared/failure-reasons.js';
import type { Io } from './io.js';
import { formatTable, print } from './output.js';

/** Prints why a client was refused in the last day, in the words of its page; nothing if it was not. */
export function printFailures(io: Io, counts: FailureCounts): void {
  if (counts.size === 0) return;
  print(io, '');
  print(
    io,
    formatTable(
      io,
      ['REFUSED', 'REASON', 'IN THE LAST DAY'],
      [...counts].map(([reason, count]) => [String(count), reason, FAILURE_MEANINGS[reason]]),
    ),
  );
}
