import type { Settings } from '../../settings/settings.js';
import { OAuthError } from '../../shared/errors.js';
import { type Form, parseParameter, peekParameter } from '../../shared/protocol/parameters.js';
import { isClaimEntry } from '../../shared/protocol/standard-claims.js';
import type { Client } from '../clients/client.js';
import { hasField } from '../http/form-fields.js';
import { claimEntriesOf, type ClaimsRequest, parseClaimsRequest } from '../openid/claims-request.js';
import type { ReadIdTokenHint } from '../openid/id-token-hints.js';
import { parseHints, parseUiLocales } from './hints.js';
import { inBoth, type RequiredAuthentication } from './required-authentication.js';
import type { ResponseType } from './response-types/response-type.js';

/** The parameters of OpenID Connect: about the login, and about the ID token. @see OpenID Connect Core §3.1.2.1 */
export interface OpenidRequest {
  /** Whether the client wants to sign the user in: the request has the scope `openid`. */
  readonly signsIn: boolean;
  /** Goes into the ID token unchanged. */
  readonly nonce: string | undefined;
  /** Whether the ID token has to say when the login was. */
  readonly needsAuthTime: boolean;
  /** The languages in which the client would like the claims. */
  readonly claimsLocales: readonly string[];
  /** Single claims, beside those of the scopes. */
  readonly claims: ClaimsRequest | undefined;
  /** The login must be that of one of these subjects: from the `id_token_hint`, or from `claims`. */
  readonly hintedSubjects: readonly string[] | undefined;
  /** Whether `hintedSubjects` is from an ID token of the client. Anybody can write `claims`. */
  readonly hasIdTokenHint: boolean;
}

interface OpenidDependencies extends Pick<Settings, 'openid' | 'scopes'> {
  readonly readIdTokenHint: ReadIdTokenHint;
}

/** The results of earlier checks that OpenID Connect changes. */
interface ChangedByOpenid {
  readonly scopes: readonly string[];
  readonly requiredAuthentication: RequiredAuthentication | undefined;
  readonly acrValues: string | undefined;
}

/** Characters: it is stored, and comes back in a token. */
const MAX_NONCE = 512;

/**
 * Reads the parameters of OpenID Connect, and what they change of the other parameters.
 *
 * @throws OAuthError invalid_request
 */
export async function checkOpenid(
  form: Form,
  checked: ChangedByOpenid & { readonly client: Client; readonly responseType: ResponseType },
  { openid, readIdTokenHint, scopes: known }: OpenidDependencies,
): Promise<ChangedByOpenid & { readonly openidRequest: OpenidRequest | undefined }> {
  const { client, scopes, responseType, requiredAuthentication, acrValues } = checked;
  if (openid === false || requiredAuthentication === undefined)
    return { openidRequest: undefined, scopes, requiredAuthentication, acrValues };
  const signsIn = scopes.includes('openid');
  const nonce = parseNonce(form);
  checkResponse(responseType, { signsIn, nonce });
  const claims = parseClaims(form);
  const mayAsk = client.scopes.filter((scope) => Object.hasOwn(known, scope));
  const claimEntries =
    claims && signsIn ? claimEntriesOf(claims, { scopes, mayAsk }, openid.scopeClaims) : [];
  const acr = essentialAcrIn(claims);
  const hintedSubject = await readHint(form, client, readIdTokenHint);
  return {
    openidRequest: {
      signsIn,
      nonce,
      needsAuthTime: needsAuthTime(client, claims, requiredAuthentication),
      claimsLocales: parseUiLocales(peekParameter(form, 'claims_locales')),
      claims,
      hintedSubjects: requiredSubjects(hintedSubject, subjectsIn(claims)),
      hasIdTokenHint: hintedSubject !== undefined,
    },
    scopes: withoutOffline([...scopes, ...claimEntries], responseType),
    requiredAuthentication:
      acr === undefined
        ? requiredAuthentication
        : { ...requiredAuthentication, acr: inBoth(acr, requiredAuthentication.acr) },
    acrValues: acrValuesFor(form, client, acr) ?? acrValues,
  };
}

/** The scopes that a token can have: a single claim is no scope (OpenID Connect Core §5.5). */
export function scopesForTokens(scopes: readonly string[]): readonly string[] {
  return scopes.some(isClaimEntry) ? scopes.filter((scope) => !isClaimEntry(scope)) : scopes;
}

/** OpenID Connect Core §11: MUST ignore offline_access unless the response has a code, which gives a refresh token. */
function withoutOffline(scopes: readonly string[], { usesPkce }: ResponseType): readonly string[] {
  return usesPkce ? scopes : scopes.filter((scope) => scope !== 'offline_access');
}

/** The `acr_values` for the login page: what the client needs, or else what it is registered with. */
function acrValuesFor(
  form: Form,
  { defaultAcrValues }: Client,
  essential: readonly unknown[] | undefined,
): string | undefined {
  if (essential === undefined && (hasField(form, 'acr_values') || defaultAcrValues === undefined))
    return undefined;
  return parseHints({ acr_values: (essential ?? defaultAcrValues ?? []).join(' ') }).acrValues;
}

function needsAuthTime(
  { requireAuthTime }: Client,
  claims: ClaimsRequest | undefined,
  { maxAge }: RequiredAuthentication,
): boolean {
  return maxAge !== undefined || requireAuthTime === true || claims?.idToken.auth_time?.essential === true;
}

/** The subject of the `id_token_hint`. */
async function readHint(
  form: Form,
  { clientId }: Client,
  readIdTokenHint: ReadIdTokenHint,
): Promise<string | undefined> {
  const hint = parseParameter(form, 'id_token_hint');
  return hint === undefined ? undefined : readIdTokenHint(hint, clientId);
}

/** @throws OAuthError invalid_request if the hint and the claims name two users */
function requiredSubjects(
  hinted: string | undefined,
  claimed: readonly string[] | undefined,
): readonly string[] | undefined {
  if (hinted === undefined) return claimed;
  if (claimed?.includes(hinted) !== false) return [hinted];
  throw new OAuthError('invalid_request', 'the id_token_hint and the claims mean two people', {
    reason: 'parameter_malformed',
  });
}

function parseClaims(form: Form): ClaimsRequest | undefined {
  const text = parseParameter(form, 'claims');
  return text === undefined ? undefined : parseClaimsRequest(text);
}

/** The classes of logins of which one is necessary (OpenID Connect Core §5.5.1.1). */
function essentialAcrIn(claims: ClaimsRequest | undefined): readonly unknown[] | undefined {
  const { acr } = { ...claims?.userinfo, ...claims?.idToken };
  return acr?.essential === true ? acr.values : undefined;
}

/**
 * The subjects that both members of `claims` name; empty if they name different ones (OpenID Connect Core §3.1.2.2).
 */
function subjectsIn(claims: ClaimsRequest | undefined): readonly string[] | undefined {
  const subjects = [claims?.userinfo.sub?.values, claims?.idToken.sub?.values].flatMap((values) =>
    values === undefined
      ? []
      : [values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))],
  );
  const [first, ...others] = subjects;
  return first?.filter((subject) => others.every((other) => other.includes(subject)));
}

/**
 * An ID token that comes through the browser needs the scope `openid` and a nonce (OpenID Connect Core §3.2.2.1,
 * §3.3.2.11).
 */
function checkResponse(
  { givesIdToken = false }: ResponseType,
  { signsIn, nonce }: Pick<OpenidRequest, 'signsIn' | 'nonce'>,
): void {
  if (!givesIdToken) return;
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
