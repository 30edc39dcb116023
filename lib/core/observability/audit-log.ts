import { option, type OptionsOf } from '../../settings/table/option.js';
import { count, text } from '../../settings/table/shapes.js';
import * as z from '../../shared/schema.js';
import type { EventData } from './events.js';

/** An entry of the audit: an event, without typed user names. */
export interface AuditEntry extends Omit<EventData, 'username'> {
  /** The event's name, or `audit.dropped` if `count` entries are missing because the database was down. */
  readonly type: string;
  readonly time: Date;
  /** The id of an event that may be emitted twice. */
  readonly id?: string;
  readonly requestId?: string;
  readonly ip?: string;
  /** How many ended grants or repeated refusals the entry stands for. */
  readonly count?: number;
  /** The endpoint or page; `command_line` for a command. */
  readonly endpoint?: string;
}

/** An entry ready to be stored. Its id makes sure that a batch sent twice is stored once. */
export interface AuditRecord extends AuditEntry {
  readonly id: string;
  readonly expiresAt: Date;
}

/** @param life milliseconds until the entry expires */
export function toAuditRecord(log: Pick<AuditLog, 'createId'>, entry: AuditEntry, life: number): AuditRecord {
  return { id: log.createId(), ...entry, expiresAt: new Date(entry.time.getTime() + life) };
}

/** Filters entries; every member must match. */
export const queryOptions = {
  /** Entries of this user. */
  userId: option({ shape: () => text('a string, the id of a user') }),
  /** Entries of this client. */
  clientId: option({ shape: () => text('a string, the id of a client') }),
  /** A Date: entries from this time on. */
  since: option({ shape: () => z.date("a Date, such as new Date('2026-01-01')") }),
  /** A Date: entries before this time. */
  until: option({ shape: () => z.date("a Date, such as new Date('2026-02-01')") }),
  /** Number of entries, at most 1000. Default: `100`. */
  limit: option({ shape: () => count({ example: 100 }) }),
};

export type AuditQuery = OptionsOf<typeof queryOptions>;

/** The store of the audit's entries, which it neither changes nor deletes. */
export interface AuditLog {
  /** An id that sorts after earlier ids of this process in the same millisecond. */
  createId(): string;
  append(entries: readonly AuditRecord[]): Promise<unknown>;
  /** The matching entries, the newest first. */
  find(query: AuditQuery): Promise<AuditEntry[]>;
  /** The lifetime in milliseconds of the newest entry of another endpoint; undefined if there is no such entry. */
  findLife(endpoint: string): Promise<number | undefined>;
  /** All matching entries, the oldest first, read in batches. */
  readAll(query: Omit<AuditQuery, 'limit'>): AsyncIterable<AuditEntry>;
}
