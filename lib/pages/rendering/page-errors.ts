import type { ErrorRequestHandler, Request } from 'express';

import type { RenderError } from '../../core/http/page-error.js';
import type { Report } from '../../core/observability/report.js';
import { LayoutFailure } from './layout.js';

interface PageErrorsOptions {
  readonly endpoint: string;
  readonly report: Report;
  readonly renderError: RenderError;
  /** Whether clients or users send the requests. */
  readonly sender: 'client' | 'person';
  /** The requested languages of a form, even if the form is invalid. */
  readonly uiLocalesOf?: (req: Request) => readonly string[] | undefined;
  /** The path of the client's page; undefined unless the user owns the client. */
  readonly ownClientPathOf?: (req: Request, thrown: unknown) => string | undefined;
}

/** Reports errors of pages to the site, and renders them for users. */
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
