import { textField } from '../core/http/form-fields.js';
import type { RequestContext } from '../core/http/handle.js';
import { seeOther } from '../core/http/redirect.js';
import { createSessionFlash } from '../core/sessions/session-flash.js';
import type { MessageKey } from '../messages/index.js';
import type { Translator } from './rendering/translator.js';

/** A request for a page with a form. The page shows a stored value once, for its user and address only. */
export interface FormRequest extends RequestContext {
  /** Empty if the page needs no login. */
  readonly userId: string;
}

/**
 * The status of a GET that shows a refused form: the request was well-formed, its values were not (RFC 9110 §15.5.21).
 * Not 200, although the GET itself succeeds: Chromium offers to save a password unless the page after a login is an
 * error, and scripts that follow the redirect must see the failure. A reload gets 200 and an empty form.
 */
export const REFUSED_STATUS = 422;

/** The result of a form and its application, for the page's message. */
export interface Done {
  readonly done: string;
  /** Absent if there is no application, or it was deleted. */
  readonly clientName?: string;
}

/** Users may send forms from several tabs. */
const notes = createSessionFlash<Done>({ member: 'oauthNotes', max: 3 });

/** Values of refused or unfinished forms; three fit in a session store. */
export const typedForms = createSessionFlash<unknown>({
  member: 'oauthRefusedForms',
  max: 3,
  maxBytes: 8 * 1024,
});

/**
 * Redirects a form to a GET with 303, and stores its result in the session, for one display: no link can make a page
 * claim a result.
 */
export function redirectWithFlash({ req, res, now, userId }: FormRequest, path: string, value: Done): void {
  notes.keep(req, { name: path, userId }, { value, now });
  seeOther(res, path);
}

/** The result of the previous form. A HEAD leaves it for the GET. */
export function consumeFlash({ req, now, userId }: FormRequest, path: string): Done | undefined {
  return req.method === 'GET' ? notes.take(req, { name: path, userId }, now) : undefined;
}

/** The messages of a page by result: with the application's name, and without. */
export type DoneTexts = Readonly<
  Record<string, { readonly withName?: MessageKey; readonly withoutName?: MessageKey }>
>;

/** The message of a result, as HTML. */
export function describeDone(
  { done, clientName }: Partial<Done> = {},
  texts: DoneTexts,
  { markup }: Translator,
): string | undefined {
  const { withName, withoutName } = (done !== undefined && Object.hasOwn(texts, done) && texts[done]) || {};
  if (withName !== undefined && clientName !== undefined)
    return markup(withName, { client: clientName }, 'strong');
  return withoutName && markup(withoutName, {});
}

export interface TypedForm {
  /** The address of the GET that shows the values. */
  readonly path: string;
  /** Must not contain a password, a secret or a user code. */
  readonly value: unknown;
  /** The name of the form in `typedForms`. Default: the path. */
  readonly name?: string;
  /** Milliseconds. Default: a minute. */
  readonly life?: number;
}

/**
 * Redirects a form to a GET that shows its values with 303, so that Back and reload send nothing twice. Only for a form
 * with a valid CSRF token, which proves that the session is the user's. `takeRefused` returns the values.
 *
 * @param answer renders the page if the values are too large for a session
 * @see RFC 9110 §15.4.4
 */
export async function answerRefused(
  { req, res, now, userId }: FormRequest,
  { path, value, name = path, life }: TypedForm,
  answer: () => Promise<void>,
): Promise<void> {
  if (!typedForms.keep(req, { name, userId }, { value, now, life })) return answer();
  seeOther(res, path);
}

/** The values of a form that was just refused, once. A HEAD leaves them for the GET. */
export function takeRefused<Stored>({ req, now, userId }: FormRequest, path: string): Stored | undefined {
  if (req.method !== 'GET') return undefined;
  return typedForms.take(req, { name: path, userId }, now) as Stored | undefined;
}

/** A submitted line of readable text, without invisible characters. */
export function lineField(body: unknown, name: string): string {
  return textField(body, name)
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
}
