import type { Request, Router } from 'express';

/** What the metadata of the server say (RFC 8414 §2). */
export type ServerMetadata = Readonly<Record<string, unknown>>;

/** By the name of an endpoint, whether a request to that name at the root of the site is for it. */
export type RootAliases = Readonly<Record<string, (req: Request) => boolean>>;

/**
 * A path of the authorization server with what answers there. A new one is a file in `endpoints/` (or `pages/`, for
 * people) and a line in the list of what is built in, or in its feature.
 */
export interface EndpointOf<Server> {
  /** Its name in options, events and telemetry; its path below `basePath` unless the option `paths` has another. */
  readonly name: string;
  /** Makes the router, which answers at its own root. */
  readonly create: (server: Server) => Router;
  /** Whether people see it in their browsers, by the session of the site. Default: clients call it, and need none. */
  readonly isPage?: boolean;
  /** What it adds to the metadata of the server (RFC 8414 §2). */
  readonly metadata?: (server: Server, url: string) => ServerMetadata;
}
