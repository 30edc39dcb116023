import type { Request } from 'express';

import type { RequestContext } from '../core/http/handle.js';
import { seeOther } from '../core/http/redirect.js';
import { typedForms } from './typed-forms.js';

/**
 * A form, identified by the address of the GET that shows it, and the person who sees it. What they typed is shown to
 * nobody else, and in no other form.
 */
export interface FormAddress {
  readonly path: string;
  /** Empty if nobody need be logged in. */
  readonly userId: string;
}

/**
 * The status of a GET that shows a refused form once more: the form was in order, but what was typed into it was not
 * (RFC 9110 §15.5.21). Not 200, although the GET itself is fine: Chromium offers to save a password unless the page
 * after a login is an error, and scripts that follow the redirect see that nothing was done. A reload gets 200 and an
 * empty form.
 */
export const REFUSED_STATUS = 422;

/**
 * Answers a form that is refused because of what was typed, with a 303 to the GET of that form. There `takeRefused`
 * finds what to show, so Back and reload send nothing twice. Only for a form whose CSRF token is right: then the
 * session is the person's own. `kept` must not contain a password, a secret or a user code.
 *
 * @param answer renders the page if `kept` is too large for a session: then the POST answers, so that nothing is lost
 * @see RFC 9110 §15.4.4
 */
export async function answerRefused(
  { req, res, now }: RequestContext,
  { path, userId, stored }: FormAddress & { readonly stored: unknown },
  answer: () => Promise<void>,
): Promise<void> {
  if (!typedForms.keep(req, { name: path, userId }, { value: stored, now })) return answer();
  seeOther(res, path);
}

/** What was kept of a form that was just refused, once. A HEAD leaves it for the GET. */
export function takeRefused<Stored>(
  req: Request,
  { path, userId }: FormAddress,
  now: Date,
): Stored | undefined {
  if (req.method !== 'GET') return undefined;
  return typedForms.take(req, { name: path, userId }, now) as Stored | undefined;
}
