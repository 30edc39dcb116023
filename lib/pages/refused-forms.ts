import type { Request } from 'express';

import type { RequestContext } from '../core/http/handle.js';
import { redirectWithTyped, typedForms } from './typed-forms.js';

/**
 * A form, identified by the address of the GET that shows it, and the user who sees it. What they typed is shown to
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

/** `redirectWithTyped` for a form that is refused because of what was typed. `takeRefused` finds what to show. */
export async function answerRefused(
  context: RequestContext,
  { path, userId, stored }: FormAddress & { readonly stored: unknown },
  answer: () => Promise<void>,
): Promise<void> {
  await redirectWithTyped(context, { of: { name: path, userId }, path, value: stored }, answer);
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
