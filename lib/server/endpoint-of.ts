import type { Request, Router } from 'express';

import type { ClientRequest } from '../core/client-authentication/client-request.js';
import type { Binding } from '../core/proof-of-possession/binding.js';

/** The metadata of the server, or some of them (RFC 8414 §2). */
export type ServerMetadata = Readonly<Record<string, unknown>>;

/** For the name of an endpoint, whether a request to that name at the root of the site is for it. */
export type RootAliases = Readonly<Record<string, (req: Request) => boolean>>;

/**
 * A path of the authorization server and what answers there. A new one is a file in `endpoints/` (or `pages/`, for
 * users) and a line in the list of what is built in, or in its feature.
 */
export interface EndpointOf<Server> {
  /**
   * Its name in options, events and telemetry; its path below `basePath` unless the option `advanced.paths` has
   * another.
   */
  readonly name: string;
  /** Makes the router, which answers at its own root. */
  readonly create: (server: Server) => Router;
  /**
   * Whether users see it in their browsers, with the site's session. Default: clients call it, and need no session.
   */
  readonly isPage?: boolean;
  /** What it adds to the metadata of the server (RFC 8414 §2). */
  readonly metadata?: (server: Server, url: string) => ServerMetadata;
}

/** A JSON document at a well-known path, into which the path of the issuer is inserted (RFC 8414 §3.1). */
export interface WellKnownDocumentOf<Server> {
  readonly path: string;
  readonly describe: (server: Server) => object;
}

/**
 * What the tokens of a request are bound to, going by what it has shown; undefined if it has shown nothing.
 *
 * @throws OAuthError if what they have to be bound to is missing
 */
export type FindBinding = (request: ClientRequest) => Binding | undefined;
