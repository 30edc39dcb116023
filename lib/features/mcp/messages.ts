import type { RequestHandler, Response } from 'express';

import { leftBody } from '../../core/http/body.js';
import type { Report } from '../../core/observability/report.js';
import { isObject } from '../../shared/schema.js';

/**
 * Reads the message of a request into `req.body`. JSON-RPC 2.0 §5.1: -32700 for what is not JSON; what a parser of the
 * site has read is left as it is.
 */
export const readMessage: RequestHandler = (req, res, next) => {
  // what is not JSON here must not be JSON to the server behind, which would then call tools unchecked
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
 * Refuses a body in which the called tools cannot be found: the server behind might read it in another way, and call
 * tools without their scopes. JSON-RPC 2.0 §5.1: -32600 for JSON that is no message.
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
      // somebody in front has read the body and left nothing of it: the site is told what to do
      problem = report(lost, { endpoint: 'mcp', req, res }).error.description;
    }
    sendProblem(res, 400, -32_600, `Invalid Request: ${problem}`);
  };
}

/**
 * A request and a notification have a method; a response has a result or an error. What is no text where the method or
 * the tool is named would become one as soon as a server looks it up: `tools[['pay']]` is `tools.pay`.
 */
function isMessage(value: unknown): boolean {
  if (!isObject(value)) return false;
  if (!Object.hasOwn(value, 'method')) return Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error');
  const { method, params } = value as { method?: unknown; params?: { name?: unknown } | null };
  return typeof method === 'string' && (method !== CALL || typeof params?.name === 'string');
}

const CALL = 'tools/call';

/** The tool that a message calls; undefined if it calls none. */
export function calledTool(message: unknown) {
  const { method, params } = (message ?? {}) as {
    method?: unknown;
    params?: { name?: unknown; arguments?: unknown } | null;
  };
  if (method !== CALL || typeof params?.name !== 'string') return undefined;
  const { name, arguments: args } = params;
  return { name, args: typeof args === 'object' && args !== null ? { ...args } : {} };
}

/** An error of JSON-RPC, to a request whose id is not known. */
export function sendProblem(res: Response, status: number, code: number, message: string): void {
  res
    .status(status)
    .set('X-Content-Type-Options', 'nosniff')
    .json({ jsonrpc: '2.0', id: null, error: { code, message } });
}
