import type { Request } from 'express';

import type { RequestContext } from '../core/http/handle.js';
import { seeOther } from '../core/http/redirect.js';
import type { FlashKey } from '../core/sessions/session-flash.js';
import { typedForms } from './typed-forms.js';

/** Milliseconds that somebody may take to fill in the form. */
const LIFE = 60 * 60_000;

/**
 * Answers a form that leads to its next page, with a 303 to the GET of that page. What is typed so far stays in the
 * session until the form is finished, so Back, Forward and reload show it as well. Only for a form whose CSRF token is
 * right. `typed` must not contain a secret.
 *
 * @param answer renders the page if `typed` is too large for a session: then the POST answers, so that nothing is lost
 */
export async function answerWithDraft(
  { req, res, now }: RequestContext,
  { of, path, typed }: { readonly of: FlashKey; readonly path: string; readonly typed: unknown },
  answer: () => Promise<void>,
): Promise<void> {
  if (!typedForms.keep(req, of, { value: typed, now, life: LIFE })) return answer();
  seeOther(res, path);
}

export function findDraft<Typed>(req: Request, of: FlashKey, now: Date): Typed | undefined {
  return typedForms.peek(req, of, now) as Typed | undefined;
}

/** For a form that is finished. */
export function discardDraft(req: Request, of: FlashKey, now: Date): void {
  typedForms.take(req, of, now);
}
