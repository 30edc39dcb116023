import { notifyHost } from '../../../core/observability/report.js';
import type { Settings } from '../../../settings/settings.js';
import { unableForTheMoment } from '../../../shared/errors.js';

/** No request is behind what is stored and sent in the background. */
export const IN_BACKGROUND = { requestId: '', endpoint: 'ssf' };

/** Tells the site what the transmitter could not do. */
export function createReportFailure({ onError }: Settings) {
  return (detail: string, cause?: unknown): void =>
    notifyHost(onError, unableForTheMoment(`shared signals: ${detail}`, cause), IN_BACKGROUND);
}
