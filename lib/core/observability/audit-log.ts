import { option, type OptionsOf } from '../../settings/table/option.js';
import { count, text } from '../../settings/table/shapes.js';
import * as z from '../../shared/schema.js';
import type { EventData } from './events.js';

/** An entry of the audit: an event, without what users typed. */
export interface AuditEntry extends Omit<EventData, 'username'> {
  /** The event's name, or `audit.dropped` if `count` entries are missing because the database was down. */
  readonly type: string;
  readonly time: Date;
  /** Of an event that may be told twice. */
  readonly id?: string;
  readonly requestId?: string;
  readonly ip?: string;
  /** How many it stands for: what one step has ended, or repeated refusals. */
  readonly count?: number;
  /** The endpoint or page; `command_line` if a command did it. */
  readonly endpoint?: string;
}

/** An entry ready to be stored; it has its id already, so that a batch sent twice is stored once. */
export interface AuditRecord extends AuditEntry {
  readonly id: string;
  readonly expiresAt: Date;
}

/** @param life milliseconds that the entry is kept */
export function toAuditRecord(log: Pick<AuditLog, 'createId'>, entry: AuditEntry, life: number): AuditRecord {
  return { id: log.createId(), ...entry, expiresAt: new Date(entry.time.getTime() + life) };
}

/** Which entries to find; all the given members must match. */
export const queryOptions = {
  /** Entries of this user. */
  userId: option({ shape: () => text('a string, the id of a user') }),
  /** Entries of this client. */
  clientId: option({ shape: () => text('a string, the id of a client') }),
  /** A Date: entries from then on. */
  since: option({ shape: () => z.date("a Date, such as new Date('2026-01-01')") }),
  /** A Date: entries before it. */
  until: option({ shape: () => z.date("a Date, such as new Date('2026-02-01')") }),
  /** Number of entries, at most 1000. Default: `100`. */
  limit: option({ shape: () => count({ example: 100 }) }),
};

export type AuditQuery = OptionsOf<typeof queryOptions>;

/** Where the entries of the audit are kept; nothing here changes or deletes one. */
export interface AuditLog {
  /** An id that sorts after this process's earlier ones of the same moment. */
  createId(): string;
  append(entries: readonly AuditRecord[]): Promise<unknown>;
  /** The newest first. */
  find(query: AuditQuery): Promise<AuditEntry[]>;
  /**
   * Milliseconds that the newest entry is kept, other than those of `endpoint`; undefined if there is no other entry.
   */
  findLife(endpoint: string): Promise<number | undefined>;
  /** All that match, the oldest first, read bit by bit. */
  readAll(query: Omit<AuditQuery, 'limit'>): AsyncIterable<AuditEntry>;
}
