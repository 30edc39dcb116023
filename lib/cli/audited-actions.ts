import { type AuditEntry, type AuditLog, toAuditRecord } from '../core/observability/audit-log.js';
import { createEvents } from '../core/observability/events.js';
import { toAuditEntry } from '../core/observability/recorded-events.js';
import { describeFailure } from './database-failure.js';
import { CliError, EXIT } from './exit.js';
import type { Io } from './io.js';

/** The `endpoint` of entries by the command line. */
export const COMMAND_LINE = 'command_line';

/**
 * The command line does not know the site's option `audit`. Existing entries show that it is on, and their lifetime.
 * Without entries, the environment variable AUDIT_TTL sets the lifetime.
 *
 * @throws CliError if AUDIT_TTL is no number of seconds
 */
export function recordActions(log: AuditLog, { env }: Pick<Io, 'env'>) {
  const { AUDIT_TTL = '' } = env;
  if (!/^([1-9]\d{0,9})?$/.test(AUDIT_TTL))
    throw new CliError(
      'AUDIT_TTL is not a number of seconds',
      'Write the audit.ttl of the site, such as AUDIT_TTL=31536000.',
    );
  const entries: AuditEntry[] = [];
  const events = createEvents();
  events.on('*', (event) => void entries.push({ ...toAuditEntry(event), endpoint: COMMAND_LINE }));

  return {
    emit: events.emit,
    /** Stores the emitted events, if the site has an audit. @throws CliError if that fails */
    store: async () => {
      if (entries.length === 0) return;
      try {
        const life = AUDIT_TTL === '' ? await log.findLife(COMMAND_LINE) : Number(AUDIT_TTL) * 1000;
        if (life === undefined) return;
        await log.append(entries.map((entry) => toAuditRecord(log, entry, life)));
      } catch (error) {
        throw new CliError(
          `this is done, but the audit does not have it: ${describeFailure(error)}`,
          'Do not repeat the command; make a note of it.',
          EXIT.database,
        );
      }
    },
  };
}
