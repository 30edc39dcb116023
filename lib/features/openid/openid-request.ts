import type {
  AuthorizationParameters,
  ReadLoginRequest,
  RequiredAuthentication,
} from '../../core/authorization/authorization-request.js';
import { MAX_HINT_LENGTH, parseUiLocales } from '../../core/authorization/hints.js';
import type { LoginParts } from '../../server/server.js';
import { requireEnabled } from '../../settings/table/require-enabled.js';
import { invalidRequest } from '../../shared/errors.js';
import { claimEntriesOf, parseClaimsRequest } from './claims-request.js';
import { verifyIdTokenHint } from './id-token-hints.js';

/** Characters: the database stores the nonce, and the ID token repeats it. */
const MAX_NONCE = 512;

declare module '../../core/authorization/authorization-request.js' {
  interface AuthorizationRequest {
    /** The parameters of OpenID Connect; undefined if the option `openid` is off. */
    readonly openidRequest?: Awaited<ReturnType<typeof readOpenidRequest>>['openidRequest'];
  }
}

/**
 * Reads the parameters of OpenID Connect about the login and the ID token, and changes scopes and required
 * authentication accordingly.
 *
 * @throws OAuthError invalid_request
 * @see OpenID Connect Core §3.1.2.1
 */
export async function readOpenidRequest(
  params: AuthorizationParameters,
  { client, scopes, responseType, acrValues }: Parameters<ReadLoginRequest>[1],
  requiredAuthentication: RequiredAuthentication,
  { settings, signingKeys }: LoginParts,
) {
  const { scopeClaims } = requireEnabled(settings.openid, 'openid');
  const { nonce } = params;
  if (nonce !== undefined && nonce.length > MAX_NONCE)
    throw invalidRequest(`the nonce is longer than ${MAX_NONCE} characters`, 'request_too_large');

  // §3.2.2.1, §3.3.2.11: an ID token that comes through the browser needs the scope `openid` and a nonce
  const signsIn = scopes.includes('openid');
  if (responseType.givesIdToken === true && (!signsIn || nonce === undefined))
    throw invalidRequest(
      signsIn
        ? 'the response type gives an ID token, so a nonce is needed'
        : 'the response type gives an ID token, so the scope must have openid',
      'parameter_missing',
    );

  // §5.5: the claims of the request, as far as the client's scopes allow them
  const claims = params.claims === undefined ? undefined : parseClaimsRequest(params.claims);
  const mayAsk = client.scopes.filter((scope) => Object.hasOwn(settings.scopes, scope));
  const claimEntries = claims && signsIn ? claimEntriesOf(claims, { scopes, mayAsk }, scopeClaims) : [];

  // §3.1.2.1: an ID token of this server for this client, which may have expired
  const { id_token_hint: hint } = params;
  const hinted = hint === undefined ? undefined : await verifyIdTokenHint(hint, signingKeys, settings.issuer);
  if (hinted !== undefined && hinted?.audience !== client.clientId)
    throw invalidRequest(
      'the id_token_hint is no ID token of this server for this client',
      'parameter_malformed',
    );

  // §3.1.2.2: the login must be that of one of these subjects
  const hintedSubject = hinted?.subject;
  // empty if both members of `claims` have subjects, and share none
  const [claimed, ...others] = [claims?.userinfo.sub?.values, claims?.idToken.sub?.values]
    .filter((values) => values !== undefined)
    .map((values) => values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))));
  const claimedSubjects = claimed?.filter((subject) => others.every((other) => other.includes(subject)));
  if (hintedSubject !== undefined && claimedSubjects?.includes(hintedSubject) === false)
    throw invalidRequest('the id_token_hint and the claims mean two people', 'parameter_malformed');

  // §5.5.1.1: the acceptable classes of the login, here and in `acr_values`
  const { acr: claimedAcr } = { ...claims?.userinfo, ...claims?.idToken };
  const acr = claimedAcr?.essential === true ? claimedAcr.values : undefined;
  const { acr: requiredAcr, maxAge } = requiredAuthentication;
  // for the login page: the classes that the client requires, otherwise its registered default
  const suggestedAcr = acr ?? (params.acr_values === undefined ? client.defaultAcrValues : undefined);
  const suggestedText = suggestedAcr?.join(' ') ?? '';
  const isSuggested = suggestedText !== '' && suggestedText.length <= MAX_HINT_LENGTH;

  const allScopes = [...scopes, ...claimEntries];
  return {
    openidRequest: {
      /** Whether the request has the scope `openid`. */
      signsIn,
      /** Repeated in the ID token unchanged. */
      nonce,
      needsAuthTime:
        maxAge !== undefined ||
        client.requireAuthTime === true ||
        claims?.idToken.auth_time?.essential === true,
      claimsLocales: parseUiLocales(params.claims_locales),
      claims,
      /** The accepted subjects of the login, from `id_token_hint` or `claims`. */
      hintedSubjects: hintedSubject === undefined ? claimedSubjects : [hintedSubject],
      /** Whether `hintedSubjects` comes from an ID token of the client. Anybody can write `claims`. */
      hasIdTokenHint: hintedSubject !== undefined,
    },
    // §11: MUST ignore offline_access unless the response has a code, and so a refresh token
    scopes: responseType.usesPkce ? allScopes : allScopes.filter((scope) => scope !== 'offline_access'),
    requiredAuthentication: {
      ...requiredAuthentication,
      acr:
        acr === undefined || requiredAcr === undefined
          ? (acr ?? requiredAcr)
          : acr.filter((value) => requiredAcr.includes(value)),
    },
    acrValues: isSuggested ? suggestedText : acrValues,
  };
}
