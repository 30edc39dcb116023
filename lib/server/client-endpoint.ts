import { type ErrorRequestHandler, type Request, type Response, Router } from 'express';

import { readDetails } from '../core/authorization-details/read-details.js';
import type { ClientRequest } from '../core/client-authentication/client-request.js';
import type { Client } from '../core/clients/client.js';
import { algorithmsFor } from '../core/clients/fapi-profile.js';
import { refuseBlocked } from '../core/clients/status/blocked-client.js';
import type { IdentifyUnauthenticated } from '../core/grant-types/grant-type.js';
import { authorizationOf } from '../core/http/authorization-header.js';
import { formBody } from '../core/http/body.js';
import { crossOrigin } from '../core/http/cross-origin.js';
import { handle, refuseOtherMethods, shedLoad } from '../core/http/handle.js';
import { jsonError, sendJson } from '../core/http/json-error.js';
import { queryOf } from '../core/http/query.js';
import { requestOriginOf } from '../core/http/request-origin.js';
import { secureTransport } from '../core/http/secure-transport.js';
import { emitFor } from '../core/observability/events.js';
import type { KeyProof } from '../core/proof-of-possession/binding.js';
import { urlsOf } from '../settings/endpoint-urls.js';
import { PROFILE_ALGORITHMS } from '../settings/profile.js';
import { invalidRequest, toOAuthError } from '../shared/errors.js';
import { type Form, type Parameters, parseParameters, peekParameter } from '../shared/protocol/parameters.js';
import { parseResources } from '../shared/protocol/resource.js';
import type { Server, ServerMetadata } from './server.js';

/** The parts of a request that precede the authentication of its client. */
export interface ClientCall {
  /**
   * Whether a cached client may be used. This is safe for a request about a stored grant: blocking or deleting the
   * client ends its grants.
   */
  readonly allowsCachedClient: boolean;
  /** Finds the client of a request without client credentials. Default: each client authenticates. */
  readonly identifyUnauthenticated?: IdentifyUnauthenticated | undefined;
  /** The response's body. @throws OAuthError */
  readonly respond: (request: ClientRequest) => Promise<object>;
}

/** An endpoint for clients, without the parts that all such endpoints share. */
export interface ClientEndpoint {
  readonly name: string;
  /** The request parameters of the endpoint, besides those of the client's authentication. */
  readonly parameters: readonly string[];
  /** The parameters that may be repeated, such as `resource` (RFC 8707 §2). */
  readonly repeatable?: readonly string[];
  /** Whether the endpoint reads a client's proof of a key (RFC 9449). */
  readonly takesProof?: boolean;
  /** Whether blocked clients may call the endpoint, such as revocation, which grants nothing. */
  readonly allowsBlocked?: boolean;
  /** Whether clients in browsers call it from their own origin. */
  readonly crossOrigin: boolean;
  /** The errors that tell the client to ask again, such as `authorization_pending`: they emit no event of a refusal. */
  readonly pendingErrors?: readonly string[];
  /** The grant types of the endpoint. Events name only these, since a client can send any text. */
  readonly grantTypes?: { has(name: string): boolean };
  /** Reads the request. @throws OAuthError if a parameter is missing that every such request needs */
  read(parameters: Parameters, form: Form): ClientCall;
  /** Writes the response. Default: JSON. */
  readonly send?: (response: {
    readonly req: Request;
    readonly res: Response;
    readonly client: Client;
    readonly body: object;
    readonly now: Date;
  }) => Promise<void>;
}

/** The event about a refusal; device and pushed requests are authorization requests (RFC 8628 §3.1, RFC 9126 §2). */
const REFUSED: Readonly<Record<string, 'token.refused' | 'authorization.refused'>> = {
  token: 'token.refused',
  par: 'authorization.refused',
  device_authorization: 'authorization.refused',
};

/**
 * An endpoint that takes a form by POST from an authenticated client and answers JSON.
 *
 * @see RFC 6749 §3.2, RFC 7009 §2, RFC 7662 §2
 */
export function createClientEndpoint(server: Server, endpoint: ClientEndpoint): Router {
  const { settings, models, clientAuthentication, proofs, report, events } = server;
  const { name, repeatable = [], takesProof = false, pendingErrors = [] } = endpoint;
  const parameterNames = {
    single: new Set([...clientAuthentication.parameters, ...endpoint.parameters]),
    repeatable: new Set(repeatable),
  };
  /** The client ids of requests, for events about refusals. */
  const clientIds = new WeakMap<Request, string>();

  const router = Router();
  if (endpoint.crossOrigin) router.all('/', crossOrigin('POST'));
  router.post(
    '/',
    secureTransport(settings),
    shedLoad(models.checkLoad),
    ...formBody(),
    handle(async (req, res) => {
      // RFC 6749 §2.3.1, §3.2: parameters belong in the body; a secret in a URL ends up in logs
      if (
        Object.keys(queryOf(req)).some((sent) => parameterNames.single.has(sent) || repeatable.includes(sent))
      )
        throw invalidRequest(
          `parameters of the ${name} endpoint belong in the request body, not in the URL`,
          'parameters_in_url',
        );
      const { parameters, repeated } = parseParameters(req.body, parameterNames);
      // the request itself, before its client is known: at the token endpoint the grant type decides
      const { allowsCachedClient, identifyUnauthenticated, respond } = endpoint.read(
        parameters,
        req.body as Form,
      );
      const origin = requestOriginOf(req);
      const now = new Date();
      const certificate = server.readCertificate?.(req);
      const request = { authorization: authorizationOf(req), parameters, certificate, now };
      const onFound = ({ clientId }: Client) => void clientIds.set(req, clientId);
      // RFC 7521 §4.1: identified by an assertion, and not authenticated; the grant type verifies the assertion
      const identified = await identifyUnauthenticated?.(request);
      if (identified !== undefined) onFound(identified);
      const client =
        identified ??
        (await clientAuthentication.authenticate(request, { origin, allowsCachedClient, onFound }));
      if (endpoint.allowsBlocked !== true) refuseBlocked(client);
      // RFC 8707 §2.2, RFC 9396 §6: the resources and details that the request names
      const resources = parseResources(repeated.resource ?? [], settings.resources);
      const authorizationDetails = await readDetails(parameters.authorization_details, client, settings);

      // RFC 9449 §5: the DPoP proof, if present. It is consumed later, just before tokens are made. Without DPoP, the
      // header is ignored like any unknown one
      let dpopProof: KeyProof | undefined;
      if (takesProof && proofs !== undefined && req.headers.dpop !== undefined) {
        const algorithms = algorithmsFor(settings, client);
        const target = { method: 'POST', urls: urlsOf(settings, name), now, algorithms };
        dpopProof = await proofs.verify(String(req.headers.dpop), target);
        // §8.2: the response gives the client the nonce of its next proof
        res.set(proofs.headers(now));
      }
      const body = await respond({
        client,
        parameters,
        repeated,
        resources,
        authorizationDetails,
        dpopProof,
        certificate,
        origin,
        now,
        emit: emitFor(events, req),
      });
      if (endpoint.send === undefined) return sendJson(res, body);
      await endpoint.send({ req, res, client, body, now });
    }),
  );
  // RFC 6749 §3.2: the client MUST use the HTTP POST method
  router.all('/', refuseOtherMethods('POST'));
  // events about refusals. An unknown client id or grant type may be any text, even a misplaced secret: events do not
  // contain it
  const refused = REFUSED[name];
  const emitRefusal: ErrorRequestHandler = (thrown, req, _res, next) => {
    const { error, status, reason } = toOAuthError(thrown);
    const clientId = clientIds.get(req);
    const sent = peekParameter(req.body, 'grant_type') ?? '';
    const grantType = endpoint.grantTypes?.has(sent) === true ? sent : undefined;
    const data = { endpoint: name, error, reason, clientId, grantType };
    // a failed authentication is a refusal as well; an exceeded limit is reported instead of one
    if (error === 'invalid_client') events.emit('client.authentication_failed', data, req);
    if (status === 429) events.emit('rate.limited', data, req);
    else if (refused !== undefined && !pendingErrors.includes(error)) events.emit(refused, data, req);
    next(thrown);
  };
  router.use(emitRefusal, jsonError(name, report));
  return router;
}

/** Describes authentication at an endpoint, under the prefix of RFC 8414 §2. */
export function describeAuthentication(
  { clientAuthenticationMethods: methods, settings }: Server,
  prefix: string,
  isAllowed: (name: string) => boolean = () => true,
): ServerMetadata {
  const algorithms = new Set(methods.flatMap(({ signingAlgorithms = [] }) => signingAlgorithms));
  return {
    [`${prefix}_endpoint_auth_methods_supported`]: methods.map(({ name }) => name).filter(isAllowed),
    [`${prefix}_endpoint_auth_signing_alg_values_supported`]: [...algorithms].filter(
      (name) => settings.profile === undefined || PROFILE_ALGORITHMS.includes(name),
    ),
  };
}
