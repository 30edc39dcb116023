import { z } from 'zod';

import { lazy } from '../../../shared/lazy.js';
import { isLoopbackHost } from '../../../shared/protocol/redirect-uri.js';
import type { ClientMetadata } from '../client.js';
import { field, type MetadataOf, type RegistrationLimits } from '../client-field.js';
import type { ClientProblem } from '../validation-error.js';
import { type EncryptedKind, encryptionAlg, encryptionEnc } from './encryption-fields.js';
import { isPlainHttpsUrl, notUsable } from './https-url.js';
import { flagSchema, page, shortList, textSchema } from './schemas.js';
import { sectorOf } from './sector-identifier.js';
import { signingField } from './signing-field.js';

const seconds = lazy(() => z.number('must be a number').int('must be whole seconds').min(0).max(999_999_999));

/**
 * OpenID Connect Registration §2: MUST be verified. That a native app may have an https: URI of its own comes from RFC
 * 8252 §7.2.
 */
function applicationTypeProblems({
  applicationType,
  redirectUris,
  grantTypes,
}: ClientMetadata): readonly ClientProblem[] {
  const isWrong = (uri: string) => {
    const { protocol, hostname } = new URL(uri);
    const isHere = isLoopbackHost(hostname);
    if (applicationType === 'native') return protocol === 'http:' && !isHere;
    return grantTypes.includes('implicit') && (protocol !== 'https:' || isHere);
  };
  const wrong = applicationType && redirectUris.find((uri) => URL.canParse(uri) && isWrong(uri));
  if (wrong === undefined) return [];
  const problem =
    applicationType === 'native'
      ? 'A native application has redirect URIs of its own scheme, on loopback, or https:.'
      : 'A web application that uses the implicit grant has https: redirect URIs, and none on loopback.';
  return [{ field: 'redirectUris', problem }];
}

/** With these a client hears of a user only at its redirect URIs, or of nobody. */
const PAIRWISE_GRANT_TYPES = ['authorization_code', 'implicit', 'refresh_token', 'client_credentials'];

/** OpenID Connect Core §8.1: with several hosts it MUST have a sector_identifier_uri. */
function subjectTypeProblems(
  client: ClientMetadata,
  { subjectTypes = ['public', 'pairwise'] }: RegistrationLimits,
): readonly ClientProblem[] {
  const { subjectType } = client;
  if (subjectType === undefined) return [];
  if (!subjectTypes.includes(subjectType))
    return [
      {
        field: 'subjectType',
        problem: 'Each client knows a user by the same sub here: switch on openid.pairwise.',
      },
    ];
  if (subjectType === 'public') return [];
  // anybody can name others' redirect URIs, with their sector document: only what arrives there proves whose they are
  const grantType = client.grantTypes.find((each) => !PAIRWISE_GRANT_TYPES.includes(each));
  if (grantType !== undefined)
    return [
      {
        field: 'subjectType',
        problem: `Pairwise subjects are for clients that hear of users at their redirect URIs alone, which ${grantType} does not use.`,
      },
    ];
  if (client.redirectUris.length > 0 && sectorOf(client) !== undefined) return [];
  const problem =
    'Pairwise subjects need redirect URIs at one host, not on loopback, or a sectorIdentifierUri beside them.';
  return [{ field: 'subjectType', problem }];
}

/** OpenID Connect Registration §2: MUST be https: */
function sectorIdentifierUriProblems({ sectorIdentifierUri: uri }: ClientMetadata): readonly ClientProblem[] {
  if (uri === undefined || isPlainHttpsUrl(uri)) return [];
  return [{ field: 'sectorIdentifierUri', problem: notUsable('sectorIdentifierUri') }];
}

/** OpenID Connect Registration §2: MUST be https:, but for a server on loopback, where nobody is between. */
function initiateLoginUriProblems(
  { initiateLoginUri: uri }: ClientMetadata,
  { isLoopbackIssuer = true }: RegistrationLimits,
): readonly ClientProblem[] {
  if (uri === undefined || isLoopbackIssuer || /^https:/i.test(uri)) return [];
  return [{ field: 'initiateLoginUri', problem: 'initiateLoginUri must be an https: URL.' }];
}

const ID_TOKEN_ENCRYPTION: EncryptedKind = {
  alg: 'idTokenEncryptedResponseAlg',
  enc: 'idTokenEncryptedResponseEnc',
  wire: { alg: 'id_token_encrypted_response_alg', enc: 'id_token_encrypted_response_enc' },
  flag: '--encrypted-id-token',
  what: 'ID tokens',
  isToClient: true,
};

const USERINFO_ENCRYPTION: EncryptedKind = {
  alg: 'userinfoEncryptedResponseAlg',
  enc: 'userinfoEncryptedResponseEnc',
  wire: { alg: 'userinfo_encrypted_response_alg', enc: 'userinfo_encrypted_response_enc' },
  flag: '--encrypted-userinfo',
  what: 'answers of userinfo',
  isToClient: true,
};

/** What a client of OpenID Connect is registered with in addition (OpenID Connect Registration §2). */
export const openidFieldRows = {
  /** The algorithm that signs its ID tokens. Needs `openid`. Default: RS256. */
  idTokenSignedResponseAlg: signingField({
    name: 'idTokenSignedResponseAlg',
    wire: 'id_token_signed_response_alg',
    flag: { flags: '--id-token-alg <algorithm>', description: 'by which its ID tokens are signed' },
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
  userinfoSignedResponseAlg: signingField({
    name: 'userinfoSignedResponseAlg',
    wire: 'userinfo_signed_response_alg',
    flag: { flags: '--userinfo-alg <algorithm>', description: 'by which what it reads of users is signed' },
    label: 'userinfo signed by',
    what: 'Answers of userinfo of this server',
  }),
  /** The algorithm that encrypts userinfo responses, as for `idTokenEncryptedResponseAlg`. Default: not encrypted. */
  userinfoEncryptedResponseAlg: encryptionAlg(USERINFO_ENCRYPTION),
  /** The `enc` of its encrypted userinfo responses. Default: A128CBC-HS256. */
  userinfoEncryptedResponseEnc: encryptionEnc(USERINFO_ENCRYPTION),
  /** `acr_values` for requests that name none. */
  defaultAcrValues: field<readonly string[]>({
    shape: shortList,
    stored: { type: [String], default: undefined },
    wire: { name: 'default_acr_values' },
    flag: {
      flags: '--default-acr <values...>',
      description: 'the classes of logins that it likes best',
      isList: true,
    },
    printed: { label: 'acr', format: (values: readonly string[] | undefined) => values?.join(' ') },
  }),
  /** `max_age` in seconds for requests that name none. Default: none. */
  defaultMaxAge: field<number>({
    shape: seconds,
    stored: { type: Number },
    wire: { name: 'default_max_age' },
    flag: {
      flags: '--default-max-age <seconds>',
      description: 'how old a login may be if its requests do not say',
      isNumber: true,
    },
    printed: {
      label: 'logins at most',
      format: (age: number | undefined) => (age === undefined ? undefined : `${age} seconds old`),
    },
  }),
  /** Whether its ID tokens must have `auth_time`. Default: only if it is known. */
  requireAuthTime: field<boolean>({
    shape: flagSchema,
    stored: { type: Boolean },
    wire: { name: 'require_auth_time' },
    flag: {
      flags: '--require-auth-time',
      description: 'its ID tokens say when the login was',
      negated: { flags: '--no-require-auth-time', description: 'if that is known' },
    },
    printed: {
      label: 'auth_time',
      format: (isRequired: boolean | undefined) => (isRequired ? 'required' : undefined),
    },
  }),
  /** `web` or `native`, which its redirect URIs must suit. Default: not known. */
  applicationType: field<'web' | 'native'>({
    shape: lazy(() => z.enum(['web', 'native'], "must be 'web' or 'native'")),
    stored: { type: String },
    findProblems: applicationTypeProblems,
    wire: { name: 'application_type' },
    flag: {
      flags: '--application-type <type>',
      description: 'where it runs, if its redirect URIs are to be held to that',
      choices: ['web', 'native'],
    },
    printed: { label: 'application type' },
  }),
  /**
   * `pairwise`: it knows users by a `sub` that other sectors do not see, and has only grant types with redirect URIs.
   * Needs `openid.pairwise`. Default: `public`, the id of the user. (OpenID Connect Core §8)
   */
  subjectType: field<'public' | 'pairwise'>({
    shape: lazy(() => z.enum(['public', 'pairwise'], "must be 'public' or 'pairwise'")),
    stored: { type: String },
    requiresReapproval: true,
    findProblems: subjectTypeProblems,
    wire: { name: 'subject_type' },
    flag: {
      flags: '--subject-type <type>',
      description: 'whether it knows users by ids of its own sector',
      choices: ['public', 'pairwise'],
    },
    printed: { label: 'subjects' },
  }),
  /**
   * An https: URL of a JSON array of redirect URIs, whose clients share the pairwise `sub` of a user. Default: the
   * sector is the host of its redirect URIs. (OpenID Connect Core §8.1)
   */
  sectorIdentifierUri: field<string>({
    shape: textSchema,
    stored: { type: String },
    requiresReapproval: true,
    findProblems: sectorIdentifierUriProblems,
    wire: { name: 'sector_identifier_uri' },
    flag: {
      flags: '--sector-identifier-uri <uri>',
      description: 'a document that lists the redirect URIs of its sector',
    },
    printed: { label: 'sector' },
  }),
  /** An https: URL that starts a login at the client. */
  initiateLoginUri: field<string>({
    shape: page,
    stored: { type: String },
    findProblems: initiateLoginUriProblems,
    requiresReapproval: 'if-extended',
    wire: { name: 'initiate_login_uri' },
    flag: {
      flags: '--initiate-login-uri <uri>',
      description: 'where others may send users to log in to it, an https: URL',
    },
    printed: { label: 'logins begin at' },
  }),
  /** The value of `security.pkce` for this client alone. Default: the option `security.pkce`. */
  pkce: field<'public' | 'all' | 'optional'>({
    shape: lazy(() => z.enum(['public', 'all', 'optional'], "must be 'public', 'all' or 'optional'")),
    stored: { type: String },
    // a client that could set this itself would take away the protection of its users
    grantsTrust: true,
    flag: {
      flags: '--pkce <who>',
      description: 'who must send a PKCE challenge, for this client alone: optional for an old one',
      choices: ['public', 'all', 'optional'],
    },
    printed: { label: 'PKCE' },
  }),
};

declare module '../client.js' {
  interface ClientMetadata extends MetadataOf<typeof openidFieldRows> {}
}
