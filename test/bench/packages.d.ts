// The packages that `npm run bench` installs, with the used parts of undici. Declared here so that type checks and lint
// are the same with and without them.
declare module 'undici' {
  export interface PoolRequest {
    readonly path: string;
    readonly method: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  }
  export interface PoolAnswer {
    readonly statusCode: number;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly body: { text(): Promise<string> };
  }
  export class Pool {
    constructor(origin: string, options: { readonly connections: number; readonly pipelining: number });
    request(request: PoolRequest): Promise<PoolAnswer>;
    close(): Promise<void>;
    destroy(): Promise<void>;
  }
}
declare module '@better-auth/mongo-adapter';
declare module '@better-auth/oauth-provider';
declare module '@better-auth/oauth-provider/resource-client';
declare module '@node-oauth/express-oauth-server';
declare module 'better-auth';
declare module 'better-auth/adapters/mongodb';
declare module 'better-auth/node';
declare module 'better-auth/plugins';
declare module 'oauth2orize';
declare module 'oauth2orize-pkce';
declare module 'oidc-provider';
declare module 'passport-http';
declare module 'passport-http-bearer';
