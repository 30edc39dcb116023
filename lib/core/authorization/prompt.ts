import { type Form, peekParameter } from '../../shared/protocol/parameters.js';
import { hasField } from '../http/form-fields.js';

/** The supported values of `prompt`; other values have no meaning here. */
export type Prompt = 'none' | 'login' | 'consent' | 'select_account' | 'create';

export const PROMPTS: readonly Prompt[] = ['none', 'login', 'consent', 'select_account'];

/** The prompts that a user completes by choosing an account, or by logging in. */
export const ACCOUNT_PROMPTS: readonly Prompt[] = ['login', 'select_account'];

/**
 * The parameter that this server adds to the query of a request once the user has logged in for it. It needs no
 * signature if the rest of the query has none: anybody who can add this parameter can remove `max_age` as well.
 */
const LOGIN_DONE = 'login_done';
/** The parameters with requirements on a login, besides `prompt`. */
const ABOUT_LOGINS = ['max_age', 'id_token_hint', 'claims'];

/** The values of the parameter `prompt`, separated by spaces (OpenID Connect Core §3.1.2.1). */
export function promptValues(prompt: string | undefined): readonly string[] {
  return (prompt ?? '').split(' ').filter((value) => value !== '');
}

/**
 * Whether the only prompt is `none`. With another prompt beside it the request is invalid like any other, so a visitor
 * logs in before the client gets the error (RFC 9700 §4.11.2).
 *
 * @param prompt the parameter, checked or not
 * @see OpenID Connect Core §3.1.2.1
 */
export function isSilent(prompt = ''): boolean {
  return /^ *none *$/.test(prompt);
}

/**
 * The request without its completed prompts; byte for byte the same if it had none of them.
 *
 * @param isLoginRequested whether the age of the login matters, because of the request or of its client's registration.
 * Default: because of the request
 */
export function withoutPrompts(form: Form, completed: readonly Prompt[], isLoginRequested?: boolean): Form {
  if (completed.length === 0) return form;
  const isLoginDone = completed.includes('login') && (isLoginRequested ?? asksAboutLogin(form));
  const marked = isLoginDone ? { ...form, [LOGIN_DONE]: 'yes' } : form;
  const prompt = peekParameter(marked, 'prompt');
  if (prompt === undefined) return marked;
  const values = promptValues(prompt);
  // a prompt beside `none` stays: without it the invalid request would become a valid one
  if (values.includes('none')) return marked;
  const left = values.filter((value) => !(completed as readonly string[]).includes(value));
  const rest = Object.fromEntries(Object.entries(marked).filter(([name]) => name !== 'prompt'));
  return left.length === 0 ? rest : { ...rest, prompt: left.join(' ') };
}

function asksAboutLogin(form: Form): boolean {
  return ABOUT_LOGINS.some((name) => hasField(form, name));
}

/** The completed prompts among the requested ones, each once, in a fixed order. */
export function completedPromptsOf(
  form: Form,
  completed: readonly Prompt[],
  isLoginRequested = asksAboutLogin(form),
): readonly Prompt[] {
  const requested = promptValues(peekParameter(form, 'prompt'));
  return [...new Set(completed)]
    .filter((prompt) => requested.includes(prompt) || (prompt === 'login' && isLoginRequested))
    .sort();
}
