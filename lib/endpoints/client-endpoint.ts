import { Router, type Request } from 'express';
import type { ClientAuthentication } from '../client-authentication/index.js';
import type { ClientAuthenticationRequest } from '../client-authentication/method.js';
import { OAuthError } from '../errors.js';
import { emitFor, type Emit, type OAuthEvents } from '../events.js';
import { crossOrigin } from '../http/cross-origin.js';
import { countingFailures, createFailureLimit, failureKey } from '../http/failure-limit.js';
import { formBody } from '../http/form-body.js';
import { handle } from '../http/handle.js';
import { jsonError, sendJson } from '../http/json-error.js';
import { refuseOtherMethods } from '../http/methods.js';
import { queryOf } from '../http/query.js';
import type { Report } from '../http/report.js';
import { secureTransport } from '../http/secure-transport.js';
import type { StoredClient } from '../models/clients.js';
import { parseParameters, type Parameters } from '../protocol/parameters.js';
import type { Settings } from '../settings.js';
import { emitRefusal } from './refusal.js';

export interface ClientEndpointDependencies {
  readonly settings: Settings;
  readonly clientAuthentication: ClientAuthentication;
  /** Parameters that some client authentication method reads. */
  readonly clientParameters: readonly string[];
  readonly report: Report;
  readonly events: OAuthEvents;
}

/** What an endpoint that clients call does with a request of theirs. */
export interface ClientEndpoint {
  readonly name: string;
  /** The request parameters it reads, beside those of the client's authentication. */
  readonly parameters: readonly string[];
  /** Whether clients in browsers call it from their own origin. */
  readonly crossOrigin: boolean;
  /** What must be there before the client is looked at. @throws OAuthError */
  readonly check?: (parameters: Parameters) => void;
  /** The response's body. @throws OAuthError */
  respond(request: { readonly req: Request; readonly client: StoredClient; readonly parameters: Parameters; readonly emit: Emit }): Promise<object>;
}

/**
 * An endpoint that takes a form by POST from an authenticated client and answers JSON.
 *
 * @see RFC 6749 §3.2, RFC 7009 §2, RFC 7662 §2
 */
export function createClientEndpoint(dependencies: ClientEndpointDependencies, endpoint: ClientEndpoint): Router {
  const { settings, clientParameters, report } = dependencies;
  const known = new Set([...clientParameters, ...endpoint.parameters]);
  const authenticate = limitedAuthentication(dependencies);

  const router = Router();
  if (endpoint.crossOrigin) router.use(crossOrigin('POST'));
  router.post('/', secureTransport(settings), ...formBody(), handle(async (req, res) => {
    refuseQuery(req, known, endpoint.name);
    const parameters = parseParameters(req.body, known);
    endpoint.check?.(parameters);
    const client = await authenticate(req, { authorization: authorizationOf(req), parameters });
    sendJson(res, await endpoint.respond({ req, client, parameters, emit: emitFor(dependencies.events, req) }));
  }));
  // RFC 6749 §3.2: the client MUST use the HTTP POST method
  router.all('/', refuseOtherMethods('POST'));
  router.use(emitRefusal(dependencies, { name: endpoint.name, parameters: known }));
  router.use(jsonError(endpoint.name, report));
  return router;
}

/** RFC 6749 §2.3.1: MUST be protected against brute force attacks; counted per address and client. */
function limitedAuthentication({ settings: { rateLimits }, clientAuthentication }: ClientEndpointDependencies) {
  const limit = createFailureLimit(rateLimits && { failures: rateLimits.token, window: 60 });
  return (req: Request, request: ClientAuthenticationRequest): Promise<StoredClient> => {
    const key = failureKey(req, clientAuthentication.claimedClientId(request) ?? '');
    return countingFailures({ limit, key, code: 'invalid_client' }, () => clientAuthentication.authenticate({ ...request, beforeGuess: () => limit.check(key) }));
  };
}

/** RFC 6749 §2.3.1, §3.2: parameters go into the body; a secret in a URL ends up in logs, so it is never taken from there. */
function refuseQuery(req: Request, known: ReadonlySet<string>, name: string): void {
  if (Object.keys(queryOf(req)).some((parameter) => known.has(parameter))) {
    throw new OAuthError('invalid_request', `parameters of the ${name} endpoint belong in the request body, not in the URL`);
  }
}

/** Node keeps the first of several Authorization headers: which one counts must not be a guess. */
function authorizationOf(req: Request): string | undefined {
  const [authorization, ...more] = req.headersDistinct.authorization ?? [];
  if (more.length > 0) throw new OAuthError('invalid_request', 'more than one Authorization header');
  return authorization;
}
