import { type NextFunction, type Request, type RequestHandler, type Response, Router } from 'express';

import { createAdmission, type GuardDependencies } from '../../core/guard/admission.js';
import { answerGuardError } from '../../core/guard/answer-guard-error.js';
import { createGuard, guardByToken, type TokenGuard } from '../../core/guard/guard.js';
import { parseRouteOptions, type RouteSettings } from '../../core/guard/parse-route-options.js';
import { protectedResourceMetadataUrl } from '../../core/guard/protected-resource.js';
import { bodyText } from '../../core/http/body.js';
import { allowAnyHeader, NEEDED_HEADERS } from '../../core/http/cross-origin.js';
import { handle } from '../../core/http/handle.js';
import type { SettingsOf } from '../../settings/table/option.js';
import { optionError, parseOptions } from '../../settings/table/parse-options.js';
import type { WithScopeNames } from '../../shared/protocol/scope.js';
import {
  type McpOptions,
  mcpOptions,
  type McpOptionsWithScopeNames,
  type RequireBearerAuthOptions,
  requireBearerAuthOptions,
} from './mcp-options.js';
import { calledTool, readMessage, refuseUnreadable, sendProblem } from './messages.js';

type McpSettings = SettingsOf<typeof mcpOptions>;

/**
 * A method, not a property, as in the guard: parameters of methods are bivariant, so an endpoint with scope names is
 * also one of any scopes.
 */
interface McpFunctions<Scopes extends string> {
  /**
   * A Streamable HTTP endpoint. A caller without a token learns where to get one, and a caller with too few scopes
   * which scopes to request. Pages of other sites may call it. Your server of SDK v1 or v2 does the rest. `req.auth`
   * has the shape of the SDK's `AuthInfo`, with the user in `extra.userId`. Mount it before sessions and body parsers.
   *
   * @throws TypeError if an option is wrong
   */
  // with `none` the compiler refuses `app.use(oauth.mcp)` without parentheses
  mcp(options: McpOptionsWithScopeNames<Scopes>, ...none: never[]): Router;
  /**
   * Replaces the SDK's `requireBearerAuth`, with the same responses and the same options except `verifier`, since the
   * tokens are this server's.
   *
   * @throws TypeError if an option is wrong
   */
  requireBearerAuth(
    options?: WithScopeNames<RequireBearerAuthOptions, Scopes>,
    ...none: never[]
  ): RequestHandler;
}

type McpFunction<Scopes extends string> = McpFunctions<Scopes>['mcp'];

/** Endpoints of the Model Context Protocol behind the guard: `app.use('/mcp', oauth.mcp({ … }))`. */
export interface Mcp<Scopes extends string = string> extends McpFunction<Scopes> {
  readonly requireBearerAuth: McpFunctions<Scopes>['requireBearerAuth'];
}

/**
 * Middleware for API routes: `guard('photos:read')`, `guard.any('a', 'b')`, `guard()`, `guard({ scopes,
 * optional })`.
 */
export interface Guard<Scopes extends string = string> extends TokenGuard<Scopes> {
  /** Endpoints of the Model Context Protocol. */
  readonly mcp: Mcp<Scopes>;
}

/** @see Model Context Protocol 2026-07-28, Authorization; Streamable HTTP */
export function createGuardWithMcp(dependencies: GuardDependencies): Guard {
  const mcp = Object.assign((input: McpOptions): Router => createMcpEndpoint(dependencies, input), {
    requireBearerAuth(input: RequireBearerAuthOptions = {}) {
      const { requiredScopes, resourceMetadataUrl: url } = parseOptions(
        'requireBearerAuth',
        requireBearerAuthOptions,
        input,
      );
      const { knownResources } = dependencies;
      const resource =
        url === undefined
          ? dependencies.resource
          : knownResources.find((each) => protectedResourceMetadataUrl(each) === url);
      if (resource === undefined)
        throw optionError(
          'requireBearerAuth',
          'resourceMetadataUrl',
          `the metadata of the resources are at ${knownResources.map(protectedResourceMetadataUrl).join(', ')}`,
        );
      const route = parseRouteOptions({ scopes: requiredScopes, resource }, dependencies);
      return Router().use(
        guardByToken(dependencies, route),
        describeAuth(dependencies, route),
        answerGuardError,
      );
    },
  });
  return Object.assign(createGuard(dependencies), { mcp });
}

/** Maximum size of a message, as in the transport of the SDK. */
const MAX_BYTES = 4 * 1_048_576;

function createMcpEndpoint(dependencies: GuardDependencies, input: McpOptions): Router {
  const options = parseOptions('mcp', mcpOptions, input);
  const { resource, scopes, any, requireUser, maxAge, acr, origins } = options;
  const serve = createHandler(options);
  const route = parseRouteOptions({ scopes, any, requireUser, resource, maxAge, acr }, dependencies);
  const endpoint = Router();
  // Streamable HTTP, Security Warning: the response to an invalid Origin MUST be 403
  endpoint.use((req, res, next) => {
    const { origin } = req.headers;
    if (origins === undefined || origin === undefined || origins.includes(origin)) return next();
    sendProblem(res, 403, -32_000, 'pages of this origin may not call it');
  });
  endpoint.use(
    // calls have a token and no cookies, so any page may call unless the option `origins` is set
    allowAnyHeader({
      origins,
      methods: ['GET', 'POST', 'DELETE'],
      allowedHeaders: [
        ...NEEDED_HEADERS,
        'Last-Event-ID',
        'Mcp-Method',
        'Mcp-Name',
        'Mcp-Protocol-Version',
        'Mcp-Session-Id',
      ],
      exposedHeaders: [
        'DPoP-Nonce',
        'Mcp-Protocol-Version',
        'Mcp-Session-Id',
        'Retry-After',
        'WWW-Authenticate',
      ],
    }),
    guardByToken(dependencies, route),
    describeAuth(dependencies, route),
    bodyText({ type: 'application/json', limit: MAX_BYTES }),
    readMessage,
    ...checkTools(dependencies, route, options),
  );
  // a response that continues, such as a stream of events, ends with its token
  endpoint.use((req, res, next) => {
    req.auth?.signal?.addEventListener('abort', () => {
      // the site's server may write once more before it notices
      res.on('error', () => undefined);
      res.destroy();
    });
    next();
  });
  endpoint.use(serve, answerGuardError);
  // Express's errors for a body that is too large or too slow
  endpoint.use((thrown: unknown, _req: Request, res: Response, next: NextFunction) => {
    const { status, type } = thrown as { status?: number; type?: string };
    if (type !== 'entity.too.large' || res.headersSent) return next(thrown);
    sendProblem(res, status ?? 413, -32_600, 'the message is too large');
  });
  // the site handles the paths below the endpoint
  return Router().use((req, res, next) => void (req.path === '/' ? endpoint(req, res, next) : next()));
}

/** `extra` has what the SDK's `AuthInfo` has no member for; SDK v2 needs the URL of the metadata. */
function describeAuth(
  { resource: defaultResource }: GuardDependencies,
  { resource = defaultResource }: RouteSettings,
): RequestHandler {
  const resourceMetadataUrl = protectedResourceMetadataUrl(resource);
  return (req, _res, next) => {
    const { auth } = req;
    if (auth !== undefined) {
      const { userId, extra } = auth;
      // a copy, since the verified token may be cached
      req.auth = Object.assign({}, auth, {
        resourceMetadataUrl,
        ...(userId !== undefined && { extra: { ...extra, userId } }),
      });
      Object.defineProperty(req.auth, 'signal', { get: () => auth.signal, configurable: true });
    }
    next();
  };
}

/**
 * One challenge with all scopes that a message needs (MCP 2026-07-28, Runtime Insufficient Scope Errors). No handler if
 * no tool needs any.
 */
function checkTools(
  dependencies: GuardDependencies,
  route: RouteSettings,
  { tools }: McpSettings,
): readonly RequestHandler[] {
  const byName = new Map(Object.entries(tools));
  for (const { details, ...tool } of byName.values())
    parseRouteOptions({ ...route, any: false, ...tool, ...(details && { details: () => [] }) }, dependencies);
  const { requireForCall } = createAdmission(dependencies, route);
  const requireForTools = handle(async (req, res, next) => {
    const called = calledTool(req.body);
    const tool = byName.get(called?.name ?? '');
    if (called !== undefined && tool !== undefined && req.auth !== undefined) {
      const required = {
        scopes: [...new Set([...(route.any ? [] : route.scopes), ...tool.scopes])],
        logins: [tool],
        requiredDetails: async () => (await tool.details?.(called.args, req)) ?? [],
      };
      await requireForCall(req.auth, required, { req, res });
    }
    next();
  });
  return byName.size === 0 ? [] : [refuseUnreadable(dependencies.report), requireForTools];
}

/** @throws TypeError unless the options have exactly one handler */
function createHandler({ handle: handler, createServer, createTransport }: McpSettings): RequestHandler {
  if (handler !== undefined && createServer === undefined && createTransport === undefined)
    return (req, res, next) => {
      void Promise.resolve()
        .then(() => handler(req, res, next))
        .catch(next);
    };
  if (handler !== undefined || createServer === undefined || createTransport === undefined)
    throw optionError(
      'mcp',
      'createServer',
      'who answers? write createServer and createTransport, or handle in the place of both',
    );
  const serve = handle(async (req, res) => {
    const server = await createServer(req);
    res.once('close', () => void server.close().catch(() => undefined));
    const transport = createTransport();
    await server.connect(transport as never);
    await transport.handleRequest(req, res, req.body);
  });
  return (req, res, next) => {
    // Streamable HTTP, Listening for Messages: 405 if the server never sends messages on its own
    if (req.method === 'POST') return void serve(req, res, next);
    res.status(405).set('Allow', 'POST').end();
  };
}
