/** The option `audit`. */
export interface AuditOptions {
  /** Seconds that an entry is kept; MongoDB removes it then. */
  readonly ttl: number;
}
