import { type Profile, PROFILES } from '../../settings/features/profile-options.js';
import { lazy } from '../../shared/lazy.js';
import { aboutRows } from './about-fields.js';
import type { ClientType } from './client.js';
import {
  type ClientField,
  field,
  type FieldRow,
  fieldsOf,
  type MetadataOf,
  requiredField,
} from './client-field.js';
import { lifetimeProblems } from './client-lifetimes.js';
import { coOwnerProblems } from './client-owners.js';
import { authenticationRows } from './validation/authentication-fields.js';
import {
  capProblems,
  grantTypeProblems,
  nameProblems,
  redirectUriProblems,
  resourceProblems,
  scopeProblems,
  typeProblems,
} from './validation/client-checks.js';
import { profileProblems } from './validation/profile-problems.js';
import { REFRESH_TOKENS, refreshTokenProblems } from './validation/refresh-token-problems.js';
import {
  clientTypeSchema,
  flagSchema,
  listSchema,
  number,
  shortList,
  textSchema,
} from './validation/schemas.js';

const joined = (values: readonly string[] | undefined) => values?.join(' ');
const joinedOrDash = (values: readonly string[]) => values.join(' ') || '-';

/**
 * What a client is registered with, a row for each field. Registration (RFC 7591), the registry, the Mongoose schema,
 * the command line, the pages, the doctor and the type `ClientMetadata` read it, so a new field is one row.
 */
const clientFieldRows = {
  /** As the consent page shows it, at most 100 characters. */
  name: requiredField<string>({
    shape: textSchema,
    stored: { type: String },
    requiresReapproval: true,
    findProblems: nameProblems,
    wire: { name: 'client_name' },
    isOwners: true,
    flag: { flags: '--name <name>', description: 'as the consent page shows it', isRequired: true },
    printed: { label: 'name' },
    label: 'form.name',
  }),
  /** `confidential`, or `public` if it cannot keep a secret. Default: `confidential`. */
  type: requiredField<ClientType>({
    shape: clientTypeSchema,
    stored: { type: String, enum: ['confidential', 'public'] },
    // RFC 6749 §2.3.1: an empty secret may be left out, so it proves nothing
    default: ({ tokenEndpointAuthMethod, clientSecret }) =>
      tokenEndpointAuthMethod === 'none' || clientSecret === '' ? 'public' : 'confidential',
    findProblems: typeProblems,
    flag: {
      flags: '--type <type>',
      description: 'whether it can keep a secret',
      choices: ['confidential', 'public'],
      default: 'confidential',
      isCreateOnly: true,
    },
    printed: { label: 'type' },
  }),
  /**
   * Where codes may be sent, compared exactly; on loopback any port will do. Default: none. (RFC 6749 §3.1.2.2, RFC
   * 8252 §7.3)
   */
  redirectUris: requiredField<readonly string[]>({
    shape: listSchema,
    stored: { type: [String] },
    requiresReapproval: true,
    default: () => [],
    findProblems: redirectUriProblems,
    wire: { name: 'redirect_uris' },
    isOwners: true,
    flag: { flags: '--redirect-uri <uri...>', description: 'where codes may go' },
    printed: { label: 'redirect URIs', format: joinedOrDash },
    label: 'application.redirectUris',
  }),
  /** The scopes that it may ask for. Default: `defaultScopes` of the server, or all. */
  scopes: requiredField<readonly string[]>({
    shape: listSchema,
    stored: { type: [String] },
    requiresReapproval: 'if-extended',
    default: (_given, { defaultScopes }) => defaultScopes,
    findProblems: scopeProblems,
    wire: {
      name: 'scope',
      shape: lazy(() => textSchema().max(4096, 'is longer than 4096 characters')),
      parse: (scope: string) => scope.split(' '),
      format: (scopes: readonly string[]) => (scopes.length > 0 ? scopes.join(' ') : undefined),
    },
    isOwners: true,
    flag: { flags: '--scopes <scopes...>', description: 'what it may ask for', isList: true },
    printed: { label: 'scopes', format: joinedOrDash },
    label: 'application.mayAskFor',
  }),
  /** The ways in which it may get tokens. Default: `authorization_code` and `refresh_token`. */
  grantTypes: requiredField<readonly string[]>({
    shape: listSchema,
    stored: { type: [String] },
    requiresReapproval: 'if-extended',
    default: (_given, { limits }) =>
      ['authorization_code', 'refresh_token'].filter((grantType) => limits.grantTypes.includes(grantType)),
    findProblems: grantTypeProblems,
    wire: { name: 'grant_types', shape: shortList },
    isOwners: true,
    flag: {
      flags: '--grant-types <grant types...>',
      description: 'such as authorization_code refresh_token',
      isList: true,
    },
    printed: { label: 'grant types', format: joined },
    label: 'application.getsAccessBy',
  }),
  /**
   * The response types that it may use. With `openid.responseTypes`, a client that registers itself gets only those
   * that it names. Default: all.
   */
  responseTypes: field<readonly string[]>({
    shape: listSchema,
    stored: { type: [String], default: undefined },
    requiresReapproval: true,
  }),
  /**
   * A first-party client that you vouch for: its users see no consent page, except for `offline_access`. Default:
   * `false`.
   */
  trusted: requiredField<boolean>({
    shape: flagSchema,
    stored: { type: Boolean },
    default: () => false,
    grantsTrust: true,
    flag: {
      flags: '--trusted',
      description: 'skips the consent page: your own applications only',
      negated: { flags: '--no-trusted', description: 'asks the person' },
    },
    printed: {
      label: 'trusted',
      format: (isTrusted: boolean) => (isTrusted ? 'yes, the consent page is skipped' : undefined),
    },
  }),
  /** A resource server that may ask about tokens (RFC 7662 §2.1); confidential clients only. Default: `false`. */
  introspection: field<boolean>({
    shape: flagSchema,
    stored: { type: Boolean },
    grantsTrust: true,
    flag: { flags: '--introspection', description: 'a resource server that may ask about tokens' },
    printed: { label: 'introspection', format: (may: boolean | undefined) => (may ? 'yes' : undefined) },
  }),
  /** You have checked who is behind it, and the consent page says so. Default: `false`. */
  verified: field<boolean>({
    shape: flagSchema,
    stored: { type: Boolean },
    grantsTrust: true,
    flag: {
      flags: '--verified',
      description: 'you have checked who is behind it, and the consent page says so',
      negated: { flags: '--no-verified', description: 'takes that back' },
    },
  }),
  /**
   * The URLs of the resource servers that it is. Introspection tells it only about tokens for these. Default: none, it
   * hears about all tokens. (RFC 7662 §4, RFC 8707)
   */
  resources: field<readonly string[]>({
    shape: listSchema,
    // no list if none was given: an empty one would mean that it is no resource server
    stored: { type: [String], default: undefined },
    findProblems: resourceProblems,
    flag: {
      flags: '--resources <urls...>',
      description: 'the resource servers that it is: it is told about tokens for these only',
    },
    printed: { label: 'resources', format: joined },
  }),
  /** Seconds that its access tokens are valid. Default: `lifetimes.accessToken`. */
  accessTokenTtl: field<number>({
    shape: number,
    stored: { type: Number },
    findProblems: lifetimeProblems('accessTokenTtl'),
  }),
  /** Seconds that its refresh tokens can stay unused. Default: `lifetimes.refreshToken`. */
  refreshTokenTtl: field<number>({
    shape: number,
    stored: { type: Number },
    findProblems: lifetimeProblems('refreshTokenTtl'),
  }),
  /**
   * `rotate` replaces its refresh token at each use. `keep` does not, and needs a confidential client or
   * `dpopBoundAccessTokens`. Default: `rotate`. (RFC 9700 §4.14.2)
   */
  refreshTokens: field<'rotate' | 'keep'>({
    shape: textSchema,
    stored: { type: String },
    findProblems: refreshTokenProblems,
    flag: {
      flags: '--refresh-tokens <way>',
      description: 'whether each use replaces its refresh token, or it keeps it',
      choices: REFRESH_TOKENS,
    },
    printed: { label: 'refresh tokens' },
  }),
  /** Access tokens that it may get in an hour; beyond that the answer is 429. Default: no cap. */
  tokensPerHour: capRow('tokensPerHour', {
    flag: 'tokens-per-hour',
    description: 'how many access tokens it may get in an hour',
    label: 'tokens per hour',
  }),
  /** Live grants that it may have, for all users together; beyond that it gets `access_denied`. Default: no cap. */
  maxGrants: capRow('maxGrants', {
    flag: 'max-grants',
    description: 'how many of its grants may be live at once',
    label: 'grants at once',
  }),
};

/** Whom it belongs to, and what it is held to. */
const ownerRows = {
  /**
   * `fapi2` or `fapi2-message-signing`: the profile of FAPI 2.0 that this client is held to. Default: that of the
   * option `profile`.
   */
  profile: field<Profile>({
    shape: textSchema,
    stored: { type: String },
    findProblems: profileProblems,
    flag: {
      flags: '--profile <profile>',
      description: 'the profile of FAPI 2.0 that it is held to',
      choices: PROFILES,
    },
    printed: { label: 'profile' },
  }),
  /** The user who registered it or took it over. */
  ownerId: field<string>({
    shape: textSchema,
    stored: { type: String },
    requiresReapproval: true,
    flag: {
      flags: '--owner <user>',
      description: 'the user who may change it on the applications page',
      isCreateOnly: true,
    },
    printed: { label: 'owner' },
    label: 'owners.title',
  }),
  /** Other users with the same rights, at most 19. Default: none. */
  coOwnerIds: field<readonly string[]>({
    shape: listSchema,
    // no list if there are none: only clients with one are in an index
    stored: { type: [String], default: undefined },
    requiresReapproval: 'if-extended',
    findProblems: coOwnerProblems,
    printed: { label: 'other owners', format: joined },
    label: 'owners.title',
  }),
};

declare module './client.js' {
  interface ClientMetadata extends MetadataOf<typeof clientFieldRows>, MetadataOf<typeof ownerRows> {}
}

export const CLIENT_FIELDS: readonly ClientField[] = [
  clientFieldRows,
  aboutRows,
  authenticationRows,
  ownerRows,
].flatMap(fieldsOf);

function capRow(
  name: Parameters<typeof capProblems>[0],
  { flag: flagName, description, label }: Readonly<Record<'flag' | 'description' | 'label', string>>,
): FieldRow<number> {
  return {
    shape: number,
    stored: { type: Number },
    findProblems: capProblems(name),
    flag: {
      flags: `--${flagName} <number>`,
      description,
      isNumber: true,
      negated: { flags: `--no-${flagName}`, description: 'takes that back' },
    },
    printed: {
      label,
      format: (cap: number | undefined) => (cap === undefined ? undefined : `at most ${cap}`),
    },
  };
}
