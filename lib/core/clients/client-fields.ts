import { type Profile, PROFILES } from '../../settings/options/profile-options.js';
import { lazy } from '../../shared/lazy.js';
import * as z from '../../shared/schema.js';
import type { ClientMetadata, ClientType, PublicJwks, RegistrationDetails } from './client.js';
import {
  authSigningAlgProblem,
  coOwnerProblem,
  descriptionProblem,
  grantTypeProblem,
  jwksProblem,
  jwksUriProblem,
  methodProblem,
  nameProblem,
  profileProblems,
  publisherProblem,
  redirectUriProblems,
  refreshTokenProblem,
  resourceProblem,
  scopeProblem,
  typeProblem,
} from './client-checks.js';
import {
  field,
  type FieldRow,
  fieldsOf,
  flagClientField,
  listClientField,
  type MetadataOf,
  numberClientField,
  requiredField,
  textClientField,
  valueOf,
} from './client-field.js';
import { findPageUriProblem } from './page-uri.js';
import { parsePublicJwks } from './public-jwks.js';
import {
  anything,
  flagSchema,
  keySet,
  listSchema,
  page,
  shortList,
  shortText,
  textSchema,
} from './validation/schemas.js';

/** Ten years in seconds: a larger value has the wrong unit. */
const MAX_TTL = 315_360_000;

const joinedOrDash = (values: readonly string[]) => values.join(' ') || '-';

/**
 * The registered fields of a client, a row for each. Registration (RFC 7591), the registry, the Mongoose schema, the
 * command line, the pages, the doctor and the type `ClientMetadata` read the rows, so a new field is one row.
 */
const clientFieldRows = {
  /** The name on the consent page, at most 100 characters. */
  name: requiredField<string>({
    shape: textSchema,
    stored: { type: String },
    requiresReapproval: true,
    findProblems: nameProblem,
    wire: { name: 'client_name' },
    isOwners: true,
    flag: { flags: '--name <name>', description: 'as the consent page shows it', isRequired: true },
    printed: { label: 'name' },
    label: 'form.name',
  }),
  /** `confidential`, or `public` if it cannot keep a secret. Default: `confidential`. */
  type: requiredField<ClientType>({
    shape: lazy(() => z.string('must be confidential or public')),
    stored: { type: String, enum: ['confidential', 'public'] },
    // RFC 6749 §2.3.1: a client may omit an empty secret, so the secret proves nothing
    default: ({ tokenEndpointAuthMethod, clientSecret }) =>
      tokenEndpointAuthMethod === 'none' || clientSecret === '' ? 'public' : 'confidential',
    findProblems: typeProblem,
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
  /** The scopes that the client may request. Default: `defaultScopes` of the server, or all. */
  scopes: requiredField<readonly string[]>({
    shape: listSchema,
    stored: { type: [String] },
    requiresReapproval: 'if-extended',
    default: (_given, { defaultScopes }) => defaultScopes,
    findProblems: scopeProblem,
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
  /** The grant types by which the client may get tokens. Default: `authorization_code` and `refresh_token`. */
  grantTypes: requiredField<readonly string[]>({
    shape: listSchema,
    stored: { type: [String] },
    requiresReapproval: 'if-extended',
    default: (_given, { limits }) =>
      ['authorization_code', 'refresh_token'].filter((grantType) => limits.grantTypes.includes(grantType)),
    findProblems: grantTypeProblem,
    wire: { name: 'grant_types', shape: shortList },
    isOwners: true,
    flag: {
      flags: '--grant-types <grant types...>',
      description: 'such as authorization_code refresh_token',
      isList: true,
    },
    printed: { label: 'grant types' },
    label: 'application.getsAccessBy',
  }),
  /**
   * The response types that the client may use. With `openid.responseTypes`, a client that registers itself gets only
   * the types in its request. Default: all.
   */
  responseTypes: listClientField({ requiresReapproval: true }),
  /**
   * A first-party client that you vouch for: its users see the consent page only for devices, public clients on the
   * device, `prompt=consent`, `offline_access` and choices. Default: `false`.
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
  introspection: flagClientField({
    grantsTrust: true,
    flag: { flags: '--introspection', description: 'a resource server that may ask about tokens' },
    printed: { label: 'introspection' },
  }),
  /** You have checked who is behind the client, and the consent page says so. Default: `false`. */
  verified: flagClientField({
    grantsTrust: true,
    flag: {
      flags: '--verified',
      description: 'you have checked who is behind it, and the consent page says so',
      negated: { flags: '--no-verified', description: 'takes that back' },
    },
  }),
  /**
   * The URLs at which this client is a resource server. Introspection answers only about tokens for these. Default:
   * none, introspection answers about all tokens. (RFC 7662 §4, RFC 8707)
   */
  resources: listClientField({
    findProblems: resourceProblem,
    flag: {
      flags: '--resources <urls...>',
      description: 'the resource servers that it is: it is told about tokens for these only',
    },
    printed: { label: 'resources' },
  }),
  /** Seconds that the client's access tokens are valid. Default: `lifetimes.accessToken`. */
  accessTokenTtl: lifetimeRow('accessTokenTtl'),
  /** Seconds that the client's refresh tokens can stay unused. Default: `lifetimes.refreshToken`. */
  refreshTokenTtl: lifetimeRow('refreshTokenTtl'),
  /**
   * `rotate` replaces the refresh token at each use. `keep` does not, and needs a confidential client or
   * `dpopBoundAccessTokens`. Default: `rotate`. (RFC 9700 §4.14.2)
   */
  refreshTokens: textClientField<'rotate' | 'keep'>({
    findProblems: refreshTokenProblem,
    flag: {
      flags: '--refresh-tokens <way>',
      description: 'whether each use replaces its refresh token, or it keeps it',
      choices: ['rotate', 'keep'],
    },
    printed: { label: 'refresh tokens' },
  }),
  /** Access tokens that the client may get in an hour; beyond that the answer is 429. Default: no cap. */
  tokensPerHour: numberClientField({
    // to refuse a client all tokens, block it
    findProblems: ({ tokensPerHour: cap }: ClientMetadata): string | undefined =>
      cap === undefined || (Number.isSafeInteger(cap) && cap > 0)
        ? undefined
        : 'The cap tokensPerHour is a whole number from 1 on; block a client to give it none.',
    flag: {
      flags: '--tokens-per-hour <number>',
      description: 'how many access tokens it may get in an hour',
      isNumber: true,
      negated: { flags: '--no-tokens-per-hour', description: 'takes that back' },
    },
    printed: {
      label: 'tokens per hour',
      format: (cap: number | undefined) => (cap === undefined ? undefined : `at most ${cap}`),
    },
  }),
  /** The value of `security.pkce` for this client alone. Default: the option `security.pkce`. */
  pkce: textClientField<'public' | 'all' | 'optional'>({
    shape: lazy(() => z.picklist(['public', 'all', 'optional'], "must be 'public', 'all' or 'optional'")),
    // a client that set this field itself would remove the protection of its users
    grantsTrust: true,
    flag: {
      flags: '--pkce <who>',
      description: 'who must send a PKCE challenge, for this client alone: optional for an old one',
      choices: ['public', 'all', 'optional'],
    },
    printed: { label: 'PKCE' },
  }),

  /**
   * `false` for a client that fails if it gets fewer scopes than it requested: its users allow all requested scopes, or
   * none. Only your code and command line set it: a choice less for users is your decision. Default: `true`, users can
   * leave out each scope that is not `optional: false`. (RFC 6749 §3.3)
   */
  granularConsent: flagClientField({
    flag: {
      flags: '--granular-consent',
      description: 'its users can leave out single scopes, which is the default',
      negated: {
        flags: '--no-granular-consent',
        description: 'its users allow all that it asks for, or nothing',
      },
    },
    printed: {
      label: 'granular consent',
      format: (isGranular: boolean | undefined) => (isGranular === false ? 'no, all or nothing' : undefined),
    },
  }),

  // What users learn about a client. A client that registers itself sends these fields among its details, below.

  /** What the client is for, at most 200 characters. The consent page shows it for a verified client. */
  description: textClientField({
    requiresReapproval: 'if-extended',
    findProblems: descriptionProblem,
    isOwners: true,
    flag: { flags: '--description <text>', description: 'what it is for, in a sentence' },
    printed: { label: 'description' },
    label: 'form.description',
    meaning: 'form.descriptionMeaning',
    input: 'paragraph',
  }),
  /** The organization behind a verified client, at most 100 characters: pages say “Published by …”. Default: none. */
  publisher: textClientField({
    findProblems: publisherProblem,
    flag: {
      flags: '--publisher <name>',
      description: 'who stands behind it, as you have found out: with --verified, and the pages say so',
      negated: { flags: '--no-publisher', description: 'takes that back' },
    },
    printed: { label: 'published by' },
    label: 'application.publisher',
  }),
  /**
   * The client's home page: an https: URL, or http: on loopback. The consent page links to it for a verified client, or
   * if the redirect URI of the request has that host. (RFC 7591 §2, §5)
   */
  clientUri: pageRow('clientUri', 'home page', {
    label: 'consent.clientUri',
    meaning: 'form.pageMeaning',
    example: 'https://app.example/',
  }),
  /**
   * The client's logo: a URL as `clientUri`, displayed under the same condition. The server fetches it once and serves
   * it itself: PNG, JPEG, GIF, WebP or SVG, at most 128 KiB.
   */
  logoUri: pageRow('logoUri', 'logo', {
    label: 'form.logoUri',
    meaning: 'form.logoUriMeaning',
    example: 'https://app.example/logo.png',
  }),
  /** The client's privacy policy, as `clientUri`. */
  policyUri: pageRow('policyUri', 'privacy policy', {
    label: 'consent.policyUri',
    meaning: 'form.pageMeaning',
    example: 'https://app.example/privacy',
  }),
  /** The client's terms of service, as `clientUri`. */
  tosUri: pageRow('tosUri', 'terms of service', {
    label: 'consent.tosUri',
    meaning: 'form.pageMeaning',
    example: 'https://app.example/terms',
  }),

  // How a client authenticates.

  /**
   * The only authentication method: client_secret_basic, client_secret_post, none, private_key_jwt or
   * client_secret_jwt; with `mutualTls` tls_client_auth or self_signed_tls_client_auth, with `spiffe` spiffe_jwt.
   * Default: the method for the client's keys, certificate, `spiffeId` or secret; `none` without any of these.
   */
  tokenEndpointAuthMethod: textClientField({
    requiresReapproval: true,
    implied: (client, fields) =>
      fields.find((each) => each.impliesMethod && valueOf(client, each) !== undefined)?.impliesMethod,
    findProblems: methodProblem,
    wire: { name: 'token_endpoint_auth_method' },
    isOwners: true,
    flag: {
      flags: '--token-endpoint-auth-method <method>',
      description: 'the one way it authenticates, such as private_key_jwt (default: its secret, or its keys)',
    },
    printed: { label: 'authenticates by' },
    label: 'application.authentication',
  }),
  /** The only algorithm of the client's assertions. Default: any that is supported. (OpenID Connect Registration §2) */
  tokenEndpointAuthSigningAlg: textClientField({
    findProblems: authSigningAlgProblem,
    wire: { name: 'token_endpoint_auth_signing_alg' },
    printed: { label: 'authenticates by JWTs signed by' },
  }),
  /** The client's public keys, or its certificates (`x5c`), by value. */
  jwks: field<PublicJwks>({
    shape: anything,
    stored: { type: Object },
    requiresReapproval: true,
    impliesMethod: 'private_key_jwt',
    findProblems: jwksProblem,
    // checked with every method; only the usable keys of the set are stored, and the response lists them
    wire: { name: 'jwks', shape: keySet, parse: parsePublicJwks },
    isOwners: true,
    flag: {
      flags: '--jwks <file>',
      description: 'a JSON file with its public keys (RFC 7517), by which it authenticates',
      isJsonFile: true,
    },
    printed: {
      label: 'keys',
      // a key need not have an id
      format: (jwks: PublicJwks | undefined) =>
        jwks?.keys.map(({ kid, kty }) => (typeof kid === 'string' ? kid : `one of ${kty}`)).join(', '),
    },
    label: 'application.keys',
  }),
  /** The URL of the client's public keys, instead of `jwks`. */
  jwksUri: textClientField({
    requiresReapproval: true,
    impliesMethod: 'private_key_jwt',
    findProblems: jwksUriProblem,
    // this server fetches the URL, so it must not be on this machine
    wire: {
      name: 'jwks_uri',
      shape: lazy(() => page().refine((uri) => uri.startsWith('https:'), 'must be an https: URL')),
    },
    isOwners: true,
    flag: { flags: '--jwks-uri <url>', description: 'where its public keys are, an https: URL' },
    printed: { label: 'keys at' },
    label: 'application.keys',
  }),

  // The owners of a client, and its profile.

  /**
   * `fapi2` or `fapi2-message-signing`: the profile of FAPI 2.0 that applies to this client. Default: that of the
   * option `profile`.
   */
  profile: textClientField<Profile>({
    findProblems: profileProblems,
    flag: {
      flags: '--profile <profile>',
      description: 'the profile of FAPI 2.0 that it is held to',
      choices: PROFILES,
    },
    printed: { label: 'profile' },
  }),
  /** The user who registered the client or took it over. */
  ownerId: textClientField({
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
  coOwnerIds: listClientField({
    requiresReapproval: 'if-extended',
    findProblems: coOwnerProblem,
    printed: { label: 'other owners' },
    label: 'owners.title',
  }),
};

declare module './client.js' {
  interface ClientMetadata extends MetadataOf<typeof clientFieldRows> {}
}

export const CLIENT_FIELDS = fieldsOf(clientFieldRows);

const detail = (name: string, shape = shortText) => textClientField({ shape, wire: { name } });

/** What a client says about itself when it registers. Stored below `registration.details`, returned to the client. */
export const DETAIL_FIELDS = fieldsOf({
  clientUri: detail('client_uri', page),
  logoUri: detail('logo_uri', page),
  tosUri: detail('tos_uri', page),
  policyUri: detail('policy_uri', page),
  contacts: listClientField({
    shape: lazy(() => z.array(shortText(), 'must be a list of text').max(10, 'has more than 10 entries')),
    wire: { name: 'contacts' },
  }),
  softwareId: detail('software_id'),
  softwareVersion: detail('software_version'),
} satisfies Record<keyof RegistrationDetails, FieldRow<unknown>>);

/** A page of a client, by one rule whatever sets it, so that the consent page can display it. */
function pageRow(
  name: 'clientUri' | 'logoUri' | 'policyUri' | 'tosUri',
  label: string,
  texts: Pick<FieldRow<string>, 'label' | 'meaning' | 'example'>,
): FieldRow<string> {
  return textClientField({
    requiresReapproval: 'if-extended',
    // a page at the host of a redirect URI is displayed without a review
    reviewedValue({ [name]: page, redirectUris }) {
      if (page === undefined || !URL.canParse(page)) return page;
      const { host } = new URL(page);
      return redirectUris.some((uri) => URL.canParse(uri) && new URL(uri).host === host) ? undefined : page;
    },
    findProblems({ [name]: uri }) {
      const wrong = uri === undefined ? undefined : findPageUriProblem(uri);
      return wrong && { problem: `The ${label}: ${wrong.text}.`, reason: wrong.reason, values: wrong.values };
    },
    isOwners: true,
    input: 'url',
    ...texts,
    flag: {
      flags: `--${name.replace('Uri', '-uri')} <url>`,
      description: `where its ${label} is, an https: URL`,
    },
    printed: { label },
  });
}

function lifetimeRow(name: 'accessTokenTtl' | 'refreshTokenTtl'): FieldRow<number> {
  return numberClientField({
    findProblems: ({ [name]: ttl }) =>
      ttl === undefined || (Number.isInteger(ttl) && ttl > 0 && ttl <= MAX_TTL)
        ? undefined
        : `The lifetime ${name} is a whole number of seconds from 1 to ${MAX_TTL}.`,
  });
}
