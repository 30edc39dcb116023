import { OAuthError } from '../errors.js';
import { type Form, parseParameter } from '../protocol/parameters.js';

/** What a client can ask to be done before it gets its answer; other values mean nothing here. */
export type Prompt = 'none' | 'login' | 'consent' | 'select_account' | 'create';

/** Those that each server knows. */
export const PROMPTS: readonly Prompt[] = ['none', 'login', 'consent', 'select_account'];

/** Those that a person answers by choosing an account, or by logging in. */
export const ACCOUNT_PROMPTS: readonly Prompt[] = ['login', 'select_account'];

/**
 * The `prompt` of an authorization request, which OAuth sites have from OpenID Connect.
 *
 * @param supported those that this server knows
 * @param isStrict whether it says so, and refuses others (prompt=create §4.1)
 * @throws OAuthError invalid_request if `none` stands beside another one
 * @see OpenID Connect Core §3.1.2.1
 */
export function parsePrompt(
  form: Form,
  supported: readonly Prompt[] = PROMPTS,
  isStrict = false,
): ReadonlySet<Prompt> {
  const values = (parseParameter(form, 'prompt') ?? '').split(' ');
  const unknown = values.find((value) => value !== '' && !(supported as readonly string[]).includes(value));
  if (isStrict && unknown !== undefined)
    throw new OAuthError('invalid_request', 'the parameter prompt has a value that is not supported', {
      reason: 'prompt_invalid',
    });
  const prompts = new Set(supported.filter((prompt) => values.includes(prompt)));
  if (prompts.has('none') && values.filter((value) => value !== '').length > 1) {
    throw new OAuthError('invalid_request', 'the prompt none cannot be combined with another one', {
      reason: 'prompt_invalid',
    });
  }
  return prompts;
}

/** Whether a request wants nobody to be asked, be it right or wrong otherwise. */
export function isSilent({ prompt }: Form): boolean {
  return typeof prompt === 'string' && prompt.trim() === 'none';
}

/** The request after some of its prompts have been answered; byte for byte the same if there were none of them. */
export function withoutPrompts(form: Form, answered: readonly Prompt[]): Form {
  const { prompt, ...rest } = withLoginDone(form, answered);
  if (typeof prompt !== 'string') return withLoginDone(form, answered);
  const left = prompt
    .split(' ')
    .filter((value) => value !== '' && !(answered as readonly string[]).includes(value));
  return left.length === 0 ? rest : { ...rest, prompt: left.join(' ') };
}

/** Says in the name of a request that the person has been at the login for it; it makes nothing easier than that. */
export const LOGIN_DONE = 'login_done';
/** What asks for a login of some kind, beside `prompt`. */
const ABOUT_LOGINS = ['max_age', 'id_token_hint', 'claims'];

function asksAboutLogin(form: Form): boolean {
  return ABOUT_LOGINS.some((name) => form[name] !== undefined);
}

function withLoginDone(form: Form, answered: readonly Prompt[]): Form {
  return answered.includes('login') && asksAboutLogin(form) ? { ...form, [LOGIN_DONE]: 'yes' } : form;
}

/** Whether it matters to a request that this was answered. */
export function asksFor(form: Form, name: Prompt): boolean {
  const { prompt } = form;
  return (
    (typeof prompt === 'string' && prompt.split(' ').includes(name)) ||
    (name === 'login' && asksAboutLogin(form))
  );
}
