import type { AuthMethodInfo } from '../core/clients/auth-method-info.js';
import type { ClientMetadata } from '../core/clients/client.js';
import type { ClientField } from '../core/clients/client-field.js';
import type { ClientRegistry } from '../core/clients/registry/client-registry.js';
import { findNear } from '../settings/table/parse-options.js';
import {
  findRedirectUriProblem,
  isLoopbackHost,
  type RedirectUriRules,
} from '../shared/protocol/redirect-uri.js';
import { isScopeToken } from '../shared/protocol/scope.js';
import type { Stores } from '../storage/stores.js';
import { CliError } from './exit.js';
import type { Io } from './io.js';
import { fetchMetadata, stringsIn } from './metadata.js';
import { note } from './output.js';

type Limits = ClientRegistry['limits'];
type Given = Partial<ClientMetadata>;

/** The possible values for registering clients. */
export interface Known {
  readonly io: Io;
  readonly fields: readonly ClientField[];
  readonly grantTypes: readonly string[];
  readonly methods: readonly AuthMethodInfo[];
}

/** The rules of the command line, the same as for code. */
export const REDIRECT_URI_RULES: RedirectUriRules = { privateSchemes: 'any' };

/** The possible scopes and grant types: those of the running site, otherwise all that the flags name. */
export async function limitsOf(
  { io, grantTypes: builtIn, methods }: Known,
  issuer: string | undefined,
  { scopes = [], grantTypes = [] }: Given,
): Promise<Limits> {
  const malformed = scopes.find((scope) => !isScopeToken(scope));
  if (malformed !== undefined)
    throw new CliError(
      `'${malformed}' is not a scope`,
      'A scope is printable ASCII without space, " and \\ (RFC 6749 §3.3).',
    );
  if (issuer !== undefined) {
    const { metadata } = await fetchMetadata(io, issuer);
    const { hostname } = new URL(issuer);
    return {
      scopes: stringsIn(metadata.scopes_supported),
      grantTypes: stringsIn(metadata.grant_types_supported),
      tokenEndpointAuthMethods: stringsIn(metadata.token_endpoint_auth_methods_supported),
      methods,
      reservedNames: isLoopbackHost(hostname) ? [] : [hostname],
      isLoopbackIssuer: isLoopbackHost(hostname),
      // an http: issuer means that the site allows http:
      redirectUriRules: { ...REDIRECT_URI_RULES, allowsInsecureHttp: issuer.startsWith('http:') },
    };
  }
  // RFC 6749 §4.5: an extension names its grant type with an absolute URI, which is no typing error
  return {
    scopes,
    grantTypes: [...builtIn, ...grantTypes.filter((name) => URL.canParse(name))],
    tokenEndpointAuthMethods: methods.map(({ name }) => name),
    methods,
    redirectUriRules: REDIRECT_URI_RULES,
  };
}

/** Without `--issuer`, the recorded issuer says whether the site is on loopback. Sites on loopback are not recorded. */
export async function withRecordedIssuer(limits: Limits, { issuers }: Stores): Promise<Limits> {
  if (limits.isLoopbackIssuer !== undefined) return limits;
  const issuer = await issuers.find();
  return issuer === null ? limits : { ...limits, isLoopbackIssuer: isLoopbackHost(new URL(issuer).hostname) };
}

/** Says after the work that only the site can check scopes, unless `--issuer` names the site. */
export async function noteUncheckedScopes(
  io: Io,
  issuer: string | undefined,
  { scopes = [] }: Given,
  { issuers }: Stores,
): Promise<void> {
  if (issuer !== undefined || scopes.length === 0) return;
  const site = (await issuers.find()) ?? 'and the address of the site';
  note(
    io,
    `the scopes were not compared with those of the site; to do so, add --issuer ${site} while it runs`,
  );
}

/** Refuses values that the registry would refuse, with suggestions, and all mistakes of a kind at once. */
export function checkFlags(
  { scopes = [], grantTypes = [], redirectUris = [], tokenEndpointAuthMethod: method }: Given,
  limits: Limits,
  issuer: string | undefined,
): void {
  checkNames('scope', scopes, limits.scopes, `The site has ${limits.scopes.join(', ') || 'none'}.`);
  const grantTypeList = limits.grantTypes.join(', ');
  checkNames(
    'grant type',
    grantTypes,
    limits.grantTypes,
    issuer === undefined
      ? `There are ${grantTypeList}. If the site has one of its own by such a name, write --issuer https://your.site, which asks it.`
      : `The site has ${grantTypeList}.`,
  );
  const isRead = limits.methods.some(({ name, readsSecret }) => name === method && readsSecret === true);
  if (isRead)
    throw new CliError(
      `${method} needs the secret kept under the clientAuthentication.secretKey of the site, which is not known here`,
      'Register the client by code: oauth.clients.create({ … }).',
    );
  const problems = redirectUris.flatMap((uri) => {
    const problem = findRedirectUriProblem(uri, limits.redirectUriRules);
    return problem === undefined ? [] : [`${uri.slice(0, 200)}: ${problem.text}.`];
  });
  if (problems.length > 1)
    throw new CliError([`${problems.length} redirect URIs cannot be registered`, ...problems].join('\n  '));
}

function checkNames(
  kind: string,
  values: readonly string[],
  possible: readonly string[],
  cure: string,
): void {
  const unknown = values.filter((name) => !possible.includes(name));
  if (unknown.length === 0) return;
  const said = unknown.map((name) => {
    const near = findNear(name, possible);
    const question = near === undefined ? '' : `; did you mean '${near.path}'?`;
    return `There is no ${kind} ${name.slice(0, 80)}${question}`;
  });
  throw new CliError(said.join('\n  '), cure);
}
