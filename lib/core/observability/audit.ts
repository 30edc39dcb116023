import { type OnError } from '../../settings/options/on-error.js';
import { checkValues, parseOptions } from '../../settings/table/parse-options.js';
import {
  type AuditEntry,
  type AuditLog,
  type AuditQuery,
  type AuditRecord,
  queryOptions,
  toAuditRecord,
} from './audit-log.js';
import { createEntryQueue } from './entry-queue.js';
import type { OAuthEvents } from './events.js';
import { recordEvents } from './recorded-events.js';
import { createBackgroundReport } from './report.js';

/** The recorded events, stored in the collection `oauth_audit`. */
export interface Audit {
  /**
   * The matching entries, the newest first. Entries of this process appear at once, those of others after a second.
   *
   * @throws TypeError if the option `audit` is off
   */
  find(query?: AuditQuery): Promise<AuditEntry[]>;
}

export interface AuditDependencies {
  readonly onError?: OnError | undefined;
  readonly log: Pick<AuditLog, 'createId' | 'append' | 'find'>;
  readonly events: OAuthEvents;
  readonly ttl: number;
  /** How many entries may wait in memory, some megabytes. Default: 10000. */
  readonly capacity?: number;
  /** Milliseconds between two writes. Default: 1000. */
  readonly interval?: number;
}

/**
 * Writes events in batches, in the background: no request waits for the audit or fails because of it. While the
 * database is down, entries wait; beyond `capacity` they are dropped and counted, and the count is written later.
 */
export function createAudit(dependencies: AuditDependencies) {
  const { log, events, ttl, onError, capacity = 10_000, interval = 1000 } = dependencies;
  const toRecord = (entry: AuditEntry): AuditRecord => toAuditRecord(log, entry, ttl * 1000);
  const queue = createEntryQueue<AuditRecord>({
    of: 'the audit',
    append: (batch) => log.append(batch),
    warn: createBackgroundReport(onError, 'audit'),
    capacity,
    toDropped: (count) => toRecord({ type: 'audit.dropped', time: new Date(), count }),
  });
  let timer: NodeJS.Timeout | undefined;

  const writeLater = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void queue.flush().then((isWritten) => isWritten || writeLater());
    }, interval);
    // the timer does not keep the process alive; `oauth.close()` writes the rest
    timer.unref();
  };

  const recorder = recordEvents(events, (entries) => {
    for (const entry of entries) queue.add(toRecord(entry));
    if (entries.length > 0) writeLater();
    return undefined;
  });

  return {
    async find(query: AuditQuery = {}): Promise<AuditEntry[]> {
      // an object from a query string must not become an operator
      parseOptions('audit.find', queryOptions, query);
      checkValues('audit.find', query);
      recorder.endWindow();
      await queue.flush();
      return log.find(query);
    },
    /** Stores the waiting entries. Always resolves, with false if the database failed. */
    flush() {
      recorder.endWindow();
      return queue.flush();
    },
    /** Stores the waiting entries, and stops. */
    async close() {
      recorder.close();
      clearTimeout(timer);
      await queue.flush();
    },
  };
}

/** The audit of a server without the option. */
export const NO_AUDIT: Audit = {
  find: () =>
    Promise.reject(
      new TypeError('audit.find: the audit is off; write the option audit: { ttl: 365 * 86_400 }'),
    ),
};
