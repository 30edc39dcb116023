import type { NextFunction, Request, Response } from 'express';

import { type NeededDetails, routeOptions } from '../../settings/options/guard-options.js';
import { defaultsOf, objectOf, option, type OptionsOf, pick } from '../../settings/table/option.js';
import { callback, listOf, recordOf, scopeList, text, textLike } from '../../settings/table/shapes.js';
import type { ScopeName, WithScopeNames } from '../../shared/protocol/scope.js';
import * as z from '../../shared/schema.js';

/** The members of an MCP server that the endpoint uses; `McpServer` of either SDK has them. */
export interface McpServerLike {
  connect(transport: never): Promise<void>;
  close(): Promise<void>;
}

/** The members of a transport: `StreamableHTTPServerTransport` of SDK v1, `NodeStreamableHTTPServerTransport` of v2. */
export interface McpTransportLike {
  handleRequest(req: Request, res: Response, body?: unknown): Promise<void>;
}

type Handle = (req: Request, res: Response, next: NextFunction) => unknown;
type CreateServer = (req: Request) => McpServerLike | Promise<McpServerLike>;

/** What a call of one tool needs in addition to its endpoint. */
const toolOptions = {
  /** The scopes, all of them. Default: none. */
  scopes: option({ shape: scopeList, default: [] }),
  /** Greatest age of the login in seconds, as for `oauth.guard`. Default: any. */
  maxAge: routeOptions.maxAge,
  /** Accepted classes of the login, as for `oauth.guard`. Default: any. */
  acr: routeOptions.acr,
  /**
   * `(args, req) => [{ type: 'payment', amount: args.amount }]`: the authorization details that the call needs. Nobody
   * has checked `args` yet. Default: none.
   */
  details: option({
    shape: () =>
      callback<(args: ToolArguments, req: Request) => NeededDetails | Promise<NeededDetails>>(
        "(args) => [{ type: 'payment', amount: args.amount }]",
      ),
  }),
};

/** The arguments of a tool call, unchecked. */
export type ToolArguments = Readonly<Record<string, unknown>>;

const TOOL =
  "a list of scopes, such as ['photos:write'], or an object such as { scopes: ['photos:write'], maxAge: 300 }";

/** An endpoint of the Model Context Protocol: `oauth.mcp({ … })`. */
export const mcpOptions = {
  ...pick(routeOptions, 'resource', 'scopes', 'any', 'requireUser', 'maxAge', 'acr'),
  /** The URL of the endpoint, one of the option `resources`. Default: the server's API. (RFC 8707) */
  resource: routeOptions.resource,
  /** The scopes that every call needs. Default: none. */
  scopes: routeOptions.scopes,
  /** Whether the token must be a user's, so that `extra.userId` is there; others get 403. Default: `false`. */
  requireUser: routeOptions.requireUser,
  /**
   * What single tools need in addition: scopes, `{ add_photo: ['photos:write'] }`, or an object, `{ pay: { scopes:
   * ['orders'], maxAge: 300 } }`. Other calls get 403 or 401 with a challenge for the agent. Default: none.
   */
  tools: option({
    shape: () =>
      recordOf(
        z
          .union([scopeList(), objectOf(toolOptions, TOOL)], TOOL)
          .transform((tool) => ('scopes' in tool ? tool : { ...defaultsOf(toolOptions), scopes: tool })),
        "an object of tools and what they need, such as { add_photo: ['photos:write'] }",
      ),
    default: {},
  }),
  /**
   * `(req) => new McpServer(…)`: a new server for each request. Give it with `createTransport`, or give `handle`.
   * `req.auth` says who calls.
   */
  createServer: option({
    shape: () => callback<CreateServer>('(req) => new McpServer({ name, version })'),
  }),
  /** `() => new StreamableHTTPServerTransport({ sessionIdGenerator: undefined })`: the transport of that server. */
  createTransport: option({
    shape: () =>
      callback<() => McpTransportLike>(
        '() => new StreamableHTTPServerTransport({ sessionIdGenerator: undefined })',
      ),
  }),
  /**
   * `(req, res, next) => …` instead of both, for servers with sessions and `toNodeHandler` of SDK v2. It answers GET
   * and DELETE as well, and has the message in `req.body`.
   */
  handle: option({ shape: () => callback<Handle>('(req, res) => handler(req, res, req.body)') }),
  /**
   * The origins whose pages may call it: `['https://inspector.example']`; others get 403. Default: all, since no cookie
   * lets anybody in.
   */
  origins: option({
    shape: () =>
      listOf(
        text("an origin, such as 'https://a.example'"),
        "a list of origins, such as ['https://a.example']",
      ),
  }),
};

/** An endpoint of the Model Context Protocol, for any SDK. */
export type McpOptions = OptionsOf<typeof mcpOptions>;

/** The options of an endpoint with completion of scope names, those of `tools` too. */
export type McpOptionsWithScopeNames<Scopes extends string> = Omit<
  WithScopeNames<McpOptions, Scopes>,
  'tools'
> & {
  readonly tools?:
    | Readonly<
        Record<string, readonly ScopeName<Scopes>[] | WithScopeNames<OptionsOf<typeof toolOptions>, Scopes>>
      >
    | undefined;
};

/** `oauth.mcp.requireBearerAuth({ … })`, as in the SDK. */
export const requireBearerAuthOptions = {
  /** The scopes that the token must have, as for the MCP SDK's `requireBearerAuth`. Default: none. */
  requiredScopes: option({ shape: scopeList, default: [] }),
  /** The URL of the resource's metadata. Default: that of the server's API. */
  resourceMetadataUrl: option({
    shape: () =>
      textLike(
        /^https?:\/\/[^/]+\/\.well-known\/oauth-protected-resource/,
        'a URL, such as https://photos.example/.well-known/oauth-protected-resource/mcp',
      ),
  }),
};

export type RequireBearerAuthOptions = OptionsOf<typeof requireBearerAuthOptions>;
