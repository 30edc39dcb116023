import type { FailureCounts } from '../clients/client-failures.js';
import { en } from '../messages/index.js';
import type { Io } from './io.js';
import { formatTable, print } from './output.js';

/** Why a client was refused in the last day, as its page says it; nothing if it was not. */
export function printFailures(io: Io, counts: FailureCounts): void {
  if (counts.size === 0) return;
  print(io, '');
  print(
    io,
    formatTable(
      io,
      ['REFUSED', 'REASON', 'IN THE LAST DAY'],
      [...counts].map(([reason, count]) => [String(count), reason, en[`failures.${reason}`]]),
    ),
  );
}
