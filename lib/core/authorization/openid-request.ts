import type { Settings } from '../../settings/settings.js';
import { OAuthError } from '../../shared/errors.js';
import { type Form, parseParameter, peekParameter } from '../../shared/protocol/parameters.js';
import { isClaimEntry } from '../../shared/protocol/standard-claims.js';
import { parseUiLocales } from '../../shared/protocol/ui-locales.js';
import type { Client } from '../clients/client.js';
import { hasField } from '../http/form-fields.js';
import { claimEntriesOf, type ClaimsRequest, parseClaimsRequest } from '../openid/claims-request.js';
import type { ReadIdTokenHint } from '../openid/id-token-hints.js';
import { parseHints } from './hints.js';
import { inBoth, type RequiredAuthentication } from './required-authentication.js';
import type { ResponseType } from './response-types/response-type.js';

/** What a client says about a login, and about the ID token that it asks for. @see OpenID Connect Core §3.1.2.1 */
export interface OpenidRequest {
  /** Whether it asks to sign the person in, with the scope `openid`. */
  readonly signsIn: boolean;
  /** Goes into the ID token as it came. */
  readonly nonce: string | undefined;
  /** Whether the ID token has to say when the login was. */
  readonly needsAuthTime: boolean;
  /** The languages in which it would like to be told about the person. */
  readonly claimsLocales: readonly string[];
  /** Single claims beside those of its scopes. */
  readonly claims: ClaimsRequest | undefined;
  /** Subjects, one of whom the client means: from an ID token that it has, or from its claims. */
  readonly hintedSubjects: readonly string[] | undefined;
  /** Whether `hintedSubjects` is from an ID token of the client. Anybody can write the claims. */
  readonly isHinted: boolean;
}

interface Rules extends Pick<Settings, 'openid' | 'scopes'> {
  readonly readIdTokenHint: ReadIdTokenHint;
}

interface Found {
  readonly client?: Client;
  readonly requiredAuthentication?: RequiredAuthentication | undefined;
  readonly scopes?: readonly string[];
  readonly responseType?: ResponseType;
}

/** Characters: it is kept, and comes back in a token. */
const MAX_NONCE = 512;

/**
 * What a request says about the login.
 *
 * @throws OAuthError invalid_request
 */
export function checkOpenid(
  form: Form,
  found: Found,
  { openid, readIdTokenHint, scopes: known }: Rules,
): Checked | Promise<Checked> {
  const { client, scopes = [], responseType, requiredAuthentication: required } = found;
  if (openid === false || client === undefined || required === undefined)
    return { openid: undefined, scopes };
  const signsIn = scopes.includes('openid');
  const nonce = parseNonce(form);
  checkResponse(responseType, { signsIn, nonce });
  const claims = parseClaims(form);
  const mayAsk = client.scopes.filter((scope) => Object.hasOwn(known, scope));
  const single = claims && signsIn ? claimEntriesOf(claims, { scopes, mayAsk }, openid.scopeClaims) : [];
  const acr = essentialAcrIn(claims);
  const login = readLogin(client, claims, required);
  const claimsLocales = parseUiLocales(peekParameter(form, 'claims_locales'));
  const request = { ...login, signsIn, nonce, claims, claimsLocales };
  const all = withoutOffline([...scopes, ...single], responseType);
  const more = {
    ...hintsFor(form, client, acr),
    ...(acr !== undefined && { requiredAuthentication: { ...required, acr: inBoth(acr, required.acr) } }),
  };
  const hint = parseParameter(form, 'id_token_hint');
  if (hint === undefined) return { openid: request, scopes: all, ...more };
  return readIdTokenHint(hint, client.clientId).then((hintedSubject) => {
    if (request.hintedSubjects?.includes(hintedSubject) !== false)
      return {
        openid: { ...request, hintedSubjects: [hintedSubject], isHinted: true },
        scopes: all,
        ...more,
      };
    throw new OAuthError('invalid_request', 'the id_token_hint and the claims mean two people', {
      reason: 'parameter_malformed',
    });
  });
}

/** Those that a token can have: single claims are told, and are not scopes (§5.5). */
export function scopesForTokens(scopes: readonly string[]): readonly string[] {
  return scopes.some(isClaimEntry) ? scopes.filter((scope) => !isClaimEntry(scope)) : scopes;
}

/** §11: MUST ignore it unless the answer has a code, which can be exchanged for a refresh token. */
function withoutOffline(
  scopes: readonly string[],
  responseType: ResponseType | undefined,
): readonly string[] {
  return responseType?.usesPkce === true ? scopes : scopes.filter((scope) => scope !== 'offline_access');
}

/** The classes of logins that the client needs, or else would like, as the login page is told. */
function hintsFor(
  form: Form,
  { defaultAcrValues }: Client,
  acr: readonly unknown[] | undefined,
): { readonly acrValues?: string } {
  if (acr === undefined && (hasField(form, 'acr_values') || defaultAcrValues === undefined)) return {};
  const { acrValues } = parseHints({ acr_values: (acr ?? defaultAcrValues ?? []).join(' ') });
  return acrValues === undefined ? {} : { acrValues };
}

function readLogin(client: Client, claims: ClaimsRequest | undefined, { maxAge }: RequiredAuthentication) {
  const isTimeEssential = claims?.idToken.auth_time?.essential === true;
  return {
    needsAuthTime: maxAge !== undefined || client.requireAuthTime === true || isTimeEssential,
    hintedSubjects: subjectsIn(claims),
    isHinted: false,
  };
}

interface Checked {
  readonly openid: OpenidRequest | undefined;
  readonly scopes: readonly string[];
  readonly acrValues?: string;
  readonly requiredAuthentication?: RequiredAuthentication;
}

function parseClaims(form: Form): ClaimsRequest | undefined {
  const text = parseParameter(form, 'claims');
  return text === undefined ? undefined : parseClaimsRequest(text);
}

/** §5.5.1.1: the classes of which one is necessary. */
function essentialAcrIn(claims: ClaimsRequest | undefined): readonly unknown[] | undefined {
  const { acr } = { ...claims?.userinfo, ...claims?.idToken };
  return acr?.essential === true ? acr.values : undefined;
}

/** §3.1.2.2: the people whom both members mean, if both name some; empty if they mean different people. */
function subjectsIn(claims: ClaimsRequest | undefined): readonly string[] | undefined {
  const subjects = [claims?.userinfo.sub?.values, claims?.idToken.sub?.values].flatMap((values) =>
    values === undefined
      ? []
      : [values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))],
  );
  const [first, ...others] = subjects;
  return first?.filter((subject) => others.every((other) => other.includes(subject)));
}

/** §3.2.2.1, §3.3.2.11: an ID token that comes through the browser needs a request with the scope and a nonce. */
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
