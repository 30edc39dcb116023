import { OAuthError } from '../errors.js';
import { type Form, parseParameter } from '../protocol/parameters.js';

/** What a client can ask to be done before it gets its answer; other values mean nothing here. */
export type Prompt = 'none' | 'login' | 'consent' | 'select_account';

const PROMPTS: readonly Prompt[] = ['none', 'login', 'consent', 'select_account'];

/** Those that a person answers by choosing an account, or by logging in. */
export const ACCOUNT_PROMPTS: readonly Prompt[] = ['login', 'select_account'];

/**
 * The `prompt` of an authorization request, which OAuth sites have from OpenID Connect.
 *
 * @throws OAuthError invalid_request if `none` stands beside another one
 * @see OpenID Connect Core §3.1.2.1
 */
export function parsePrompt(form: Form): ReadonlySet<Prompt> {
  const values = (parseParameter(form, 'prompt') ?? '').split(' ');
  const prompts = new Set(PROMPTS.filter((prompt) => values.includes(prompt)));
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
  const { prompt, ...rest } = form;
  if (typeof prompt !== 'string') return form;
  const left = prompt
    .split(' ')
    .filter((value) => value !== '' && !(answered as readonly string[]).includes(value));
  return left.length === 0 ? rest : { ...rest, prompt: left.join(' ') };
}
