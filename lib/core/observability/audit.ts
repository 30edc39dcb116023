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

/** What happened, kept in the collection `oauth_audit`. */
export interface Audit {
  /**
   * The matching entries, the newest first; those of this process appear at once, those of others after a second.
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
  /** How many entries may wait, some megabytes. Default: 10000. */
  readonly capacity?: number;
  /** Milliseconds between two writes. Default: 1000. */
  readonly interval?: number;
}

/**
 * Writes events in batches, in the background: a request never waits for it or fails because of it. While the database
 * is down entries wait; if too many do, further ones are dropped and counted, and the count is written later.
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
    // a process that has nothing else to do may end; `oauth.close()` writes the rest
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
    /** Stores what is waiting; resolves in any case, with false if the database did not take it. */
    flush() {
      recorder.endWindow();
      return queue.flush();
    },
    /** Stores what is waiting, and ends. */
    async close() {
      recorder.close();
      clearTimeout(timer);
      await queue.flush();
    },
  };
}

/** Replaces the audit if the option is off. */
export const NO_AUDIT: Audit = {
  find: () =>
    Promise.reject(
      new TypeError('audit.find: the audit is off; write the option audit: { ttl: 365 * 86_400 }'),
    ),
};
