import type { Request } from 'express';

import { type Form, parseForm } from '../../shared/protocol/parameters.js';

/** The query, read by a strict parser: `req.query` depends on the site's settings and the Express version. */
export function queryOf(req: Request): Form {
  const start = req.url.indexOf('?');
  return parseForm(start === -1 ? '' : req.url.slice(start + 1));
}
