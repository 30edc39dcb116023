import type { WorkloadName } from './workloads.js';

/** The description of a contender that listens. */
export interface ContenderDescription {
  readonly url: string;
  readonly workloads: readonly WorkloadName[];
  readonly paths: {
    readonly token: string;
    readonly authorize: string;
    readonly introspect?: string;
    readonly par?: string;
    readonly userinfo?: string;
    /** For tokens that are bound to a key: opaque ones from client_credentials. */
    readonly dpopApi?: string;
    /** The same for JWTs. */
    readonly dpopJwtApi?: string;
    readonly api: string;
    /** The same for tokens of client_credentials, where the contender keeps them apart. */
    readonly clientApi?: string;
    /** Caches grants, and hears of their changes. */
    readonly cachedApi?: string;
    /** Checks only the signature. */
    readonly jwtApi?: string;
    /** Knows when a JWT was revoked. */
    readonly revocableJwtApi?: string;
  };
  /** The origin that proofs name for `dpopJwtApi`. */
  readonly dpopJwtOrigin?: string;
  readonly client: { readonly id: string; readonly secret: string };
  readonly redirectUri: string;
  readonly scope: string;
  /** For authorization requests, if a refresh token needs a parameter. */
  readonly authorizationScope?: string;
  /** The cookie of a logged-in user with a stored consent. */
  readonly cookie: string;
  readonly userId: string;
  /** The additional parameters of a token request for a JWT. */
  readonly jwtParameters?: Readonly<Record<string, string>>;
  /** The same for a JWT that is stored nowhere. */
  readonly statelessParameters?: Readonly<Record<string, string>>;
  /** Its answers are always the same: it is a limit, not an authorization server. */
  readonly isConstant?: boolean;
  readonly version: string;
}

/** From the operating system, of the whole process. */
export interface Usage {
  readonly cpuMicroseconds: number;
  readonly residentBytes: number;
}

export type ContenderMessage =
  { readonly ready: ContenderDescription } | { readonly failed: string } | { readonly usage: Usage };

export interface ContenderEntry {
  readonly name: string;
  /** The name in tables and charts. */
  readonly title: string;
  /** The same at the head of a narrow column. */
  readonly shortTitle: string;
  readonly kind: 'ours' | 'peer' | 'limit';
}

/** In the order of the tables. The name is that of the file in contenders/. */
export const CONTENDERS: readonly ContenderEntry[] = [
  { name: 'express', title: 'Express, fixed answer', shortTitle: 'Express', kind: 'limit' },
  { name: 'hand-written', title: 'Express and driver by hand', shortTitle: 'by hand', kind: 'limit' },
  { name: 'ours', title: 'express-authorization-server', shortTitle: 'this package', kind: 'ours' },
  { name: 'node-oauth', title: '@node-oauth/express-oauth-server', shortTitle: '@node-oauth', kind: 'peer' },
  { name: 'oauth2orize', title: 'oauth2orize and Passport', shortTitle: 'oauth2orize', kind: 'peer' },
  { name: 'oidc-provider', title: 'oidc-provider', shortTitle: 'oidc-provider', kind: 'peer' },
  { name: 'better-auth', title: 'better-auth', shortTitle: 'better-auth', kind: 'peer' },
];

/** The baselines of ratios: the fixed answer of Express, and the same work written by hand. */
export const BASELINES = ['express', 'hand-written'] as const;
