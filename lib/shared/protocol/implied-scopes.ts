/** The scopes that each scope includes besides itself, at all levels; scopes that include none are absent. */
export type ImpliedScopes = ReadonlyMap<string, readonly string[]>;

/** The scopes that each scope includes directly, as the site wrote them. */
export type ImpliedTable = Readonly<Record<string, readonly string[]>>;

export const NOTHING_IMPLIED: ImpliedScopes = new Map();

/**
 * Why a table cannot be used: it has a name that is not a scope, or a scope that indirectly includes itself.
 *
 * @param serverScopes the scopes of the server; undefined if unknown
 */
export function findImpliedProblem(table: ImpliedTable, serverScopes: readonly string[] | undefined) {
  for (const [scope, names] of Object.entries(table)) {
    const unknown = [scope, ...names].find((name) => serverScopes?.includes(name) === false);
    if (unknown !== undefined) return { scope, problem: `'${unknown}' is not among the scopes` };
    const circle = findCircle(table, [scope]);
    if (circle !== undefined)
      return { scope, problem: `a scope cannot include itself: ${circle.join(' → ')}` };
  }
  return undefined;
}

function findCircle(table: ImpliedTable, path: readonly string[]): readonly string[] | undefined {
  for (const name of namesIn(table, path.at(-1) ?? '')) {
    const longer = [...path, name];
    if (name === path[0]) return longer;
    // a circle that does not contain the first scope is detected from its own scopes
    const circle = path.includes(name) ? undefined : findCircle(table, longer);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

/** The table with all levels resolved. The table must have no circle. */
export function resolveImplied(table: ImpliedTable): ImpliedScopes {
  const below = (scope: string): readonly string[] => [
    ...new Set(namesIn(table, scope).flatMap((name) => [name, ...below(name)])),
  ];
  return new Map(
    Object.keys(table).flatMap((scope) => (namesIn(table, scope).length > 0 ? [[scope, below(scope)]] : [])),
  );
}

function namesIn(table: ImpliedTable, scope: string): readonly string[] {
  return Object.hasOwn(table, scope) ? (table[scope] ?? []) : [];
}

/** The scopes and all scopes that they include, without duplicates, these scopes first. */
export function withImplied(scopes: readonly string[], implied: ImpliedScopes): readonly string[] {
  if (implied.size === 0) return scopes;
  return [...new Set([...scopes, ...scopes.flatMap((scope) => implied.get(scope) ?? [])])];
}

/** The scopes and all that include one of them: a withdrawn scope must not remain as part of another scope. */
export function withImpliers(scopes: readonly string[], implied: ImpliedScopes): readonly string[] {
  const impliers = [...implied].flatMap(([scope, names]) =>
    names.some((name) => scopes.includes(name)) ? [scope] : [],
  );
  return [...new Set([...scopes, ...impliers])];
}
