import { existsSync } from 'node:fs';

import { z } from 'zod';

import { isLoopbackHost } from '../protocol/redirect-uri.js';
import type { Resources } from '../protocol/resource.js';
import { isScopeToken } from '../protocol/scope.js';
import {
  type ClientAssertionOptions,
  clientAssertionsShape,
  type ClientKeysOptions,
  clientKeysShape,
  clientSecretKeyShape,
  DEFAULT_CLIENT_ASSERTIONS,
  DEFAULT_CLIENT_KEYS,
} from './client-authentication-options.js';
import { defaultUserId, defaultUserName } from './default-user.js';
import type { ExtensionGrantType } from './extension-grant-type.js';
import type {
  AuthorizationServerOptions,
  BuiltInGrantType,
  LoginOptions,
  RateLimitOptions,
  ScopeOptions,
} from './options.js';
import { pagesShape } from './page-options.js';
import { type RegistrationSettings, registrationShape, resolveRegistration } from './registration-options.js';
import { parseResourceOptions, resourcesShape } from './resource-options.js';
import { parseSigningKeyOptions, type SigningKeySettings, signingKeyShape } from './signing-key-options.js';

/** The options, checked and with their defaults. */
export interface Settings extends Omit<
  Required<AuthorizationServerOptions>,
  | Defaulted
  | 'authenticateUser'
  | 'additionalTokenParameters'
  | 'views'
  | 'defaultScopes'
  | 'onError'
  | 'refreshTokenMaxTtl'
  | 'audit'
  | 'telemetry'
> {
  readonly login: Required<LoginOptions>;
  readonly scopes: Readonly<Record<string, Required<ScopeOptions>>>;
  readonly grantTypes: readonly BuiltInGrantType[];
  readonly extensionGrantTypes: readonly ExtensionGrantType[];
  readonly rateLimits: Required<RateLimitOptions> | false;
  readonly clientAssertions: Required<ClientAssertionOptions>;
  readonly clientKeys: Required<ClientKeysOptions>;
  readonly clientSecretKey: readonly string[];
  readonly registration: RegistrationSettings | false;
  readonly defaultScopes: readonly string[] | undefined;
  readonly authenticateUser: AuthorizationServerOptions['authenticateUser'];
  readonly additionalTokenParameters: AuthorizationServerOptions['additionalTokenParameters'];
  readonly accessTokenClaims: AuthorizationServerOptions['accessTokenClaims'];
  readonly resources: Resources;
  readonly signingKeys: SigningKeySettings;
  readonly onError: AuthorizationServerOptions['onError'];
  readonly refreshTokenMaxTtl: number | undefined;
  readonly audit: AuthorizationServerOptions['audit'];
  readonly telemetry: AuthorizationServerOptions['telemetry'];
  readonly views: string | undefined;
  /** Path of the issuer, `''` where it has none. */
  readonly issuerPath: string;
}

type Defaulted =
  | 'login'
  | 'scopes'
  | 'grantTypes'
  | 'rateLimits'
  | 'clientAssertions'
  | 'clientKeys'
  | 'clientSecretKey'
  | 'registration'
  | 'resources'
  | 'signingKeys'
  | 'accessTokenClaims';

/** RFC 6749's own and RFC 8628's; `implicit` is one of the authorization endpoint alone (lib/response-types). */
const BUILT_IN_GRANT_TYPES: readonly BuiltInGrantType[] = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'implicit',
  'password',
  'urn:ietf:params:oauth:grant-type:device_code',
];
const DAY = 86_400;
const DEFAULT_RATE_LIMITS: Required<RateLimitOptions> = {
  token: 60,
  login: 10,
  applications: 30,
  registration: 10,
  device: 10,
  deviceAuthorization: 60,
};
const DEFAULTS = {
  basePath: '/oauth',
  defaultScopes: undefined,
  requirePkce: false,
  authorizationCodeTtl: 60,
  deviceCodeTtl: 600,
  accessTokenTtl: 3600,
  refreshTokenTtl: 30 * DAY,
  refreshTokenMaxTtl: undefined,
  reuseGrace: 0,
  secretOverlap: DAY,
  userId: defaultUserId,
  userName: defaultUserName,
  isDeveloper: () => true,
  isAdministrator: () => false,
  authenticateUser: undefined,
  additionalTokenParameters: undefined,
  accessTokenFormat: 'opaque' as const,
  accessTokenClaims: undefined,
  bearerMethods: ['header'] as const,
  views: undefined,
  pages: {},
  clientCacheTtl: 5,
  databaseTimeout: 5000,
  dangerouslyAllowInsecureHttp: false,
  onError: undefined,
  audit: undefined,
  telemetry: undefined,
};
const seconds = z
  .number('must be a number of seconds')
  .int('must be whole seconds')
  .positive('must be more than 0 seconds');
const path = z
  .string('must be a path such as /login')
  .regex(/^\/(?![/\\])[^?#\s\\]*$/, 'must be a path on this site that begins with one /, without query');
const optionalFunction = z
  .custom<never>((value) => typeof value === 'function', 'must be a function')
  .optional();
const description = z.string().min(1, 'needs a description that a person understands');
const limit = z.number('must be a number').int().positive();

const withMethod = (name: string) =>
  z
    .custom<never>(
      (value) => typeof (value as Record<string, unknown> | null | undefined)?.[name] === 'function',
      `must be one of @opentelemetry/api (it has no ${name})`,
    )
    .optional();

const extensionGrantType = z.strictObject({
  grantType: z.string(),
  parameters: z.array(z.string()),
  handle: z.custom<never>((value) => typeof value === 'function', 'must be a function'),
});

/** Made when a server is: importing the package makes none. */
const optionsShape = () =>
  z.strictObject({
    issuer: z.string('must be the public URL of this site, such as https://photos.example'),
    connection: z.custom<never>(
      (value) =>
        typeof (value as { model?: unknown } | null)?.model === 'function' &&
        typeof (value as { readyState?: unknown }).readyState === 'number',
      'must be a Mongoose connection: mongoose.connection, or what mongoose.createConnection() gives',
    ),
    scopes: z.record(
      z.string(),
      z.union(
        [
          description,
          z.strictObject({
            description: z.union([description, z.record(z.string(), description)]),
            optional: z.boolean().optional(),
          }),
        ],
        'needs a description that a person understands, or { description, optional }',
      ),
      'must be an object of scope and description',
    ),
    login: z.union(
      [path, z.strictObject({ path, returnParameter: z.string().min(1).optional() })],
      "must be the path of your login page, such as '/login'",
    ),
    // Express gives some characters of a path a meaning of their own
    basePath: z
      .string()
      .regex(/^(\/[A-Za-z0-9._~-]+)+$/, 'must be a path such as /oauth, of letters, digits and -._~')
      .optional(),
    grantTypes: z
      .array(
        z.union([z.string(), extensionGrantType], 'must be a name, or { grantType, parameters, handle }'),
      )
      .optional(),
    defaultScopes: z.array(z.string()).optional(),
    requirePkce: z.boolean().optional(),
    registration: registrationShape,
    authorizationCodeTtl: seconds.max(600, 'must be at most 600 seconds (RFC 6749 §4.1.2)').optional(),
    deviceCodeTtl: seconds.optional(),
    accessTokenTtl: seconds.optional(),
    refreshTokenTtl: seconds.optional(),
    refreshTokenMaxTtl: seconds.optional(),
    reuseGrace: z
      .number('must be a number of seconds')
      .int()
      .nonnegative()
      .max(600, 'must be at most 600 seconds: in this time a stolen refresh token works once more')
      .optional(),
    clientAssertions: clientAssertionsShape.optional(),
    clientKeys: clientKeysShape.optional(),
    clientSecretKey: clientSecretKeyShape.optional(),
    secretOverlap: z.number().int().nonnegative().optional(),
    userId: optionalFunction,
    userName: optionalFunction,
    isDeveloper: optionalFunction,
    isAdministrator: optionalFunction,
    authenticateUser: optionalFunction,
    additionalTokenParameters: optionalFunction,
    resources: resourcesShape,
    accessTokenFormat: z.enum(['opaque', 'jwt'], "must be 'opaque' or 'jwt'").optional(),
    accessTokenClaims: optionalFunction,
    signingKeys: signingKeyShape,
    bearerMethods: z
      .array(z.enum(['header', 'body', 'query']))
      .min(1)
      .optional(),
    views: z
      .string()
      .refine((value) => existsSync(value), 'must be a folder that exists')
      .optional(),
    siteName: z.string().min(1).optional(),
    pages: pagesShape.optional(),
    rateLimits: z
      .union([
        z.literal(false),
        z.strictObject({
          token: limit.optional(),
          login: limit.optional(),
          applications: limit.optional(),
          registration: limit.optional(),
          device: limit.optional(),
          deviceAuthorization: limit.optional(),
        }),
      ])
      .optional(),
    clientCacheTtl: z
      .number('must be a number of seconds')
      .int()
      .nonnegative()
      .max(60, 'must be at most 60 seconds: so long a deleted client may be taken for one that is there')
      .optional(),
    databaseTimeout: z.number('must be a number of milliseconds').int().positive().optional(),
    dangerouslyAllowInsecureHttp: z.boolean().optional(),
    onError: optionalFunction,
    audit: z.strictObject({ ttl: seconds }, 'must be { ttl: seconds that entries are kept }').optional(),
    telemetry: z
      .strictObject(
        { tracer: withMethod('startActiveSpan'), meter: withMethod('createHistogram') },
        'must be { tracer, meter }, as @opentelemetry/api gives them',
      )
      .optional(),
  });

/**
 * Checks the options and fills in the defaults.
 *
 * @throws TypeError that names the option, what is wrong with it and what to write instead
 */
export function parseSettings(options: AuthorizationServerOptions): Settings {
  checkShape(options);
  const issuer = parseIssuer(options);
  checkScopes(options);
  const { names, extensions } = splitGrantTypes(options);
  const given = withoutUndefined(options);
  return {
    ...DEFAULTS,
    ...given,
    scopes: Object.fromEntries(
      Object.entries(options.scopes).map(([scope, given]) => [
        scope,
        { optional: true, ...(typeof given === 'string' ? { description: given } : given) },
      ]),
    ),
    siteName: options.siteName ?? issuer.host,
    issuerPath: issuer.pathname === '/' ? '' : issuer.pathname,
    login: {
      returnParameter: 'return_to',
      ...(typeof options.login === 'string' ? { path: options.login } : options.login),
    },
    grantTypes: names,
    extensionGrantTypes: extensions,
    clientAssertions: { ...DEFAULT_CLIENT_ASSERTIONS, ...options.clientAssertions },
    clientKeys: { ...DEFAULT_CLIENT_KEYS, ...options.clientKeys },
    clientSecretKey: [options.clientSecretKey ?? []].flat(),
    registration: resolveRegistration(options.registration, {
      grantTypes: [...names, ...extensions.map(({ grantType }) => grantType)],
      scopes: Object.keys(options.scopes),
    }),
    resources: parseResourceOptions(options),
    signingKeys: parseSigningKeyOptions(options.signingKeys),
    rateLimits: options.rateLimits === false ? false : { ...DEFAULT_RATE_LIMITS, ...options.rateLimits },
  };
}

/** `{ accessTokenTtl: undefined }` means the default, as if it were left out. */
function withoutUndefined(options: AuthorizationServerOptions): AuthorizationServerOptions {
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as unknown as AuthorizationServerOptions;
}

function checkShape(options: AuthorizationServerOptions): void {
  const shape = optionsShape();
  const result = shape.safeParse(options ?? {});
  if (result.success) return;
  const [issue] = result.error.issues;
  if (issue?.code === 'unrecognized_keys')
    throw new TypeError(
      unknownOptionText(issue.keys[0] ?? '', issue.path.join('.'), Object.keys(shape.shape)),
    );
  throw mistake(issue?.path.join('.') ?? '', issue?.message ?? 'is not valid');
}

function unknownOptionText(name: string, inside: string, known: readonly string[]): string {
  if (inside !== '') return `authorizationServer: the option ${inside} has an unknown member '${name}'`;
  const letters = (text: string) =>
    text
      .toLowerCase()
      .replace(/[^a-z]/g, '')
      .replace(/s$/, '');
  const near = known.find(
    (candidate) =>
      letters(candidate) === letters(name) ||
      letters(candidate).includes(letters(name)) ||
      letters(name).includes(letters(candidate)),
  );
  return `authorizationServer: there is no option '${name}'${near === undefined ? `; there are ${known.join(', ')}` : `; did you mean '${near}'?`}`;
}

function parseIssuer(options: AuthorizationServerOptions): URL {
  const { issuer, dangerouslyAllowInsecureHttp } = options;
  if (!URL.canParse(issuer))
    throw mistake(
      'issuer',
      `'${issuer}' is not a URL; write the public URL of this site, such as https://photos.example`,
    );
  const url = new URL(issuer);
  // RFC 8414 §2: no query or fragment; clients compare it as text (RFC 9207 §2.4), so there is one way to write it
  const canonical = `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  if (url.protocol.startsWith('http') && issuer !== canonical) {
    throw mistake(
      'issuer',
      `write '${canonical}': no query, fragment, user name or / at its end, lower case, no default port`,
    );
  }
  if (url.protocol === 'https:') return url;
  if (url.protocol !== 'http:') throw mistake('issuer', 'must be an https: URL');
  if (!isLoopbackHost(url.hostname) && dangerouslyAllowInsecureHttp !== true) {
    throw mistake(
      'issuer',
      `'${issuer}' sends tokens without TLS; write https:, or dangerouslyAllowInsecureHttp: true if you must`,
    );
  }
  return url;
}

function checkScopes({ scopes, defaultScopes = [] }: AuthorizationServerOptions): void {
  const malformed = Object.keys(scopes).find((scope) => !isScopeToken(scope));
  if (malformed !== undefined)
    throw mistake(
      'scopes',
      `'${malformed}' is not a scope: printable ASCII without space, " and \\ (RFC 6749 §3.3)`,
    );
  const unknown = defaultScopes.find((scope) => !Object.hasOwn(scopes, scope));
  if (unknown !== undefined) throw mistake('defaultScopes', `'${unknown}' is not among scopes`);
}

function splitGrantTypes(options: AuthorizationServerOptions): {
  names: BuiltInGrantType[];
  extensions: ExtensionGrantType[];
} {
  const given = options.grantTypes ?? ['authorization_code', 'refresh_token', 'client_credentials'];
  const names = given.filter((entry) => typeof entry === 'string');
  const extensions = given.filter((entry) => typeof entry !== 'string');
  const unknown = names.find((name) => !BUILT_IN_GRANT_TYPES.includes(name));
  if (unknown !== undefined) {
    throw mistake(
      'grantTypes',
      `'${String(unknown)}' is unknown; there are ${BUILT_IN_GRANT_TYPES.join(', ')}, and your own as { grantType, parameters, handle }`,
    );
  }
  const all = [...names, ...extensions.map((extension) => extension.grantType)];
  const repeated = all.find((name, index) => all.indexOf(name) !== index);
  if (repeated !== undefined) throw mistake('grantTypes', `'${repeated}' is named twice`);
  checkExtensions(extensions);
  if (names.includes('password') && options.authenticateUser === undefined) {
    throw mistake(
      'authenticateUser',
      'is needed by the password grant: write authenticateUser: async (username, password) => userId or null',
    );
  }
  return { names, extensions };
}

function checkExtensions(extensions: readonly ExtensionGrantType[]): void {
  for (const { grantType } of extensions) {
    // RFC 6749 §4.5, Appendix A.10: an absolute URI, or a name of ALPHA / DIGIT / "-" / "." / "_"
    if (!/^[A-Za-z0-9._-]+$/.test(grantType) && !URL.canParse(grantType)) {
      throw mistake(
        'grantTypes',
        `'${grantType}' is neither an absolute URI nor a name of letters, digits, - . _`,
      );
    }
    if ((BUILT_IN_GRANT_TYPES as readonly string[]).includes(grantType))
      throw mistake('grantTypes', `'${grantType}' is built in and cannot be replaced`);
  }
}

function mistake(option: string, text: string): TypeError {
  return new TypeError(`authorizationServer: the option ${option === '' ? 'object' : option}: ${text}`);
}
