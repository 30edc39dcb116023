import type { Request, Router } from 'express';

import type { Client } from '../clients/client.js';
import { OAuthError } from '../errors.js';
import type { GrantType, TokenRequest } from '../grant-types/grant-type.js';
import type { TokenResponse } from '../grants/token-issuer.js';
import { createGuessLimit } from '../limits/guess-limit.js';
import { requireParameter } from '../protocol/parameters.js';
import { parseResources } from '../protocol/resource.js';
import { type ClientEndpointDependencies, createClientEndpoint } from '../server/client-endpoint.js';
import type { Settings } from '../settings/settings.js';

export interface TokenEndpointDependencies extends ClientEndpointDependencies {
  readonly grantTypes: ReadonlyMap<string, GrantType>;
}

/**
 * The token endpoint: the client is who it says, then its grant type does the rest.
 *
 * @see RFC 6749 §3.2, §5
 */
export function createTokenEndpoint(dependencies: TokenEndpointDependencies): Router {
  const { settings, grantTypes } = dependencies;
  const redeem = limitedGrant(settings);

  return createClientEndpoint(dependencies, {
    name: 'token',
    crossOrigin: true,
    parameters: ['grant_type', ...[...grantTypes.values()].flatMap(({ parameters }) => parameters)],
    mayRememberClient: ({ grant_type: name = '' }) => grantTypes.get(name)?.goesByStoredGrant === true,
    check: (parameters) => requireParameter(parameters, 'grant_type'),
    respond: ({ req, client, parameters, emit }) =>
      redeem(req, selectGrantType(grantTypes, requireParameter(parameters, 'grant_type'), client), {
        client,
        parameters,
        emit,
        resources: parseResources(req.body, settings.resources),
      }),
  });
}

function selectGrantType(
  grantTypes: ReadonlyMap<string, GrantType>,
  name: string,
  client: Client,
): GrantType {
  const grantType = grantTypes.get(name);
  if (grantType === undefined)
    throw new OAuthError('unsupported_grant_type', 'the grant type is not supported by this server');
  if (!client.grantTypes.includes(name))
    throw new OAuthError('unauthorized_client', 'the client is not registered for this grant type');
  return grantType;
}

/** RFC 6749 §4.3.2, §10.10: what a person chose can be guessed, so failures are limited as on the login page. */
function limitedGrant({ rateLimits }: Settings) {
  const limit = createGuessLimit(rateLimits && rateLimits.login);
  return async (req: Request, grantType: GrantType, request: TokenRequest): Promise<TokenResponse> => {
    const guessed = grantType.guessedFor === undefined ? undefined : request.parameters[grantType.guessedFor];
    if (guessed === undefined) return grantType.handle(request);
    let refusal: unknown;
    const response = await limit(req, guessed, async () => {
      try {
        return await grantType.handle(request);
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
