import type { RequestHandler, Response } from 'express';

import { leftBody } from '../../core/http/body.js';
import type { Report } from '../../core/observability/report.js';
import { isObject } from '../../shared/schema.js';

/**
 * Reads the message of a request into `req.body`, unless a parser of the site has read it. JSON-RPC 2.0 §5.1: -32700 if
 * the body is not JSON.
 */
export const readMessage: RequestHandler = (req, res, next) => {
  // otherwise the site's server might read as JSON what the check of tools has not read
  if (req.is('application/json') === false)
    return sendProblem(res, 415, -32_000, 'Unsupported Media Type: the body must be application/json');
  try {
    if (typeof req.body === 'string') req.body = JSON.parse(req.body) as unknown;
  } catch {
    return sendProblem(res, 400, -32_700, 'Parse error: the body is not JSON');
  }
  // MCP, Streamable HTTP, since 2025-06-18: the body of a POST MUST be a single message
  if (!Array.isArray(req.body)) return next();
  sendProblem(res, 400, -32_600, 'Invalid Request: the body must be one message, and no list');
};

/**
 * Refuses a body whose tool calls cannot be read: the site's server might read it differently, and call tools without
 * their scopes. JSON-RPC 2.0 §5.1: -32600 if the JSON is no message.
 */
export function refuseUnreadable(report: Report): RequestHandler {
  return (req, res, next) => {
    const body: unknown = req.body;
    if (Buffer.isBuffer(body))
      return next(
        new TypeError(
          'express-authorization-server: oauth.mcp finds a Buffer in req.body, in which it cannot look for called tools: mount it before express.raw()',
        ),
      );
    // GET and DELETE of the transport have no body
    if (req.is('application/json') === null && req.method !== 'POST') return next();
    if (isMessage(body)) return next();
    let problem = 'the body is no JSON-RPC message';
    try {
      leftBody(req, { isJson: true, mount: 'oauth.mcp' });
    } catch (lost) {
      // a parser before this one has read the body; the error says what the site has to change
      problem = report(lost, { endpoint: 'mcp', req, res }).error.description;
    }
    sendProblem(res, 400, -32_600, `Invalid Request: ${problem}`);
  };
}

/**
 * A request and a notification have a method; a response has a result or an error. A tool name must be text, because a
 * server's lookup would convert anything else: `tools[['pay']]` is `tools.pay`.
 */
function isMessage(value: unknown): boolean {
  if (!isObject(value)) return false;
  if (!Object.hasOwn(value, 'method')) return Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error');
  const { method, params } = value as { method?: unknown; params?: { name?: unknown } | null };
  return typeof method === 'string' && (method !== CALL || typeof params?.name === 'string');
}

const CALL = 'tools/call';

/** The tool that a message calls; otherwise undefined. */
export function calledTool(message: unknown) {
  const { method, params } = (message ?? {}) as {
    method?: unknown;
    params?: { name?: unknown; arguments?: unknown } | null;
  };
  if (method !== CALL || typeof params?.name !== 'string') return undefined;
  const { name, arguments: args } = params;
  return { name, args: typeof args === 'object' && args !== null ? { ...args } : {} };
}

/** A JSON-RPC error for a request whose id is unknown. */
export function sendProblem(res: Response, status: number, code: number, message: string): void {
  res
    .status(status)
    .set('X-Content-Type-Options', 'nosniff')
    .json({ jsonrpc: '2.0', id: null, error: { code, message } });
}
