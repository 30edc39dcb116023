import { randomUUID } from 'node:crypto';

import type { Request, Response } from 'express';

const HEADER = 'X-Request-Id';
const PRINTABLE = /^[\x21-\x7e]{1,200}$/;

/**
 * The id of a request, the same for its answer, its error and its events: what the site's own logger gave it (pino-http
 * and the like set `req.id`) or has set in the answer already, otherwise a new one. The answer's header remembers it.
 */
export function requestIdOf(req: Request, res: Response | undefined = req.res): string {
  const known = [(req as { id?: unknown }).id, res?.getHeader(HEADER)].find(isId);
  const id = known ?? randomUUID();
  if (res !== undefined && !res.headersSent) res.setHeader(HEADER, id);
  return id;
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && PRINTABLE.test(value);
}
