import type { Settings } from '../../settings/settings.js';
import { type Audit, createAudit, NO_AUDIT } from './audit.js';
import type { AuditLog } from './audit-log.js';
import { createEvents, type OAuthEvents } from './events.js';
import { createReport, type Report } from './report.js';
import { createTelemetry, NO_TELEMETRY, type Telemetry } from './telemetry.js';

/** Everything that shows a site what its authorization server does. */
export interface Observation {
  readonly telemetry: Telemetry;
  readonly events: OAuthEvents;
  readonly audit: Audit;
  readonly report: Report;
  /** Stores the entries of the audit that wait, if the option is on. */
  readonly flushAudit: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

/** @param log where the audit is kept, if the option `audit` is on */
export function createObservation(
  settings: Pick<Settings, 'telemetry' | 'audit' | 'onError'>,
  log: AuditLog,
): Observation {
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
    flushAudit: () => audit?.flush() ?? Promise.resolve(),
    close: () => audit?.close() ?? Promise.resolve(),
  };
}
