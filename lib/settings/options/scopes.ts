import {
  findImpliedProblem,
  type ImpliedScopes,
  resolveImplied,
  withImplied,
} from '../../shared/protocol/implied-scopes.js';
import { isScopeToken } from '../../shared/protocol/scope.js';
import { serverOptionError } from '../table/parse-options.js';
import type { ScopeSettings } from './site-options.js';

/** The scopes of the server, and the scopes that each implies. */
export interface ScopesSettings {
  readonly scopes: Readonly<Record<string, ScopeSettings>>;
  readonly impliedScopes: ImpliedScopes;
}

/** A scope with only a description. */
export const PLAIN_SCOPE = {
  details: undefined,
  group: undefined,
  risk: 'normal',
  optional: true,
  implies: [],
} as const;

/**
 * Validates the scopes, and fills in the defaults.
 *
 * @throws TypeError with the problem of the option
 */
export function resolveScopeSettings(
  described: Readonly<Record<string, string | ScopeSettings>>,
): ScopesSettings {
  const names = Object.keys(described);
  const malformed = names.find((scope) => !isScopeToken(scope));
  if (malformed !== undefined)
    throw serverOptionError(
      'scopes',
      `'${malformed}' is not a scope: printable ASCII without space, " and \\ (RFC 6749 §3.3)`,
    );
  const scopes = mapValues(described, (scope) =>
    typeof scope === 'string' ? { ...PLAIN_SCOPE, description: scope } : scope,
  );
  const table = mapValues(scopes, ({ implies }) => implies);
  const problem = findImpliedProblem(table, names);
  if (problem !== undefined) throw serverOptionError(`scopes.${problem.scope}.implies`, problem.problem);
  const impliedScopes = resolveImplied(table);
  return {
    // a scope has the risk of the scopes that it implies
    scopes: Object.fromEntries(
      names.map((name) => {
        const isHigh = withImplied([name], impliedScopes).some((scope) => scopes[scope]?.risk === 'high');
        return [name, { ...scopes[name]!, risk: isHigh ? 'high' : 'normal' }];
      }),
    ),
    impliedScopes,
  };
}

function mapValues<Given, Parsed>(
  record: Readonly<Record<string, Given>>,
  map: (value: Given) => Parsed,
): Readonly<Record<string, Parsed>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
