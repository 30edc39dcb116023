import type { ErrorRequestHandler, RequestHandler, Response } from 'express';

import { isDatabaseFailure } from './database.js';

const TEXTS: Readonly<Record<number, readonly [title: string, text: string]>> = {
  400: ['That did not make sense', 'The site could not understand what your browser sent.'],
  403: ['Not allowed', 'You may not do this here.'],
  404: ['Nothing here', 'There is no page at this address.'],
  500: ['Something broke', 'The fault is ours. It has been written to the log.'],
  503: [
    'Back in a moment',
    'The photos cannot be reached for the moment. Please try again in a few seconds.',
  ],
};

export const showNotFound: RequestHandler = (_req, res) => showErrorPage(res, 404);

export const showError: ErrorRequestHandler = (error, req, res, next) => {
  const status = statusOf(error);
  if (status >= 500)
    console.error(`${req.method} ${req.path}: ${status}`, status === 503 ? String(error) : error);
  if (res.headersSent) return next(error);
  showErrorPage(res, status);
};

function statusOf(error: unknown): number {
  if (isDatabaseFailure(error)) return 503;
  const status = (error as { status?: unknown } | null)?.status;
  return typeof status === 'number' && status >= 400 && status <= 599 ? status : 500;
}

function showErrorPage(res: Response, status: number): void {
  const [title, text] = TEXTS[status] ?? TEXTS[status < 500 ? 400 : 500]!;
  if (status === 503) res.set('Retry-After', '5');
  res.status(status).set('Cache-Control', 'no-store').render('error', { title, text, status });
}
