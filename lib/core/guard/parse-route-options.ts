import { type FindUser, type GuardOptions, routeOptions } from '../../settings/options/guard-options.js';
import type { Settings } from '../../settings/settings.js';
import type { SettingsOf } from '../../settings/table/option.js';
import { optionError, parseOptions, suggest } from '../../settings/table/parse-options.js';

export type RouteSettings = SettingsOf<typeof routeOptions>;

/** The values of the server that a route can name in its options. */
export interface ServerValues {
  /** Undefined if the scopes are unknown. */
  readonly knownScopes: readonly string[] | undefined;
  readonly knownResources: readonly string[];
  /** The types of authorization details; undefined if unknown. */
  readonly knownDetailTypes: readonly string[] | undefined;
  readonly findUser: FindUser | undefined;
  /** Whether tokens say how their user logged in, and in which classes. Default: unknown. */
  readonly stepUp?: Settings['stepUp'];
}

/** @throws TypeError if an option is wrong, or would lock everybody out */
export function parseRouteOptions(input: GuardOptions, server: ServerValues): RouteSettings {
  const { knownScopes, knownResources, findUser } = server;
  const options = parseOptions('guard', routeOptions, input);
  const { scopes, any, resource, user } = options;
  if (any && scopes.length === 0)
    throw new TypeError(
      'guard: any needs the scopes of which one is enough; for any valid token write guard()',
    );
  const unknownScope = scopes.find((scope) => knownScopes?.includes(scope) === false);
  // a misspelt scope would lock everybody out, and nobody would notice before
  if (unknownScope !== undefined)
    throw new TypeError(
      `guard: '${unknownScope}' is not among the scopes of authorizationServer; ${suggest(unknownScope, knownScopes ?? [])}`,
    );
  if (resource !== undefined && !knownResources.includes(resource))
    throw new TypeError(`guard: '${resource}' is not among the resources: ${knownResources.join(', ')}`);
  if (options.orElse !== undefined && options.optional)
    throw optionError('guard', 'orElse', 'decides about requests without a token; leave optional out');

  // a requirement that no token can meet would lock everybody out
  const { maxAge, acr, details } = options;
  const { stepUp, knownDetailTypes } = server;
  const isLoginRequired = maxAge !== undefined || acr !== undefined;
  if (isLoginRequired && stepUp === false)
    throw optionError(
      'guard',
      acr === undefined ? 'maxAge' : 'acr',
      "no token says how its user has logged in; write stepUp: true, or stepUp: { acrValues: ['mfa'] } with people.authentication, at authorizationServer",
    );
  const acrValues = stepUp ? stepUp.acrValues : undefined;
  const unknownAcr = acr?.find((value) => acrValues?.includes(value) === false);
  if (unknownAcr !== undefined)
    throw optionError(
      'guard',
      'acr',
      `'${unknownAcr}' is not among stepUp.acrValues of authorizationServer: ${acrValues?.join(', ')}`,
    );
  if (details !== undefined && knownDetailTypes?.length === 0)
    throw optionError(
      'guard',
      'details',
      'no token has any; write authorizationDetails at authorizationServer',
    );
  if (user && findUser === undefined)
    throw optionError(
      'guard',
      'user',
      'req.user, which orSession and the strategy set as well, is found by the option people.find of the server; write people: { find: (id) => User.findById(id) }',
    );
  // a client that acts for itself has no user for `req.user`
  return { ...options, requireUser: options.requireUser || user };
}
