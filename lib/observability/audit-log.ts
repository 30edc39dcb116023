/** An entry of the audit: an event as it was, without what people typed. */
export interface AuditEntry {
  /** The event's name, or `audit.dropped` where entries are missing (`count` of them) because the database was down. */
  readonly type: string;
  readonly time: Date;
  readonly requestId?: string;
  readonly ip?: string;
  readonly clientId?: string;
  readonly userId?: string;
  readonly actorId?: string;
  readonly grantId?: string;
  readonly scopes?: readonly string[];
  readonly grantType?: string;
  readonly tokenType?: string;
  readonly error?: string;
  readonly reason?: string;
  /** How many it stands for: those that a step has ended, or refusals that repeated themselves. */
  readonly count?: number;
  readonly endpoint?: string;
}

/** An entry ready to be stored; its id is there already, so that a batch sent twice is stored once. */
export interface KeptAuditEntry extends AuditEntry {
  readonly id: string;
  readonly expiresAt: Date;
}

/** Which entries to find; all that are named must fit. */
export interface AuditQuery {
  readonly userId?: string;
  readonly clientId?: string;
  /** Of one grant; beside `userId` or `clientId`, by which they are found. */
  readonly grantId?: string;
  /** No older ones than this. */
  readonly since?: Date;
  /** Only older ones than this. */
  readonly until?: Date;
  /** At most so many, 1000 at most. Default: 100. */
  readonly limit?: number;
}

/** Where the entries of the audit are kept: nothing here changes or deletes one. */
export interface AuditLog {
  /** One that comes after those before, of this process, at the same moment. */
  createId(): string;
  append(entries: readonly KeptAuditEntry[]): Promise<void>;
  /** The newest first. */
  find(query: AuditQuery): Promise<AuditEntry[]>;
  /** All that fit, the oldest first, read by and by. */
  readAll(query: Omit<AuditQuery, 'limit'>): AsyncIterable<AuditEntry>;
}
