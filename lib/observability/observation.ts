import { createAuditLog } from '../models/audit.js';
import { buildIndexes } from '../models/collection.js';
import { createStorage } from '../models/storage.js';
import type { Settings } from '../settings/settings.js';
import { type Audit, createAudit, NO_AUDIT } from './audit.js';
import { createEvents, type OAuthEvents } from './events.js';
import { createReport, type Report } from './report.js';
import { createTelemetry, NO_TELEMETRY, type Telemetry } from './telemetry.js';

/** Everything by which a site sees what its authorization server does. */
export interface Observation {
  readonly telemetry: Telemetry;
  readonly events: OAuthEvents;
  readonly audit: Audit;
  readonly report: Report;
  /** Builds the indexes of the audit. */
  readonly ready: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

export function createObservation(
  settings: Pick<Settings, 'telemetry' | 'audit' | 'onError' | 'connection' | 'databaseTimeout'>,
): Observation {
  const { connection, onError } = settings;
  const telemetry = settings.telemetry ? createTelemetry(settings.telemetry) : NO_TELEMETRY;
  const events = createEvents({ onError, observe: settings.telemetry && telemetry.recordEvent });
  // the collection and its indexes are made only where the audit is on
  const log =
    settings.audit &&
    createAuditLog(connection, createStorage({ connection, timeout: settings.databaseTimeout }));
  const audit = settings.audit && log && createAudit({ log, events, ttl: settings.audit.ttl, onError });
  return {
    telemetry,
    events,
    audit: audit ?? NO_AUDIT,
    report: createReport({
      onError,
      onReport: (error, { req, endpoint }) => telemetry.recordError(error, req, endpoint),
    }),
    ready: () => (log ? buildIndexes(log.model) : Promise.resolve()),
    close: () => audit?.close() ?? Promise.resolve(),
  };
}
