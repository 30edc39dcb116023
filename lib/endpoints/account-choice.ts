import type { Request } from 'express';

import type { Prompt } from '../authorization/prompt.js';
import { OAuthError } from '../errors.js';
import { hasCsrfToken } from '../http/csrf.js';
import type { MessageKey } from '../messages/index.js';
import type { Form } from '../protocol/parameters.js';

/** What a person has chosen on the page of the accounts, or by "not you?" on the consent page. */
export type AccountChoice =
  | { readonly kind: 'switch' }
  | { readonly kind: 'continue' }
  /** No choice that counts: the page is shown again. */
  | { readonly kind: 'again'; readonly notice: MessageKey };

/** Whether the form is one of a choice between accounts, rather than of a decision. */
export function isAccountForm(form: Form): boolean {
  return form.account !== undefined;
}

/**
 * Reads the choice and, where it is another account, ends the login: Passport gives the session a new id and forgets
 * what was in it.
 *
 * @throws OAuthError access_denied where the person has cancelled
 */
export async function chooseAccount(
  req: Request,
  form: Form,
  prompts: ReadonlySet<Prompt>,
): Promise<AccountChoice> {
  // RFC 6749 §10.12: no other site may log a person out, or go on for them
  if (!hasCsrfToken(req)) return { kind: 'again', notice: 'account.outOfDate' };
  if (form.account === 'cancel')
    throw new OAuthError('access_denied', 'the resource owner denied the request');
  if (form.account === 'switch') {
    await endLogin(req);
    return { kind: 'switch' };
  }
  // a client that wants a new login does not get the old one
  if (form.account === 'continue' && !prompts.has('login')) return { kind: 'continue' };
  return { kind: 'again', notice: 'account.outOfDate' };
}

function endLogin(req: Request): Promise<void> {
  if (typeof (req as { logout?: unknown }).logout !== 'function')
    throw new Error(
      'express-authorization-server: req.logout is not there to end a login; write app.use(passport.session()) before app.use(oauth.router)',
    );
  return new Promise((resolve, reject) => {
    req.logout((error?: Error | null) => (error ? reject(error) : resolve()));
  });
}
