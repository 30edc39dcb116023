import { type Request, type Response, Router } from 'express';

import type { ClaimedClient, ClientAuthentication } from '../client-authentication/index.js';
import type { Client } from '../clients/client.js';
import type { FindClientOptions } from '../clients/client-store.js';
import { OAuthError } from '../errors.js';
import { authorizationOf } from '../http/authorization-header.js';
import { crossOrigin } from '../http/cross-origin.js';
import { formBody } from '../http/form-body.js';
import { handle } from '../http/handle.js';
import { jsonError, sendJson } from '../http/json-error.js';
import { refuseOtherMethods } from '../http/methods.js';
import { queryOf } from '../http/query.js';
import { secureTransport } from '../http/secure-transport.js';
import { countingFailures, createFailureLimit, failureKey } from '../limits/failure-limit.js';
import { type Emit, emitFor, type OAuthEvents } from '../observability/events.js';
import type { Report } from '../observability/report.js';
import { type Parameters, parseParameters } from '../protocol/parameters.js';
import type { Settings } from '../settings/settings.js';
import { emitRefusal } from './refusal.js';

/** Client authentication that refuses a caller who was wrong too often. */
export interface LimitedAuthentication extends Pick<ClientAuthentication, 'identify'> {
  /** @throws OAuthError */
  authenticate(req: Request, claimed: ClaimedClient, options: FindClientOptions): Promise<Client>;
}

export interface ClientEndpointDependencies {
  readonly settings: Settings;
  readonly clientAuthentication: LimitedAuthentication;
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
  /** Whether what this request asks for was granted before and ends with its client, so that the client may be a remembered one. Default: no. */
  readonly mayRememberClient?: (parameters: Parameters) => boolean;
  /** What must be there before the client is looked at. @throws OAuthError */
  readonly check?: (parameters: Parameters) => void;
  /** The response's body. @throws OAuthError */
  respond(request: {
    readonly req: Request;
    readonly client: Client;
    readonly parameters: Parameters;
    readonly emit: Emit;
  }): Promise<object>;
  /** Writes the response. Default: JSON. */
  send?(response: {
    readonly req: Request;
    readonly res: Response;
    readonly client: Client;
    readonly body: object;
  }): Promise<void>;
}

/**
 * An endpoint that takes a form by POST from an authenticated client and answers JSON.
 *
 * @see RFC 6749 §3.2, RFC 7009 §2, RFC 7662 §2
 */
export function createClientEndpoint(
  dependencies: ClientEndpointDependencies,
  endpoint: ClientEndpoint,
): Router {
  const { settings, clientAuthentication, clientParameters, report } = dependencies;
  const known = new Set([...clientParameters, ...endpoint.parameters]);

  const router = Router();
  if (endpoint.crossOrigin) router.use(crossOrigin('POST'));
  router.post(
    '/',
    secureTransport(settings),
    ...formBody(),
    handle(async (req, res) => {
      refuseQuery(req, known, endpoint.name);
      const parameters = parseParameters(req.body, known);
      endpoint.check?.(parameters);
      const claimed = clientAuthentication.identify({ authorization: authorizationOf(req), parameters });
      const client = await clientAuthentication.authenticate(req, claimed, {
        fresh: settings.clientCacheTtl === 0 || endpoint.mayRememberClient?.(parameters) !== true,
      });
      const body = await endpoint.respond({
        req,
        client,
        parameters,
        emit: emitFor(dependencies.events, req),
      });
      if (endpoint.send === undefined) return sendJson(res, body);
      await endpoint.send({ req, res, client, body });
    }),
  );
  // RFC 6749 §3.2: the client MUST use the HTTP POST method
  router.all('/', refuseOtherMethods('POST'));
  router.use(emitRefusal(dependencies, { name: endpoint.name, parameters: known }));
  router.use(jsonError(endpoint.name, report));
  return router;
}

/**
 * One limit for all endpoints, counted per address and client: another endpoint gives no further tries.
 *
 * @see RFC 6749 §2.3.1: MUST be protected against brute force attacks
 */
export function createLimitedAuthentication(
  { rateLimits }: Settings,
  { identify, authenticate }: ClientAuthentication,
): LimitedAuthentication {
  const limit = createFailureLimit(rateLimits && { failures: rateLimits.token, window: 60 });
  return {
    identify,
    authenticate(req, claimed, options) {
      const key = failureKey(req, claimed.clientId);
      return countingFailures({ limit, key, code: 'invalid_client' }, () =>
        authenticate(claimed, { ...options, beforeGuess: () => limit.check(key) }),
      );
    },
  };
}

/** RFC 6749 §2.3.1, §3.2: parameters go into the body; a secret in a URL ends up in logs, so it is never taken from there. */
function refuseQuery(req: Request, known: ReadonlySet<string>, name: string): void {
  if (Object.keys(queryOf(req)).some((parameter) => known.has(parameter))) {
    throw new OAuthError(
      'invalid_request',
      `parameters of the ${name} endpoint belong in the request body, not in the URL`,
    );
  }
}
