import type { Router } from 'express';

import { detailParameters } from '../../core/authorization-details/read-details.js';
import type { ClientRequest } from '../../core/client-authentication/client-request.js';
import type { Client } from '../../core/clients/client.js';
import type { TokenContext } from '../../core/grant-types/grant-type.js';
import type { TokenResponse } from '../../core/grants/tokens/token-issuer.js';
import type { Binding, Proof } from '../../core/proof-of-possession/binding.js';
import { OAuthError } from '../../shared/errors.js';
import { createGuessLimit, type GuessLimit } from '../../shared/limits/guess-limit.js';
import { requireParameter } from '../../shared/protocol/parameters.js';
import { requireResource } from '../../shared/protocol/resource.js';
import type { Stores } from '../../storage/stores.js';
import { type ClientEndpointDependencies, createClientEndpoint } from '../client-endpoint.js';
import type { Endpoint } from '../endpoint.js';
import type { GrantHandler, Server } from '../server.js';
import { describeAuthentication } from './authentication-metadata.js';

export interface TokenEndpointDependencies extends ClientEndpointDependencies {
  readonly grantTypes: ReadonlyMap<string, GrantHandler>;
  readonly bindings: Server['bindings'];
  readonly models: Pick<Stores, 'checkLoad' | 'failures'>;
}

/**
 * The token endpoint: the client authenticates, then its grant type does the rest.
 *
 * @see RFC 6749 §3.2, §5
 */
export function createTokenEndpoint(dependencies: TokenEndpointDependencies): Router {
  const { settings, grantTypes, bindings } = dependencies;
  const redeem = createRedemption(
    createGuessLimit({
      failures: settings.rateLimits && settings.rateLimits.login,
      shared: { name: 'login', store: dependencies.models.failures },
    }),
  );

  return createClientEndpoint(dependencies, {
    name: 'token',
    crossOrigin: true,
    parameters: [
      'grant_type',
      ...detailParameters(settings),
      ...[...grantTypes.values()].flatMap(({ parameters }) => parameters),
    ],
    repeatable: ['resource', ...[...grantTypes.values()].flatMap(({ repeatable = [] }) => repeatable)],
    takesProof: true,
    grantTypes,
    pendingErrors: [...grantTypes.values()].flatMap(({ pendingErrors = [] }) => pendingErrors),
    read(parameters) {
      const grantType = grantTypes.get(requireParameter(parameters, 'grant_type'));
      return {
        allowsCachedClient: grantType?.allowsCachedClient ?? false,
        ...(grantType?.identify && { identify: grantType.identify }),
        respond(request) {
          const allowed = requireAllowed(grantType, request.client);
          const context = { ...request, proof: resolveBinding(bindings, request) };
          if (allowed.redeemsGrant !== true) requireResource(request.resources, settings);
          refuseDetails(allowed, context);
          return redeem(allowed, context);
        },
      };
    },
  });
}

function requireAllowed(grantType: GrantHandler | undefined, client: Client): GrantHandler {
  if (grantType === undefined)
    throw new OAuthError('unsupported_grant_type', 'the grant type is not supported by this server', {
      reason: 'grant_type_unsupported',
    });
  if (!client.grantTypes.includes(grantType.name))
    throw new OAuthError('unauthorized_client', 'the client is not registered for this grant type', {
      reason: 'grant_type_not_registered',
    });
  return grantType;
}

/** RFC 9396 §6: details that a grant type ignores would be granted to nobody. */
function refuseDetails({ takesDetails }: GrantHandler, { authorizationDetails }: TokenContext): void {
  if (authorizationDetails !== undefined && takesDetails !== true)
    throw new OAuthError('invalid_authorization_details', 'this grant type gives no authorization_details', {
      reason: 'authorization_details_not_granted',
    });
}

/** What the tokens of a request are bound to. @throws OAuthError if what they have to be bound to is missing */
function resolveBinding(bindings: Server['bindings'], request: ClientRequest): Proof | undefined {
  const found = bindings.map((find) => find(request)).filter((binding) => binding !== undefined);
  if (found.length === 0) return undefined;
  const binding = Object.assign({}, ...found) as Binding;
  return { ...binding, use: async () => request.proof?.use() };
}

/** RFC 6749 §4.3.2, §10.10: what a person chose can be guessed, so failures are limited as on the login page. */
function createRedemption(limit: GuessLimit) {
  return async ({ throttledBy, handle }: GrantHandler, context: TokenContext): Promise<TokenResponse> => {
    const guessed = throttledBy === undefined ? undefined : context.parameters[throttledBy];
    if (guessed === undefined) return handle(context);
    let refusal: unknown;
    const response = await limit(context.origin, guessed, async () => {
      try {
        return await handle(context);
      } catch (error) {
        if (!(error instanceof OAuthError) || error.error !== 'invalid_grant') throw error;
        refusal = error;
        return null;
      }
    });
    if (response === null) throw refusal;
    return response;
  };
}

export const token: Endpoint = {
  name: 'token',
  create: (server) => createTokenEndpoint({ ...server, grantTypes: server.tokenGrantTypes }),
  metadata: (server, url) => ({ token_endpoint: url, ...describeAuthentication(server, 'token') }),
};
