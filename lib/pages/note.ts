import type { Request } from 'express';

import { queryOf } from '../http/query.js';
import type { MessageKey } from '../messages/index.js';

/**
 * What a page can say has just happened, by the names that travel in its address. Only names do, so that no link can
 * put its own text on a page.
 */
export type Notes = Readonly<Record<string, MessageKey>>;

/** The address of a page that says what has just happened. */
export function withNote(path: string, name: string): string {
  return `${path}?note=${name}`;
}

/** The note that the address of a page names. The answer to a form has none: it says itself what it did. */
export function noteOf(
  req: Request,
  notes: Notes,
): { readonly name: string; readonly key: MessageKey } | undefined {
  const { note: name } = queryOf(req);
  if (req.method === 'POST' || typeof name !== 'string' || !Object.hasOwn(notes, name)) return undefined;
  const key = notes[name];
  return key && { name, key };
}
