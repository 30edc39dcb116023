import type { Settings } from '../../settings/settings.js';
import { createAudit, NO_AUDIT } from './audit.js';
import type { AuditLog } from './audit-log.js';
import { createEvents } from './events.js';
import { createReport } from './report.js';
import { createTelemetry, NO_TELEMETRY } from './telemetry.js';

export type Observation = Readonly<ReturnType<typeof createObservation>>;

/**
 * Telemetry, events, audit and error reports: what a site sees of its authorization server.
 *
 * @param log the store of the audit, if the option `audit` is on
 */
export function createObservation(settings: Settings, log: AuditLog) {
  const { onError } = settings;
  const telemetry = settings.telemetry ? createTelemetry(settings.telemetry) : NO_TELEMETRY;
  const events = createEvents({ onError, observe: settings.telemetry && telemetry.recordEvent });
  const audit = settings.audit && createAudit({ log, events, ttl: settings.audit.ttl, onError });
  return {
    telemetry,
    events,
    audit: audit ?? NO_AUDIT,
    report: createReport({
      onError,
      onReport: (error, { req, endpoint }) => telemetry.recordError(error, req, endpoint),
    }),
    /** Stores the waiting entries of the audit, if the option is on. */
    flushAudit: async () => audit?.flush(),
    close: async () => audit?.close(),
  };
}
