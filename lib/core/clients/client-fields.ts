import { z } from 'zod';

import { PROFILES } from '../../settings/features/profile-options.js';
import { lazy } from '../../shared/lazy.js';
import type { ClientMetadata, RegistrationDetails } from './client.js';
import type { ClientField, FieldRows } from './client-field.js';
import { lifetimeProblems } from './client-lifetimes.js';
import { coOwnerProblems } from './client-owners.js';
import { descriptionProblems, isAtOwnHost, pageProblems } from './validation/about-checks.js';
import { AUTHENTICATION_ROWS } from './validation/authentication-fields.js';
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
  flagSchema,
  listSchema,
  number,
  page,
  shortList,
  shortText,
  textSchema,
} from './validation/schemas.js';

/** Fields whose rows are with their feature. */
type FieldOfFeatures =
  | 'requirePushedAuthorizationRequests'
  | 'authorizationSignedResponseAlg'
  | `authorizationEncryptedResponse${string}`
  | 'requireSignedRequestObject'
  | `requestObject${string}`
  | 'requestUris'
  | 'postLogoutRedirectUris'
  | `${'backchannel' | 'frontchannel'}Logout${string}`
  | 'dpopBoundAccessTokens'
  | 'mayExchange'
  | 'mayAct'
  | 'spiffeId'
  | 'authorizationDetailsTypes'
  | `idToken${string}`
  | `userinfo${string}`
  | 'defaultAcrValues'
  | 'applicationType'
  | 'subjectType'
  | 'sectorIdentifierUri'
  | 'initiateLoginUri'
  | 'defaultMaxAge'
  | 'requireAuthTime'
  | 'pkce'
  | `tlsClient${string}`;

const joined = (values: readonly string[] | undefined) => values?.join(' ');
const joinedOrDash = (values: readonly string[]) => values.join(' ') || '-';

/**
 * What a client is registered with, a row for each field. Registration (RFC 7591), the registry, the Mongoose schema,
 * the command line, the pages and the doctor read it, so a new field is one row, with its type in `ClientMetadata`.
 */
export const CLIENT_FIELDS: readonly ClientField[] = rowsOf<Omit<ClientMetadata, FieldOfFeatures>>({
  name: {
    shape: textSchema,
    stored: { type: String, required: true },
    requiresReapproval: true,
    findProblems: nameProblems,
    wire: { name: 'client_name' },
    isOwners: true,
    flag: { flags: '--name <name>', description: 'as the consent page shows it', isRequired: true },
    printed: { label: 'name' },
  },
  type: {
    shape: textSchema,
    stored: { type: String, enum: ['confidential', 'public'], required: true },
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
  },
  redirectUris: {
    shape: listSchema,
    stored: { type: [String], required: true },
    requiresReapproval: true,
    default: () => [],
    findProblems: redirectUriProblems,
    wire: { name: 'redirect_uris' },
    isOwners: true,
    flag: { flags: '--redirect-uri <uri...>', description: 'where codes may go' },
    printed: { label: 'redirect URIs', format: joinedOrDash },
  },
  scopes: {
    shape: listSchema,
    stored: { type: [String], required: true },
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
  },
  grantTypes: {
    shape: listSchema,
    stored: { type: [String], required: true },
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
  },
  responseTypes: {
    shape: listSchema,
    stored: { type: [String], default: undefined },
    requiresReapproval: true,
  },
  trusted: {
    shape: flagSchema,
    stored: { type: Boolean, required: true },
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
  },
  introspection: {
    shape: flagSchema,
    stored: { type: Boolean },
    grantsTrust: true,
    flag: { flags: '--introspection', description: 'a resource server that may ask about tokens' },
    printed: { label: 'introspection', format: (may: boolean | undefined) => (may ? 'yes' : undefined) },
  },
  verified: {
    shape: flagSchema,
    stored: { type: Boolean },
    grantsTrust: true,
    flag: {
      flags: '--verified',
      description: 'you have checked who is behind it, and the consent page says so',
      negated: { flags: '--no-verified', description: 'takes that back' },
    },
  },
  resources: {
    shape: listSchema,
    // no list if none was given: an empty one would mean that it is no resource server
    stored: { type: [String], default: undefined },
    findProblems: resourceProblems,
    flag: {
      flags: '--resources <urls...>',
      description: 'the resource servers that it is: it is told about tokens for these only',
    },
    printed: { label: 'resources', format: joined },
  },
  accessTokenTtl: {
    shape: number,
    stored: { type: Number },
    findProblems: lifetimeProblems('accessTokenTtl'),
  },
  refreshTokenTtl: {
    shape: number,
    stored: { type: Number },
    findProblems: lifetimeProblems('refreshTokenTtl'),
  },
  refreshTokens: {
    shape: textSchema,
    stored: { type: String },
    findProblems: refreshTokenProblems,
    flag: {
      flags: '--refresh-tokens <way>',
      description: 'whether each use replaces its refresh token, or it keeps it',
      choices: REFRESH_TOKENS,
    },
    printed: { label: 'refresh tokens' },
  },
  tokensPerHour: capRow('tokensPerHour', {
    flag: 'tokens-per-hour',
    description: 'how many access tokens it may get in an hour',
    label: 'tokens per hour',
  }),
  maxGrants: capRow('maxGrants', {
    flag: 'max-grants',
    description: 'how many of its grants may be live at once',
    label: 'grants at once',
  }),
  description: {
    shape: textSchema,
    stored: { type: String },
    requiresReapproval: 'if-extended',
    findProblems: descriptionProblems,
    isOwners: true,
    flag: { flags: '--description <text>', description: 'what it is for, in a sentence' },
    printed: { label: 'description' },
  },
  clientUri: pageRow('clientUri', { flags: '--client-uri <url>', label: 'home page' }),
  logoUri: pageRow('logoUri', { flags: '--logo-uri <url>', label: 'logo' }),
  policyUri: pageRow('policyUri', { flags: '--policy-uri <url>', label: 'privacy policy' }),
  tosUri: pageRow('tosUri', { flags: '--tos-uri <url>', label: 'terms of service' }),
  ...AUTHENTICATION_ROWS,
  profile: {
    shape: textSchema,
    stored: { type: String },
    findProblems: profileProblems,
    flag: {
      flags: '--profile <profile>',
      description: 'the profile of FAPI 2.0 that it is held to',
      choices: PROFILES,
    },
    printed: { label: 'profile' },
  },
  ownerId: {
    shape: textSchema,
    stored: { type: String },
    requiresReapproval: true,
    flag: {
      flags: '--owner <user>',
      description: 'the user who may change it on the applications page',
      isCreateOnly: true,
    },
    printed: { label: 'owner' },
  },
  coOwnerIds: {
    shape: listSchema,
    // no list if there are none: only clients with one are in an index
    stored: { type: [String], default: undefined },
    requiresReapproval: 'if-extended',
    findProblems: coOwnerProblems,
    printed: { label: 'other owners', format: joined },
  },
});

/** What a client says about itself when it registers. It is kept below `registration.details`, and given back to it. */
export const DETAIL_FIELDS: readonly ClientField[] = rowsOf<RegistrationDetails>({
  clientUri: { shape: page, stored: { type: String }, wire: { name: 'client_uri' } },
  logoUri: { shape: page, stored: { type: String }, wire: { name: 'logo_uri' } },
  tosUri: { shape: page, stored: { type: String }, wire: { name: 'tos_uri' } },
  policyUri: { shape: page, stored: { type: String }, wire: { name: 'policy_uri' } },
  contacts: {
    shape: lazy(() => z.array(shortText(), 'must be a list of text').max(10, 'has more than 10 entries')),
    stored: { type: [String], default: undefined },
    wire: { name: 'contacts' },
  },
  softwareId: { shape: shortText, stored: { type: String }, wire: { name: 'software_id' } },
  softwareVersion: { shape: shortText, stored: { type: String }, wire: { name: 'software_version' } },
});

/** A client that registers itself gives these among its details, below. */
function capRow(
  name: Parameters<typeof capProblems>[0],
  { flag: flagName, description, label }: Readonly<Record<'flag' | 'description' | 'label', string>>,
): Omit<ClientField, 'name'> {
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

function pageRow(
  name: Parameters<typeof pageProblems>[0],
  { flags, label }: { readonly flags: string; readonly label: string },
): Omit<ClientField, 'name'> {
  return {
    shape: textSchema,
    stored: { type: String },
    requiresReapproval: 'if-extended',
    // at the host of a redirect URI it is shown whoever has looked at it
    reviewedValue: (client) => (isAtOwnHost(client, client[name]) ? undefined : client[name]),
    findProblems: pageProblems(name),
    isOwners: true,
    flag: { flags, description: `where its ${label} is, an https: URL` },
    printed: { label },
  };
}

function rowsOf<Of>(rows: FieldRows<Of>): readonly ClientField[] {
  return Object.entries<Omit<ClientField, 'name'>>(rows).map(([name, row]) => ({ name, ...row }));
}
