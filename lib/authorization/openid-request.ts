import type { Client } from '../clients/client.js';
import { OAuthError } from '../errors.js';
import type { ReadIdTokenHint } from '../openid/id-token-hints.js';
import { type Form, parseParameter } from '../protocol/parameters.js';
import type { Settings } from '../settings/settings.js';
import { LOGIN_DONE } from './prompt.js';
import type { ResponseType } from './response-types/response-type.js';

/** What a client says about a login, and about the ID token that it asks for. @see OpenID Connect Core §3.1.2.1 */
export interface OpenidRequest {
  /** Whether it asks to sign the person in: by the scope `openid`. */
  readonly signsIn: boolean;
  /** Goes into the ID token as it came. */
  readonly nonce: string | undefined;
  /** Seconds that may have gone by since the login. */
  readonly maxAge: number | undefined;
  /** Whether the ID token has to say when the login was. */
  readonly needsAuthTime: boolean;
  /** Whom the client means, by the subject of an ID token that it has. */
  readonly hintedSubject: string | undefined;
  /** Whether the person has been at the login for this request already. */
  readonly isLoginDone: boolean;
}

interface Rules extends Pick<Settings, 'openid'> {
  readonly readIdTokenHint: ReadIdTokenHint;
}

interface Found {
  readonly client?: Client;
  readonly scopes?: readonly string[];
  readonly responseType?: ResponseType;
}

/** Characters: it is kept, and comes back in a token. */
const MAX_NONCE = 512;

/**
 * What a request says of the login.
 *
 * @throws OAuthError invalid_request
 */
export function checkOpenid(
  form: Form,
  { client, scopes = [], responseType }: Found,
  { openid, readIdTokenHint }: Rules,
): { readonly openid: OpenidRequest | undefined } | Promise<{ readonly openid: OpenidRequest }> {
  if (openid === false) return { openid: undefined };
  const signsIn = scopes.includes('openid');
  const nonce = parseNonce(form);
  checkResponse(responseType, { signsIn, nonce });
  const maxAge = parseMaxAge(form) ?? client?.defaultMaxAge;
  const request = {
    signsIn,
    nonce,
    maxAge,
    needsAuthTime: maxAge !== undefined || client?.requireAuthTime === true,
    isLoginDone: form[LOGIN_DONE] === 'yes',
  };
  const hint = parseParameter(form, 'id_token_hint');
  if (hint === undefined) return { openid: { ...request, hintedSubject: undefined } };
  return readIdTokenHint(hint, String(client?.clientId)).then((hintedSubject) => ({
    openid: { ...request, hintedSubject },
  }));
}

/** §3.2.2.1, §3.3.2.11: an ID token that comes by way of the browser is of a request with the scope and a nonce. */
function checkResponse(
  responseType: ResponseType | undefined,
  { signsIn, nonce }: Pick<OpenidRequest, 'signsIn' | 'nonce'>,
): void {
  if (responseType?.givesIdToken !== true) return;
  if (!signsIn)
    throw new OAuthError(
      'invalid_request',
      'the response type gives an ID token, so the scope must have openid',
      {
        reason: 'parameter_missing',
      },
    );
  if (nonce === undefined)
    throw new OAuthError('invalid_request', 'the response type gives an ID token, so a nonce is needed', {
      reason: 'parameter_missing',
    });
}

function parseNonce(form: Form): string | undefined {
  const nonce = parseParameter(form, 'nonce');
  if (nonce === undefined || nonce.length <= MAX_NONCE) return nonce;
  throw new OAuthError('invalid_request', `the nonce is longer than ${MAX_NONCE} characters`, {
    reason: 'request_too_large',
  });
}

function parseMaxAge(form: Form): number | undefined {
  const given = parseParameter(form, 'max_age');
  if (given === undefined) return undefined;
  if (/^\d{1,9}$/.test(given)) return Number(given);
  throw new OAuthError('invalid_request', 'the parameter max_age is not a number of seconds', {
    reason: 'parameter_malformed',
  });
}
