import type { AuthorizationServer } from '../../lib/index.js';

/** A route of an endpoint, as its router has it. */
export interface Route {
  readonly endpoint: string;
  readonly method: 'get' | 'post';
  /** Below `/oauth`, with the names of its parameters. */
  readonly path: string;
}

interface Stack {
  readonly stack?: readonly {
    readonly route?: { readonly path: unknown; readonly methods: Readonly<Record<string, boolean>> };
    readonly handle: Stack;
  }[];
}

/** All routes of the endpoints of a server. */
export function routesOf({ endpoints }: Pick<AuthorizationServer, 'endpoints'>): readonly Route[] {
  const routesIn = ({ stack = [] }: Stack): readonly { path: unknown; methods: object }[] =>
    stack.flatMap(({ route, handle }) => (route === undefined ? routesIn(handle) : [route]));
  return Object.entries(endpoints).flatMap(([endpoint, router]) =>
    routesIn(router as unknown as Stack).flatMap(({ path, methods }) =>
      (['get', 'post'] as const)
        .filter((method) => Object.hasOwn(methods, method) && typeof path === 'string')
        .map((method) => ({
          endpoint,
          method,
          path: `/oauth/${endpoint}${path === '/' ? '' : String(path)}`,
        })),
    ),
  );
}
