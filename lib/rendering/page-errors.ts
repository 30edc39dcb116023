import type { ErrorRequestHandler, Request } from 'express';

import type { Report } from '../observability/report.js';
import type { RenderError } from './error-page.js';

export interface PageErrorsOptions {
  readonly endpoint: string;
  readonly report: Report;
  readonly renderError: RenderError;
  /** Who sends what may fail there. */
  readonly sender: 'client' | 'person';
  /** The languages that a form asks for, be it wrong. */
  readonly uiLocalesOf?: (req: Request) => readonly string[] | undefined;
}

/** Answers errors of pages that people use: told to the host, shown in plain words. */
export function pageErrors({
  endpoint,
  report,
  renderError,
  sender,
  uiLocalesOf,
}: PageErrorsOptions): ErrorRequestHandler {
  return function answerPageError(thrown, req, res, next) {
    const reported = report(thrown, { endpoint, req, res });
    if (res.headersSent) return next(thrown);
    renderError(req, res, { ...reported, sender, uiLocales: uiLocalesOf?.(req) }).catch(next);
  };
}
