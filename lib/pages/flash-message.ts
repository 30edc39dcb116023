import type { Request } from 'express';

import type { RequestContext } from '../core/http/handle.js';
import { seeOther } from '../core/http/redirect.js';
import { createSessionFlash } from '../core/sessions/session-flash.js';
import type { MessageKey } from '../messages/index.js';
import type { FormAddress } from './refused-forms.js';
import type { Translator } from './rendering/translator.js';

/** What a form has done, and to which application: the page says it in words of its own. */
export interface Done {
  readonly done: string;
  /** Absent if there is none, or if it is gone. */
  readonly clientName?: string;
}

/** Several forms may have been sent from several tabs. */
const notes = createSessionFlash<Done>({ member: 'oauthNotes', max: 3 });

/**
 * Answers a form with a 303 to a GET, and keeps in the session what that says, once: no link can make a page say that
 * something was done.
 */
export function redirectWithFlash(
  { req, res, now }: RequestContext,
  { path, userId }: FormAddress,
  done: Done,
): void {
  notes.keep(req, { name: path, userId }, { value: done, now });
  seeOther(res, path);
}

/** What was done just before. A HEAD leaves it for the GET. */
export function consumeFlash(req: Request, { path, userId }: FormAddress, now: Date): Done | undefined {
  return req.method === 'GET' ? notes.take(req, { name: path, userId }, now) : undefined;
}

/** What a page can say, by what was done: with the application's name, and without. */
export type DoneTexts = Readonly<
  Record<string, { readonly named?: MessageKey; readonly unnamed?: MessageKey }>
>;

/** What was done, as HTML. */
export function describeDone(
  { done, clientName }: Partial<Done> = {},
  texts: DoneTexts,
  { markup }: Pick<Translator, 'markup'>,
): string | undefined {
  const { named, unnamed } = (done !== undefined && Object.hasOwn(texts, done) && texts[done]) || {};
  if (named !== undefined && clientName !== undefined) return markup(named, { client: clientName }, 'strong');
  return unnamed && markup(unnamed, {});
}
