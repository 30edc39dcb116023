import type { AuthorizationServer } from '../../lib/index.js';
import { DETAIL_TYPES } from './authorization-details.js';
import { DEVICE_GRANT_TYPES } from './device.js';
import { openid } from './openid.js';
import { SSF_SCOPES } from './shared-signals.js';
import type { SiteOptions } from './site.js';

/**
 * The options of a site with every endpoint of the package, for rules about each of them. A new endpoint that these
 * options do not switch on fails `attacks/unfolded-fields`.
 */
export const EVERY_ENDPOINT = {
  scopes: SSF_SCOPES,
  grantTypes: [...DEVICE_GRANT_TYPES, 'client_credentials', 'implicit', 'password'],
  security: { rateLimits: false },
  lifetimes: { authorizationCode: 600 },
  authorizationDetails: DETAIL_TYPES,
  openid: { ...openid, sessionManagement: true },
  applications: { isDeveloper: () => true, isAdministrator: () => true },
  pushedRequests: true,
  signedRequests: { byReference: true },
  registration: { open: true },
  personalAccessTokens: { serviceTokens: true },
  dpop: true,
  sharedSignals: {
    transmitter: { receivers: [{ clientId: 'desk', audience: 'https://desk.example' }] },
    receiver: {
      transmitters: [{ issuer: 'https://idp.example', audience: 'https://photos.example' }],
      endSessions: () => undefined,
    },
  },
} satisfies SiteOptions;

/** A route of an endpoint, as in its router. */
export interface Route {
  readonly endpoint: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below `/oauth`, with the names of its parameters. */
  readonly path: string;
}

interface Stack {
  readonly name?: string;
  readonly stack?: readonly {
    readonly route?: { readonly path: unknown; readonly methods: Readonly<Record<string, boolean>> };
    readonly handle: Stack;
  }[];
}

export function routesOf({ endpoints }: Pick<AuthorizationServer, 'endpoints'>): readonly Route[] {
  const routesIn = ({ stack = [] }: Stack): readonly { path: unknown; methods: object }[] => {
    // the first request makes the routes of some
    for (const { handle } of [...stack])
      if (handle.name === 'loadRoutes')
        (handle as unknown as (...given: unknown[]) => void)({}, {}, () => undefined);
    return stack.flatMap(({ route, handle }) => (route === undefined ? routesIn(handle) : [route]));
  };
  return Object.entries(endpoints).flatMap(([endpoint, router]) =>
    routesIn(router as unknown as Stack).flatMap(({ path, methods }) =>
      (['get', 'post', 'put', 'patch', 'delete'] as const)
        .filter((method) => Object.hasOwn(methods, method) && typeof path === 'string')
        .map((method) => ({
          endpoint,
          method,
          path: `/oauth/${endpoint}${path === '/' ? '' : String(path)}`,
        })),
    ),
  );
}
