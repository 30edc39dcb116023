import { OAuthError } from '../errors.js';
import { type Form, parseParameter } from '../protocol/parameters.js';
import type { Settings } from '../settings/settings.js';

/** What a client says about the ID token that it asks for. @see OpenID Connect Core §3.1.2.1 */
export interface OpenidRequest {
  /** Goes into the ID token as it came. */
  readonly nonce: string | undefined;
}

/** Characters: it is kept, and comes back in a token. */
const MAX_NONCE = 512;

/**
 * What a request says that asks to sign somebody in; nothing of it means anything without the scope `openid`.
 *
 * @throws OAuthError invalid_request
 */
export function checkOpenid(
  form: Form,
  { scopes }: { readonly scopes?: readonly string[] },
  { openid }: Pick<Settings, 'openid'>,
): { readonly openid: OpenidRequest | undefined } {
  if (openid === false || scopes?.includes('openid') !== true) return { openid: undefined };
  const nonce = parseParameter(form, 'nonce');
  if (nonce !== undefined && nonce.length > MAX_NONCE)
    throw new OAuthError('invalid_request', `the nonce is longer than ${MAX_NONCE} characters`, {
      reason: 'request_too_large',
    });
  return { openid: { nonce } };
}
