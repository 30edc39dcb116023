import type { Request } from 'express';

import { type Form, parseForm } from '../protocol/parameters.js';

/** The query by our own strict parser: what `req.query` holds depends on the host's settings and Express's version. */
export function queryOf(req: Request): Form {
  const start = req.url.indexOf('?');
  return parseForm(start === -1 ? '' : req.url.slice(start + 1));
}
