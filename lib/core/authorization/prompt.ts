import { OAuthError } from '../../shared/errors.js';
import { type Form, parseParameter, peekParameter } from '../../shared/protocol/parameters.js';
import { hasField } from '../http/form-fields.js';

/** What a client can ask people to do before it gets its answer; other values mean nothing here. */
export type Prompt = 'none' | 'login' | 'consent' | 'select_account' | 'create';

/** The prompts that every server knows. */
export const PROMPTS: readonly Prompt[] = ['none', 'login', 'consent', 'select_account'];

/** The prompts that a person answers by choosing an account, or by logging in. */
export const ACCOUNT_PROMPTS: readonly Prompt[] = ['login', 'select_account'];

/**
 * The `prompt` of an authorization request, which OAuth sites have from OpenID Connect.
 *
 * @param supported those that this server knows
 * @param isStrict whether its metadata lists them, so that it refuses others (prompt=create §4.1)
 * @throws OAuthError invalid_request if `none` comes with another one
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

/** Whether a request wants nobody to be asked, even if it is wrong otherwise. */
export function isSilent(form: Form): boolean {
  return peekParameter(form, 'prompt')?.trim() === 'none';
}

/**
 * The request after some of its prompts have been answered; byte for byte the same if it had none of them.
 *
 * @param isLoginAsked whether the age of the login matters, because of the request or of its client's registration
 */
export function withoutPrompts(
  form: Form,
  answered: readonly Prompt[],
  isLoginRequested = asksAboutLogin(form),
): Form {
  const marked = isLoginRequested && answered.includes('login') ? { ...form, [LOGIN_DONE]: 'yes' } : form;
  const prompt = peekParameter(marked, 'prompt');
  if (prompt === undefined) return marked;
  const left = prompt
    .split(' ')
    .filter((value) => value !== '' && !(answered as readonly string[]).includes(value));
  const rest = Object.fromEntries(Object.entries(marked).filter(([name]) => name !== 'prompt'));
  return left.length === 0 ? rest : { ...rest, prompt: left.join(' ') };
}

/**
 * Says in the name of a request that the person has been at the login for it. In an unsigned address it is believed
 * like everything else: whoever can add it could leave out `max_age` as well.
 */
export const LOGIN_DONE = 'login_done';
/** The parameters that ask for a login of some kind, beside `prompt`. */
const ABOUT_LOGINS = ['max_age', 'id_token_hint', 'claims'];

function asksAboutLogin(form: Form): boolean {
  return ABOUT_LOGINS.some((name) => hasField(form, name));
}

/** The answered prompts that matter to a request, each once, in a fixed order. */
export function answeredOf(
  form: Form,
  answered: readonly Prompt[],
  isLoginRequested = asksAboutLogin(form),
): readonly Prompt[] {
  const requested = peekParameter(form, 'prompt')?.split(' ') ?? [];
  return [...new Set(answered)]
    .filter((prompt) => requested.includes(prompt) || (prompt === 'login' && isLoginRequested))
    .sort();
}
