import { detailParameters } from '../../core/authorization-details/read-details.js';
import type { Proof } from '../../core/proof-of-possession/binding.js';
import { OAuthError } from '../../shared/errors.js';
import { requireParameter } from '../../shared/protocol/parameters.js';
import { requireResource } from '../../shared/protocol/resource.js';
import { createClientEndpoint, describeAuthentication } from '../client-endpoint.js';
import type { Endpoint } from '../server.js';

/**
 * The token endpoint. `client-endpoint.ts` reads the form and authenticates the client. `core/grant-types/<name>` finds
 * the grant, checks who presents the code or token, and redeems, sends a lost response again, or revokes.
 * `token-issuer.ts` in `core/grants/tokens` decides about the tokens and makes them. `storage/grants` stores them in
 * one update.
 *
 * @see RFC 6749 §3.2, §5
 */
export const token: Endpoint = {
  name: 'token',
  create(server) {
    const { settings, tokenGrantTypes: grantTypes, bindings } = server;
    const handlers = [...grantTypes.values()];

    return createClientEndpoint(server, {
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
          async respond(request) {
            // an unknown grant type is refused here, after the client has authenticated
            if (handler === undefined)
              throw new OAuthError(
                'unsupported_grant_type',
                'the grant type is not supported by this server',
                { reason: 'grant_type_unsupported' },
              );
            if (!request.client.grantTypes.includes(handler.name))
              throw new OAuthError(
                'unauthorized_client',
                'the client is not registered for this grant type',
                { reason: 'grant_type_not_registered' },
              );
            // RFC 9449 §5, RFC 8705 §3: the binding of the tokens to a key, a certificate or both. Each function throws
            // if its own kind is missing and the client needs that kind; the issuer checks whether any is missing
            const proven = bindings.flatMap((findBinding) => findBinding(request) ?? []);
            const use = async () => request.dpopProof?.use();
            const proof =
              proven.length === 0
                ? undefined
                : proven.reduce<Proof>((binding, each) => ({ ...binding, ...each }), { use });

            const { mayOmitResource = false, takesDetails = false } = handler;
            if (!mayOmitResource) requireResource(request.resources, settings);
            // RFC 9396 §6: if a grant type ignored the details, the client would believe that they were granted
            if (!takesDetails && request.authorizationDetails !== undefined)
              throw new OAuthError(
                'invalid_authorization_details',
                'this grant type gives no authorization_details',
                { reason: 'authorization_details_not_granted' },
              );
            return handler.handle({ ...request, proof });
          },
        };
      },
    });
  },
  metadata: (server, url) => ({ token_endpoint: url, ...describeAuthentication(server, 'token') }),
};
