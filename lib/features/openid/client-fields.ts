import type { ClientMetadata } from '../../core/clients/client.js';
import {
  asRequired,
  flagClientField,
  listClientField,
  type MetadataOf,
  numberClientField,
  type RegistrationLimits,
  textClientField,
} from '../../core/clients/client-field.js';
import { encryptionAlg, encryptionEnc, signingField } from '../../core/clients/validation/jwt-fields.js';
import { isHttpsUrl, page, shortList } from '../../core/clients/validation/schemas.js';
import { sectorOf } from '../../core/clients/validation/sector-identifier.js';
import type { ProblemResult } from '../../core/clients/validation-error.js';
import { lazy } from '../../shared/lazy.js';
import { findRedirectUriProblem, isLoopbackHost } from '../../shared/protocol/redirect-uri.js';
import * as z from '../../shared/schema.js';

const ID_TOKEN_ENCRYPTION = { name: 'idTokenEncryptedResponse', what: 'ID tokens' };
const USERINFO_ENCRYPTION = { name: 'userinfoEncryptedResponse', what: 'answers of userinfo' };

/** Client fields of OpenID Connect (OpenID Connect Registration §2); those about logouts are last. */
export const openidFieldRows = {
  /** The algorithm that signs its ID tokens. Needs `openid`. Default: RS256. */
  idTokenSignedResponseAlg: signingField('idTokenSignedResponseAlg', {
    label: 'ID tokens signed by',
    what: 'ID tokens of this server',
  }),
  /**
   * The algorithm that encrypts its ID tokens to one of its keys: `ECDH-ES`, `ECDH-ES+A128KW`, `ECDH-ES+A256KW`,
   * `RSA-OAEP` or `RSA-OAEP-256`. Default: not encrypted.
   */
  idTokenEncryptedResponseAlg: encryptionAlg(ID_TOKEN_ENCRYPTION),
  /**
   * The `enc` of its encrypted ID tokens: `A128CBC-HS256`, `A256CBC-HS512`, `A128GCM` or `A256GCM`. Default:
   * A128CBC-HS256.
   */
  idTokenEncryptedResponseEnc: encryptionEnc(ID_TOKEN_ENCRYPTION),
  /** The algorithm that signs userinfo responses. Default: none, plain JSON. */
  userinfoSignedResponseAlg: signingField('userinfoSignedResponseAlg', {
    label: 'userinfo signed by',
    what: 'Answers of userinfo of this server',
  }),
  /** The algorithm that encrypts userinfo responses, as for `idTokenEncryptedResponseAlg`. Default: not encrypted. */
  userinfoEncryptedResponseAlg: encryptionAlg(USERINFO_ENCRYPTION),
  /** The `enc` of its encrypted userinfo responses. Default: A128CBC-HS256. */
  userinfoEncryptedResponseEnc: encryptionEnc(USERINFO_ENCRYPTION),
  /** `acr_values` for requests that name none. */
  defaultAcrValues: listClientField({
    shape: shortList,
    wire: { name: 'default_acr_values' },
    printed: { label: 'acr' },
  }),
  /** `max_age` in seconds for requests that name none. Default: none. */
  defaultMaxAge: numberClientField({
    shape: lazy(() =>
      z
        .number('must be a number')
        .int('must be whole seconds')
        .min(0, 'must be whole seconds')
        .max(999_999_999, 'must be whole seconds'),
    ),
    wire: { name: 'default_max_age' },
    printed: {
      label: 'logins at most',
      format: (age: number | undefined) => (age === undefined ? undefined : `${age} seconds old`),
    },
  }),
  /** Whether its ID tokens must have `auth_time`. Default: only if it is known. */
  requireAuthTime: flagClientField({
    wire: { name: 'require_auth_time' },
    printed: { label: 'auth_time', format: asRequired },
  }),
  /** `web` or `native`, which its redirect URIs must suit. Default: not known. */
  applicationType: textClientField<'web' | 'native'>({
    shape: lazy(() => z.picklist(['web', 'native'], "must be 'web' or 'native'")),
    findProblems: applicationTypeProblem,
    wire: { name: 'application_type' },
    printed: { label: 'application type' },
  }),
  /**
   * `pairwise`: it knows users by a `sub` that other sectors do not see, and has only grant types with redirect URIs.
   * Needs `openid.pairwiseSalt`. Default: `public`, the id of the user. (OpenID Connect Core §8)
   */
  subjectType: textClientField<'public' | 'pairwise'>({
    shape: lazy(() => z.picklist(['public', 'pairwise'], "must be 'public' or 'pairwise'")),
    requiresReapproval: true,
    findProblems: subjectTypeProblem,
    wire: { name: 'subject_type' },
    printed: { label: 'subjects' },
  }),
  /**
   * An https: URL of a JSON array of redirect URIs, whose clients share the pairwise `sub` of a user. Default: the
   * sector is the host of its redirect URIs. (OpenID Connect Core §8.1)
   */
  sectorIdentifierUri: textClientField({
    requiresReapproval: true,
    findProblems: unlessHttps('sectorIdentifierUri'),
    wire: { name: 'sector_identifier_uri' },
    printed: { label: 'sector' },
  }),
  /** An https: URL that starts a login at the client. */
  initiateLoginUri: textClientField({
    shape: page,
    findProblems: initiateLoginUriProblem,
    requiresReapproval: 'if-extended',
    wire: { name: 'initiate_login_uri' },
    printed: { label: 'logins begin at' },
  }),
  /** Where it may send users after a logout, compared exactly. Needs `openid`. Default: none. */
  postLogoutRedirectUris: listClientField({
    requiresReapproval: 'if-extended',
    findProblems: postLogoutRedirectUriProblem,
    wire: { name: 'post_logout_redirect_uris' },
    flag: {
      flags: '--post-logout-redirect-uri <uri...>',
      description: 'where users may come after they have logged out',
    },
    printed: { label: 'after the logout' },
  }),
  /** The URL that hears of logouts. Default: none. */
  backchannelLogoutUri: textClientField({
    requiresReapproval: 'if-extended',
    findProblems: unlessHttps('backchannelLogoutUri'),
    wire: { name: 'backchannel_logout_uri' },
    flag: {
      flags: '--backchannel-logout-uri <uri>',
      description: 'where it is told that somebody has logged out',
    },
    printed: { label: 'told of logouts at' },
  }),
  /** Its page that logs users out, loaded in a frame. Default: none. */
  frontchannelLogoutUri: textClientField({
    requiresReapproval: 'if-extended',
    findProblems: frontchannelLogoutUriProblem,
    wire: { name: 'frontchannel_logout_uri' },
    printed: { label: 'page that logs out' },
  }),
};

declare module '../../core/clients/client.js' {
  interface ClientMetadata extends MetadataOf<typeof openidFieldRows> {}
}

/** OpenID Connect Registration §2: MUST be verified. RFC 8252 §7.2 allows https: URIs of native apps. */
function applicationTypeProblem({
  applicationType,
  redirectUris,
  grantTypes,
}: ClientMetadata): ProblemResult | undefined {
  const isNative = applicationType === 'native';
  const isWrong = redirectUris.some((uri) => {
    if (applicationType === undefined || !URL.canParse(uri)) return false;
    const { protocol, hostname } = new URL(uri);
    const isLoopback = isLoopbackHost(hostname);
    if (isNative) return protocol === 'http:' && !isLoopback;
    return grantTypes.includes('implicit') && (protocol !== 'https:' || isLoopback);
  });
  if (!isWrong) return undefined;
  return {
    field: 'redirectUris',
    problem: isNative
      ? 'A native application has redirect URIs of its own scheme, on loopback, or https:.'
      : 'A web application that uses the implicit grant has https: redirect URIs, and none on loopback.',
  };
}

/** Grant types that deliver users only to redirect URIs, or have no user. */
const PAIRWISE_GRANT_TYPES = ['authorization_code', 'implicit', 'refresh_token', 'client_credentials'];

/** OpenID Connect Core §8.1: a client with redirect URIs at several hosts MUST have a sector_identifier_uri. */
function subjectTypeProblem(
  client: ClientMetadata,
  { subjectTypes = ['public', 'pairwise'] }: RegistrationLimits,
): string | undefined {
  const { subjectType = 'public', grantTypes, redirectUris } = client;
  if (client.subjectType !== undefined && !subjectTypes.includes(subjectType))
    return 'Each client knows a user by the same sub here: set openid.pairwiseSalt.';
  if (subjectType === 'public') return undefined;
  // anybody can register redirect URIs of others, with their sector document; only a response there proves the owner
  const grantType = grantTypes.find((each) => !PAIRWISE_GRANT_TYPES.includes(each));
  if (grantType !== undefined)
    return `Pairwise subjects are for clients that hear of users at their redirect URIs alone, which ${grantType} does not use.`;
  return redirectUris.length > 0 && sectorOf(client) !== undefined
    ? undefined
    : 'Pairwise subjects need redirect URIs at one host, not on loopback, or a sectorIdentifierUri beside them.';
}

const MAX_URI_LENGTH = 2000;

/** OpenID Connect Registration §2, Back-Channel Logout §2.2, Front-Channel Logout §2: MUST be https: */
function unlessHttps(
  name: 'sectorIdentifierUri' | 'backchannelLogoutUri' | 'frontchannelLogoutUri',
): (client: ClientMetadata) => string | undefined {
  return ({ [name]: uri }) =>
    uri === undefined || (uri.length <= MAX_URI_LENGTH && isHttpsUrl(uri) && !uri.includes('#'))
      ? undefined
      : `The ${name} is no https: URL without a fragment and a user.`;
}

/** OpenID Connect Registration §2: MUST be https:, except for a server on loopback, whose traffic leaves no machine. */
function initiateLoginUriProblem(
  { initiateLoginUri: uri }: ClientMetadata,
  { isLoopbackIssuer = true }: RegistrationLimits,
): string | undefined {
  if (uri === undefined || isLoopbackIssuer || /^https:/i.test(uri)) return undefined;
  return 'initiateLoginUri must be an https: URL.';
}

const MAX_POST_LOGOUT_URIS = 20;

/** OpenID Connect RP-Initiated Logout §3.1: by the rules for redirect URIs, which exclude scripts. */
function postLogoutRedirectUriProblem(
  { postLogoutRedirectUris: uris = [] }: ClientMetadata,
  { redirectUriRules }: RegistrationLimits,
): string | undefined {
  if (uris.length > MAX_POST_LOGOUT_URIS)
    return `There can be ${MAX_POST_LOGOUT_URIS} of these URIs at most.`;
  for (const uri of uris) {
    const wrong = findRedirectUriProblem(uri, redirectUriRules)?.text;
    if (wrong !== undefined || uri.length > MAX_URI_LENGTH)
      return `${uri.slice(0, 80)} cannot be used: ${wrong ?? 'it is too long'}.`;
  }
  return undefined;
}

/** OpenID Connect Front-Channel Logout §2: the scheme, host and port of a redirect URI. */
function frontchannelLogoutUriProblem(client: ClientMetadata): string | undefined {
  const { frontchannelLogoutUri: uri, redirectUris } = client;
  const problem = unlessHttps('frontchannelLogoutUri')(client);
  if (uri === undefined || problem !== undefined) return problem;
  const { origin } = new URL(uri);
  return redirectUris.some((each) => URL.canParse(each) && new URL(each).origin === origin)
    ? undefined
    : 'The frontchannelLogoutUri has another origin than all redirect URIs.';
}
