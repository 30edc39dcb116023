import { OAuthError } from '../errors.js';
import { issueGrant } from '../grants/create-grant.js';
import type { GrantType, GrantTypeDependencies } from './grant-type.js';

/**
 * A token for what the client itself may do; no person is behind it, so no refresh token either.
 *
 * @see RFC 6749 §4.4
 */
export function createClientCredentialsGrant(dependencies: GrantTypeDependencies): GrantType {
  return {
    grantType: 'client_credentials',
    parameters: ['scope'],
    async handle({ client, parameters, resources, emit }) {
      // RFC 6749 §4.4: MUST only be used by confidential clients
      if (client.type !== 'confidential')
        throw new OAuthError('unauthorized_client', 'a public client cannot use client_credentials');
      const scopes = dependencies.resolveScopes(client, parameters.scope);
      return issueGrant(dependencies, {
        client,
        emit,
        grantType: 'client_credentials',
        scopes,
        resources,
        withRefreshToken: false,
      });
    },
  };
}
