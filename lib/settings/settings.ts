import { isLoopbackHost } from '../shared/protocol/redirect-uri.js';
import { mountOf } from './endpoint-urls.js';
import { splitGrantTypes } from './grant-type-names.js';
import { coreOptions, type ParsedOptions, type ResolvedOptions, type ServerOptions } from './options.js';
import type { ExtensionGrantType } from './options/extension-grant-type.js';
import type { Profile } from './options/profile-options.js';
import { resolveScopeSettings, type ScopesSettings } from './options/scopes.js';
import { checkProfileOptions, findProfileLack, withProfile } from './profile.js';
import { resolveServerSecret } from './server-secret.js';
import { type OptionRows, resolveOptions } from './table/option.js';
import type { KeyNeeds, OptionContext } from './table/option-context.js';
import { parseWith, serverOptionError, suggest } from './table/parse-options.js';
import { collectProblems } from './table/problems.js';
import type { Registry } from './table/registry.js';

/** The validated options with their defaults, and the values derived from them. */
export interface Settings extends ScopesSettings, Omit<ResolvedOptions, 'scopes'> {
  readonly extensionGrantTypes: readonly ExtensionGrantType[];
  /** Scopes that are granted only on request by name. */
  readonly scopesByName: readonly string[];
  /** The secret that signs addresses and nonces; the same in every process. */
  readonly serverSecret: string;
  /** Why clients cannot meet a FAPI profile with these options. */
  readonly findProfileLack: (profile: Profile) => string | undefined;
  /** Path of the issuer, `''` if it has none. */
  readonly issuerPath: string;
}

/** The rows of all options of `authorizationServer`, including those of its features. */
export function serverOptionsWith({ features }: Registry): OptionRows {
  return Object.assign({}, coreOptions, ...features.map(({ options }) => options)) as OptionRows;
}

/**
 * Validates the options, one by one and together, and fills in the defaults.
 *
 * @throws TypeError with a line for each problem, and what to write instead
 */
export function parseSettings(options: ServerOptions, registry: Registry): Settings {
  return collectProblems((problems) => {
    const rows = serverOptionsWith(registry);
    const prepared = registry.features.reduce(
      (all, { prepareOptions }) => prepareOptions?.(all, problems) ?? all,
      options,
    );
    const parsed = parseWith(problems, 'authorizationServer', rows, withProfile(prepared)) as ParsedOptions;
    const added = problems.members({
      scopes: () =>
        Object.assign(
          {},
          ...registry.features.map(({ scopes }) => scopes?.(parsed)),
        ) as ParsedOptions['scopes'],
    });
    problems.attempt(() => parseIssuer(parsed));
    problems.attempt(() => checkPaths(parsed, registry));
    problems.attempt(() => registry.checkPages(parsed.pages));
    const whole = problems.members({
      issuer: () => (URL.canParse(parsed.issuer) ? new URL(parsed.issuer) : parseIssuer(parsed)),
      scopesSettings: () => resolveScopeSettings({ ...parsed.scopes, ...added.scopes }),
      grantTypes: () => splitGrantTypes(parsed, registry),
    });
    const context = problems.members<OptionContext>({
      problems: () => problems,
      issuer: () => whole.issuer,
      allowsInsecureHttp: () => parsed.security.dangerouslyAllowInsecureHttp,
      siteName: () => parsed.siteName ?? whole.issuer.host,
      scopes: () => whole.scopesSettings.scopes,
      impliedScopes: () => whole.scopesSettings.impliedScopes,
      describedScopes: () => Object.keys(parsed.scopes),
      apiScopes: () =>
        Object.keys(whole.scopesSettings.scopes).filter((scope) => !Object.hasOwn(added.scopes, scope)),
      builtInGrantTypes: () => whole.grantTypes.names,
      grantTypes: () => [
        ...whole.grantTypes.names,
        ...whole.grantTypes.extensions.map(({ grantType }) => grantType),
      ],
      accessTokenFormat: () => parsed.tokens.accessTokenFormat,
      keyNeeds: () => keyNeedsOf(parsed, registry),
    });
    const settings = resolveOptions(rows, parsed, context) as unknown as ResolvedOptions;
    problems.attempt(() => checkProfileOptions(problems, parsed.profile, settings));
    for (const { checkOptions } of registry.features)
      problems.attempt(() => checkOptions?.(settings, context));
    const secretNeeds = registry.features.map(({ findSecretNeed }) => findSecretNeed?.(settings));
    const serverSecret = resolveServerSecret(settings, secretNeeds.find(Boolean));
    problems.throwAll();
    if (Object.keys(context.scopes).length === 0)
      process.emitWarning(
        "authorizationServer: the option scopes is empty: no client can ask for anything; write what your API protects, such as { 'photos:read': 'See your photos' }",
        { code: 'EAS_NO_SCOPES' },
      );
    return {
      ...settings,
      ...whole.scopesSettings,
      findProfileLack: (of) => findProfileLack(of, settings),
      issuerPath: whole.issuer.pathname === '/' ? '' : whole.issuer.pathname,
      extensionGrantTypes: whole.grantTypes.extensions,
      scopesByName: Object.keys(added.scopes).filter((scope) => !Object.hasOwn(parsed.scopes, scope)),
      serverSecret,
    };
  });
}

/** The options that need signing keys. */
function keyNeedsOf(options: ParsedOptions, { features }: Registry): KeyNeeds {
  const needs = features.map(({ findKeyNeeds }) => findKeyNeeds?.(options) ?? {});
  const neededBy = needs.map((need) => need.neededBy).find(Boolean);
  const formats = Object.values(options.resources).map(({ accessTokenFormat }) => accessTokenFormat);
  return {
    neededBy,
    alsoAlgorithms: [...new Set(needs.flatMap(({ alsoAlgorithms = [] }) => alsoAlgorithms))],
    encryption: needs.map(({ encryption }) => encryption).find(Boolean) ?? false,
    issuesJwts: neededBy !== undefined || [options.tokens.accessTokenFormat, ...formats].includes('jwt'),
  };
}

/** @throws TypeError if the URL is no issuer, or not in canonical form */
export function parseIssuer({
  issuer,
  security,
}: {
  readonly issuer: string;
  readonly security: { readonly dangerouslyAllowInsecureHttp: boolean };
}): URL {
  if (!URL.canParse(issuer))
    throw serverOptionError(
      'issuer',
      `'${issuer}' is not a URL; write the public URL of this site, such as https://photos.example`,
    );
  const url = new URL(issuer);
  // RFC 8414 §2: no query or fragment; clients compare issuers as text (RFC 9207 §2.4), so only one form is valid
  const canonical = `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  if (url.protocol.startsWith('http') && issuer !== canonical) {
    throw serverOptionError(
      'issuer',
      `write '${canonical}': no query, fragment, user name or / at its end, lower case, no default port`,
    );
  }
  if (url.protocol === 'https:') return url;
  if (url.protocol !== 'http:') {
    // `localhost:3000` is a URL with the scheme `localhost:`
    const example = `${isLoopbackHost(issuer.split(':')[0]!) ? 'http' : 'https'}://${issuer}`;
    const hint = URL.canParse(example) && !issuer.includes('://') ? `; write '${example}'` : '';
    throw serverOptionError(
      'issuer',
      `must be an https: URL, or an http: URL on localhost while you develop${hint}`,
    );
  }
  if (!isLoopbackHost(url.hostname) && !security.dangerouslyAllowInsecureHttp) {
    throw serverOptionError(
      'issuer',
      `'${issuer}' sends tokens without TLS; write https:, or security: { dangerouslyAllowInsecureHttp: true } if you must`,
    );
  }
  return url;
}

/** Refuses a path of two endpoints, because the second would never be reached. */
function checkPaths({ advanced, basePath }: ParsedOptions, { endpoints }: Registry): void {
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
