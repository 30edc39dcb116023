import type { Router } from 'express';

import { detailParameters } from '../../core/authorization-details/read-details.js';
import type { ClientRequest } from '../../core/client-authentication/client-request.js';
import type { Client } from '../../core/clients/client.js';
import type { GrantHandler } from '../../core/grant-types/grant-handler.js';
import type { Proof } from '../../core/proof-of-possession/binding.js';
import { OAuthError } from '../../shared/errors.js';
import { requireParameter } from '../../shared/protocol/parameters.js';
import { requireResource } from '../../shared/protocol/resource.js';
import { type ClientEndpointDependencies, createClientEndpoint } from '../client-endpoint.js';
import type { Endpoint } from '../endpoint.js';
import type { FindBinding } from '../endpoint-of.js';
import { describeAuthentication } from './authentication-metadata.js';

export interface TokenEndpointDependencies extends ClientEndpointDependencies {
  readonly grantTypes: ReadonlyMap<string, GrantHandler>;
  readonly bindings: readonly FindBinding[];
}

/**
 * The token endpoint. `client-endpoint.ts` reads the form and authenticates the client. `core/grant-types/<name>` finds
 * the grant, checks who presents the code or token, and redeems, sends a lost response again, or revokes.
 * `token-issuer.ts` in `core/grants/tokens` decides what the tokens are and makes them. `storage/grants` stores them in
 * one update.
 *
 * @see RFC 6749 §3.2, §5
 */
export function createTokenEndpoint(dependencies: TokenEndpointDependencies): Router {
  const { settings, grantTypes, bindings } = dependencies;
  const handlers = [...grantTypes.values()];

  return createClientEndpoint(dependencies, {
    name: 'token',
    crossOrigin: true,
    parameters: [
      'grant_type',
      ...detailParameters(settings),
      ...handlers.flatMap(({ parameters }) => parameters),
    ],
    repeatable: ['resource', ...handlers.flatMap(({ repeatable = [] }) => repeatable)],
    takesProof: true,
    grantTypes,
    pendingErrors: handlers.flatMap(({ pendingErrors = [] }) => pendingErrors),
    read(parameters) {
      const handler = grantTypes.get(requireParameter(parameters, 'grant_type'));
      return {
        allowsCachedClient: handler?.allowsCachedClient ?? false,
        identifyUnauthenticated: handler?.identifyUnauthenticated,
        // an unknown grant type is refused here, after the client has authenticated
        async respond(request) {
          const { name, mayOmitResource, takesDetails, handle } = requireHandler(handler);
          requireRegistered(name, request.client);
          const proof = findProof(bindings, request);
          if (mayOmitResource !== true) requireResource(request.resources, settings);
          if (takesDetails !== true) refuseDetails(request);
          return handle({ ...request, proof });
        },
      };
    },
  });
}

function requireHandler(handler: GrantHandler | undefined): GrantHandler {
  if (handler !== undefined) return handler;
  throw new OAuthError('unsupported_grant_type', 'the grant type is not supported by this server', {
    reason: 'grant_type_unsupported',
  });
}

function requireRegistered(grantType: string, client: Client): void {
  if (client.grantTypes.includes(grantType)) return;
  throw new OAuthError('unauthorized_client', 'the client is not registered for this grant type', {
    reason: 'grant_type_not_registered',
  });
}

/**
 * The key and the certificate that the tokens of a request are bound to, as the features dpop and mutual-tls find them.
 *
 * @throws OAuthError if the client has to show one and does not
 * @see RFC 9449 §5, RFC 8705 §3
 */
function findProof(bindings: readonly FindBinding[], request: ClientRequest): Proof | undefined {
  const found = bindings.map((find) => find(request)).filter((binding) => binding !== undefined);
  if (found.length === 0) return undefined;
  const binding = found.reduce((both, each) => ({ ...both, ...each }));
  return { ...binding, use: async () => request.dpopProof?.use() };
}

/** RFC 9396 §6: if a grant type passed over the details, the client would believe that they were granted. */
function refuseDetails({ authorizationDetails }: ClientRequest): void {
  if (authorizationDetails === undefined) return;
  throw new OAuthError('invalid_authorization_details', 'this grant type gives no authorization_details', {
    reason: 'authorization_details_not_granted',
  });
}

export const token: Endpoint = {
  name: 'token',
  create: (server) => createTokenEndpoint({ ...server, grantTypes: server.tokenGrantTypes }),
  metadata: (server, url) => ({ token_endpoint: url, ...describeAuthentication(server, 'token') }),
};
