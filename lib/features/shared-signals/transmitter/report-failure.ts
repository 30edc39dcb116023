import { notifyHost } from '../../../core/observability/report.js';
import type { Settings } from '../../../settings/settings.js';
import { unableForTheMoment } from '../../../shared/errors.js';

/** Tells the site what the transmitter could not do. */
export type ReportFailure = (detail: string, cause?: unknown) => void;

/** No request is behind what is stored and sent in the background. */
export const IN_BACKGROUND = { requestId: '', endpoint: 'ssf' };

export function createReportFailure({ onError }: Pick<Settings, 'onError'>): ReportFailure {
  return (detail, cause) =>
    notifyHost(onError, unableForTheMoment(`shared signals: ${detail}`, cause), IN_BACKGROUND);
}
