import { textField } from '../core/http/form-fields.js';
import type { RequestContext } from '../core/http/handle.js';
import { seeOther } from '../core/http/redirect.js';
import { createSessionFlash } from '../core/sessions/session-flash.js';
import type { MessageKey } from '../messages/index.js';
import type { Translator } from './rendering/translator.js';

/** A request for a page with a form; the page shows what is kept for this user and its own address, once. */
export interface FormRequest extends RequestContext {
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

/** What a form has done, and to which application: the page says it in words of its own. */
export interface Done {
  readonly done: string;
  /** Absent if there is none, or if it is gone. */
  readonly clientName?: string;
}

/** Several forms may have been sent from several tabs. */
const notes = createSessionFlash<Done>({ member: 'oauthNotes', max: 3 });

/** What users have typed into forms that are refused, or not finished; three forms fit in a session store. */
export const typedForms = createSessionFlash<unknown>({
  member: 'oauthRefusedForms',
  max: 3,
  maxBytes: 8 * 1024,
});

/**
 * Answers a form with a 303 to a GET, and keeps in the session what that says, once: no link can make a page say that
 * something was done.
 */
export function redirectWithFlash({ req, res, now, userId }: FormRequest, path: string, value: Done): void {
  notes.keep(req, { name: path, userId }, { value, now });
  seeOther(res, path);
}

/** What was done just before. A HEAD leaves it for the GET. */
export function consumeFlash({ req, now, userId }: FormRequest, path: string): Done | undefined {
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
  { markup }: Translator,
): string | undefined {
  const { named, unnamed } = (done !== undefined && Object.hasOwn(texts, done) && texts[done]) || {};
  if (named !== undefined && clientName !== undefined) return markup(named, { client: clientName }, 'strong');
  return unnamed && markup(unnamed, {});
}

export interface TypedForm {
  /** The GET that shows what was typed. */
  readonly path: string;
  /** Must not contain a password, a secret or a user code. */
  readonly value: unknown;
  /** What `typedForms` calls the form. Default: the path. */
  readonly name?: string;
  /** Milliseconds. Default: a minute. */
  readonly life?: number;
}

/**
 * Answers a form with a 303 to the GET that shows what was typed, so Back and reload send nothing twice. Only for a
 * form whose CSRF token is right: then the session is the user's own. `takeRefused` finds what to show.
 *
 * @param answer renders the page if it is too large for a session: then the POST answers, so that nothing is lost
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

/** What was kept of a form that was just refused, once. A HEAD leaves it for the GET. */
export function takeRefused<Stored>({ req, now, userId }: FormRequest, path: string): Stored | undefined {
  if (req.method !== 'GET') return undefined;
  return typedForms.take(req, { name: path, userId }, now) as Stored | undefined;
}

/** What was typed as one line of readable text, without anything that cannot be seen. */
export function lineField(body: unknown, name: string): string {
  return textField(body, name)
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
}
