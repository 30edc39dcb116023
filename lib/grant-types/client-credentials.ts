import { isByOthers } from '../clients/by-others.js';
import { OAuthError } from '../errors.js';
import { issueGrant } from '../grants/issue-grant.js';
import { createFailureLimit, failureKey } from '../limits/failure-limit.js';
import type { GrantType } from './grant-type.js';

/**
 * A token for what the client itself may do; no person is behind it, so no refresh token either.
 *
 * @see RFC 6749 §4.4
 */
export const clientCredentials: GrantType<'client_credentials'> = {
  name: 'client_credentials',
  isDefault: true,
  parameters: ['scope'],
  create(dependencies) {
    const { settings, failures: store } = dependencies;
    // each token is a grant that is stored, and no person has a say in it
    const limit = createFailureLimit(
      settings.rateLimits && {
        failures: settings.rateLimits.clientCredentials,
        window: 60,
        counted: 'tokens',
        shared: { name: 'client credentials', store },
      },
    );
    return async ({ client, parameters, resources, proof, now, emit }) => {
      // RFC 6749 §4.4: MUST only be used by confidential clients
      if (client.type !== 'confidential')
        throw new OAuthError('unauthorized_client', 'a public client cannot use client_credentials', {
          reason: 'public_client',
        });
      const scopes = dependencies.resolveScopes(client, parameters.scope);
      if (isByOthers(client)) await limit.spend(failureKey({}, client.clientId));
      return issueGrant(dependencies, {
        client,
        grantType: 'client_credentials',
        authorization: { scopes, resources },
        withRefreshToken: false,
        now,
        proof,
        emit,
      });
    };
  },
};
