import type { RequestContext } from '../core/http/handle.js';
import { seeOther } from '../core/http/redirect.js';
import { createSessionFlash, type FlashKey } from '../core/sessions/session-flash.js';

/** For one form: three of them fit in a session store, and forms that users fill in are far smaller. */
const MAX_BYTES = 8 * 1024;

/** What users have typed into forms that are refused, or not finished. */
export const typedForms = createSessionFlash<unknown>({
  member: 'oauthRefusedForms',
  max: 3,
  maxBytes: MAX_BYTES,
});

interface TypedForm {
  readonly of: FlashKey;
  /** The GET that shows what was typed. */
  readonly path: string;
  /** Must not contain a password, a secret or a user code. */
  readonly value: unknown;
  /** Milliseconds. Default: a minute. */
  readonly life?: number;
}

/**
 * Answers a form with a 303 to the GET that shows what was typed, so Back and reload send nothing twice. Only for a
 * form whose CSRF token is right: then the session is the user's own.
 *
 * @param answer renders the page if it is too large for a session: then the POST answers, so that nothing is lost
 * @see RFC 9110 §15.4.4
 */
export async function redirectWithTyped(
  { req, res, now }: RequestContext,
  { of, path, ...typed }: TypedForm,
  answer: () => Promise<void>,
): Promise<void> {
  if (!typedForms.keep(req, of, { ...typed, now })) return answer();
  seeOther(res, path);
}
