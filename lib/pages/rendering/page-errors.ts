import type { ErrorRequestHandler, Request } from 'express';

import type { RenderError } from '../../core/http/page-error.js';
import type { Report } from '../../core/observability/report.js';
import { LayoutFailure } from './layout.js';

interface PageErrorsOptions {
  readonly endpoint: string;
  readonly report: Report;
  readonly renderError: RenderError;
  /** Who sends the requests that may fail there. */
  readonly sender: 'client' | 'person';
  /** The languages that a form asks for, even if it is wrong. */
  readonly uiLocalesOf?: (req: Request) => readonly string[] | undefined;
  /** Where the user can change the client that an error is about; undefined if it is not theirs. */
  readonly ownClientPathOf?: (req: Request, thrown: unknown) => string | undefined;
}

/** Answers errors of pages that users use: they are reported to the site and shown in plain words. */
export function pageErrors(options: PageErrorsOptions): ErrorRequestHandler {
  const { endpoint, report, renderError, sender } = options;
  return function answerPageError(thrown, req, res, next) {
    const reported = report(thrown, { endpoint, req, res });
    if (res.headersSent) return next(thrown);
    const pageError = {
      ...reported,
      sender,
      uiLocales: options.uiLocalesOf?.(req),
      ownClientPath: options.ownClientPathOf?.(req, thrown),
    };
    const renderBare = () => renderError(req, res, { ...pageError, isBare: true });
    if (thrown instanceof LayoutFailure) return void renderBare().catch(next);
    renderError(req, res, pageError)
      .catch((failure: unknown) => {
        if (!(failure instanceof LayoutFailure) || res.headersSent) throw failure;
        report(failure, { endpoint, req, res });
        return renderBare();
      })
      .catch(next);
  };
}
