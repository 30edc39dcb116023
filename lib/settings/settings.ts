import type { SigningAlgorithm } from '../shared/crypto/key-material.js';
import { isLoopbackHost } from '../shared/protocol/redirect-uri.js';
import { mountOf } from './endpoint-urls.js';
import { checkAgentOptions, withAgents } from './features/agent-options.js';
import { checkAssertions } from './features/assertion-options.js';
import { idTokenAlgorithms, openidScopesBeside, withOpenidScopes } from './features/openid-options.js';
import {
  checkProfileOptions,
  findProfileLack,
  type Profile,
  withProfile,
} from './features/profile-options.js';
import { checkSharedSignals, SIGNAL_ALGORITHM } from './features/shared-signals-options.js';
import { checkSpiffe } from './features/spiffe-options.js';
import { resolveUserAuthentication, type UserAuthenticationSettings } from './features/step-up-options.js';
import { checkTokenExchange } from './features/token-exchange-options.js';
import { splitGrantTypes } from './grant-type-names.js';
import { authorizationServerOptions, type ServerOptions } from './options.js';
import type { ExtensionGrantType } from './options/extension-grant-type.js';
import { resolveScopeSettings, type ScopesSettings } from './options/scopes.js';
import { resolveServerSecret } from './server-secret.js';
import { type ResolvedSettingsOf, resolveOptions, type SettingsOf } from './table/option.js';
import type { KeyNeeds, OptionContext } from './table/option-context.js';
import { parseWith, serverOptionError, suggest } from './table/parse-options.js';
import { collectProblems } from './table/problems.js';
import type { Registry } from './table/registry.js';

type Parsed = SettingsOf<typeof authorizationServerOptions>;

/** The options, checked, with their defaults, and with what follows from them. */
export interface Settings
  extends ScopesSettings, Omit<ResolvedSettingsOf<typeof authorizationServerOptions>, 'scopes'> {
  readonly extensionGrantTypes: readonly ExtensionGrantType[];
  /** Whether and how the logins of users are known; false: nothing needs to know. */
  readonly userAuthentication: UserAuthenticationSettings | false;
  /** Scopes that nobody gets without asking for them by name. */
  readonly scopesByName: readonly string[];
  /** What addresses and nonces of this server are signed with; the same in every process. */
  readonly serverSecret: string;
  /** Why clients cannot be held to a profile of FAPI with the options as they are. */
  readonly findProfileLack: (profile: Profile) => string | undefined;
  /** Path of the issuer, `''` if it has none. */
  readonly issuerPath: string;
}

/**
 * Checks the options, each by itself and how they go together, and fills in the defaults.
 *
 * @throws TypeError with a line for each option that is wrong: what is wrong with it and what to write instead
 */
export function parseSettings(options: ServerOptions, known: Registry): Settings {
  return collectProblems((problems) => {
    checkAgentOptions(problems, options);
    const given = parseWith(
      problems,
      'authorizationServer',
      authorizationServerOptions,
      withProfile(withAgents(options)),
    );
    problems.attempt(() => parseIssuer(given));
    problems.attempt(() => checkPaths(given, known));
    problems.attempt(() => known.checkPages(given.pages));
    const whole = problems.members({
      issuer: () => (URL.canParse(given.issuer) ? new URL(given.issuer) : parseIssuer(given)),
      scopesSettings: () => resolveScopeSettings(withOpenidScopes(given.scopes, given.openid)),
      grantTypes: () => splitGrantTypes(given, known),
      userAuthentication: () => resolveUserAuthentication(given),
    });
    const context = problems.members<OptionContext>({
      problems: () => problems,
      issuer: () => whole.issuer,
      allowsInsecureHttp: () => given.security.dangerouslyAllowInsecureHttp,
      siteName: () => given.siteName ?? whole.issuer.host,
      scopes: () => whole.scopesSettings.scopes,
      impliedScopes: () => whole.scopesSettings.impliedScopes,
      describedScopes: () => Object.keys(given.scopes),
      apiScopes: () => apiScopesOf(given, whole.scopesSettings.scopes),
      builtInGrantTypes: () => whole.grantTypes.names,
      grantTypes: () => [
        ...whole.grantTypes.names,
        ...whole.grantTypes.extensions.map(({ grantType }) => grantType),
      ],
      accessTokenFormat: () => given.tokens.accessTokenFormat,
      keyNeeds: () => keyNeedsOf(given),
      keyBoundBy: () => keyBindingOption(given),
    });
    const settings = resolveOptions(authorizationServerOptions, given, context);
    problems.attempt(() => checkProfileOptions(problems, given.profile, settings));
    const siteOf = () => ({ issuer: given.issuer, scopes: context.scopes });
    problems.attempt(() => checkSharedSignals(given.sharedSignals, siteOf()));
    problems.attempt(() => checkAssertions(given.assertions, { ...siteOf(), spiffe: given.spiffe }));
    problems.attempt(() => checkSpiffe(given.spiffe));
    problems.attempt(() =>
      checkTokenExchange(given.tokenExchange, { ...siteOf(), resources: settings.resources }),
    );
    const derived = problems.members({
      serverSecret: () =>
        resolveServerSecret({
          signingKeys: settings.signingKeys,
          clientSecretKeys: settings.clientAuthentication.secretKey,
          issuer: whole.issuer,
          neededBy: optionWithSecret(given),
        }),
    });
    problems.throwAll();
    if (Object.keys(context.scopes).length === 0) warnOfNoScopes();
    return {
      ...settings,
      ...whole.scopesSettings,
      findProfileLack: (of) => findProfileLack(of, settings),
      issuerPath: whole.issuer.pathname === '/' ? '' : whole.issuer.pathname,
      extensionGrantTypes: whole.grantTypes.extensions,
      userAuthentication: whole.userAuthentication,
      scopesByName: given.openid === false ? [] : openidScopesBeside(given.scopes),
      ...derived,
    };
  });
}

/** Which options need signing keys. */
function keyNeedsOf(given: Parsed): KeyNeeds {
  const neededBy = optionWithKeys(given);
  const formats = Object.values(given.resources).map(({ accessTokenFormat }) => accessTokenFormat);
  return {
    neededBy,
    alsoAlgorithms: algorithmsBeside(given),
    encryption: given.signedRequests !== false && given.signedRequests.encryption,
    issuesJwts: neededBy !== undefined || [given.tokens.accessTokenFormat, ...formats].includes('jwt'),
  };
}

/** The option that signs something other than access tokens, or needs a key, made here, to encrypt requests to. */
function optionWithKeys({
  openid,
  signedResponses,
  signedRequests,
  sharedSignals,
}: Parsed): string | undefined {
  if (openid !== false) return 'openid';
  if (sharedSignals !== false && sharedSignals.transmitter !== false) return 'sharedSignals.transmitter';
  if (signedResponses) return 'signedResponses';
  const encryption = signedRequests !== false && signedRequests.encryption;
  return encryption !== false && encryption.keys === undefined ? 'signedRequests.encryption' : undefined;
}

/** The algorithms that have keys beside the default one. */
function algorithmsBeside({ openid, profile, sharedSignals }: Parsed): readonly SigningAlgorithm[] {
  const ofIdTokens = idTokenAlgorithms(openid, profile);
  const isTransmitter = sharedSignals !== false && sharedSignals.transmitter !== false;
  // a profile of FAPI 2.0 has no RS256 (§5.4)
  return isTransmitter && profile === undefined
    ? [...new Set<SigningAlgorithm>([...ofIdTokens, SIGNAL_ALGORITHM])]
    : ofIdTokens;
}

/** The scopes of the site itself: those of OpenID Connect are about signing in, which only an app does. */
function apiScopesOf({ scopes: given, openid }: Parsed, scopes: object): readonly string[] {
  const ofOpenid = openid === false ? [] : ['openid', 'offline_access', ...openidScopesBeside(given)];
  return Object.keys(scopes).filter((scope) => !ofOpenid.includes(scope));
}

/** The option by which the guard accepts no token without a key. */
function keyBindingOption({ dpop, profile }: Parsed): string | undefined {
  if (dpop !== false && dpop.required) return 'dpop.required';
  return profile === undefined ? undefined : 'profile';
}

function optionWithSecret({ signedRequests, dpop, sharedSignals }: Parsed): string | undefined {
  if (signedRequests !== false) return 'signedRequests';
  if (sharedSignals !== false) return 'sharedSignals';
  return dpop !== false && dpop.nonces ? 'dpop.nonces' : undefined;
}

/** @throws TypeError if it is not an issuer, or not in the one way to write it */
export function parseIssuer(
  options: Pick<Parsed, 'issuer'> & {
    readonly security: Pick<Parsed['security'], 'dangerouslyAllowInsecureHttp'>;
  },
): URL {
  const { issuer, security } = options;
  if (!URL.canParse(issuer))
    throw serverOptionError(
      'issuer',
      `'${issuer}' is not a URL; write the public URL of this site, such as https://photos.example`,
    );
  const url = new URL(issuer);
  // RFC 8414 §2: no query or fragment; clients compare it as text (RFC 9207 §2.4), so there is one way to write it
  const canonical = `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  if (url.protocol.startsWith('http') && issuer !== canonical) {
    throw serverOptionError(
      'issuer',
      `write '${canonical}': no query, fragment, user name or / at its end, lower case, no default port`,
    );
  }
  if (url.protocol === 'https:') return url;
  if (url.protocol !== 'http:') throw serverOptionError('issuer', issuerWithoutScheme(issuer));
  if (!isLoopbackHost(url.hostname) && !security.dangerouslyAllowInsecureHttp) {
    throw serverOptionError(
      'issuer',
      `'${issuer}' sends tokens without TLS; write https:, or security: { dangerouslyAllowInsecureHttp: true } if you must`,
    );
  }
  return url;
}

function warnOfNoScopes(): void {
  process.emitWarning(
    "authorizationServer: the option scopes is empty: no client can ask for anything; write what your API protects, such as { 'photos:read': 'See your photos' }",
    { code: 'EAS_NO_SCOPES' },
  );
}

/** `localhost:3000` is a URL with the scheme `localhost:`. */
function issuerWithoutScheme(issuer: string): string {
  const host = issuer.split(':')[0]!;
  const example = isLoopbackHost(host) ? `http://${issuer}` : `https://${issuer}`;
  const hint = URL.canParse(example) && !issuer.includes('://') ? `; write '${example}'` : '';
  return `must be an https: URL, or an http: URL on localhost while you develop${hint}`;
}

/** No two endpoints may have one path: the second would never be reached. */
function checkPaths({ advanced, basePath }: Parsed, { endpoints }: Registry): void {
  const unknown = Object.keys(advanced.paths).find((name) => !endpoints.includes(name));
  if (unknown !== undefined)
    throw serverOptionError(
      'advanced.paths',
      `there is no endpoint '${unknown}'; ${suggest(unknown, endpoints)}`,
    );
  const mounts = endpoints.map((name) => ({ name, path: mountOf({ advanced, basePath }, name) }));
  for (const { name, path } of mounts) {
    const other = mounts.find((candidate) => candidate.path === path && candidate.name !== name);
    if (other !== undefined)
      throw serverOptionError('advanced.paths', `'${path}' is that of ${name} and of ${other.name}`);
  }
}
