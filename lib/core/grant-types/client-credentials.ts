import { OAuthError } from '../../shared/errors.js';
import { createFailureLimit, failureKey } from '../../shared/limits/failure-limit.js';
import { isThirdParty } from '../clients/provenance.js';
import { issueGrant } from '../grants/issue-grant.js';
import type { GrantType } from './grant-type.js';

/** The limit of each client that the site has not registered, trusted or verified. */
const UNCHECKED_TOKENS_PER_MINUTE = 60;

/**
 * Issues a token to a client that acts for itself. There is no user, and so no refresh token.
 *
 * @see RFC 6749 §4.4
 */
export const clientCredentials: GrantType<'client_credentials'> = {
  name: 'client_credentials',
  openapiFlow: { name: 'clientCredentials', urls: { tokenUrl: 'token' } },
  isDefault: true,
  takesDetails: true,
  parameters: ['scope'],
  create(dependencies) {
    const { settings, failures: store } = dependencies;
    // each token is a stored grant without a user's consent
    const limit = createFailureLimit(
      settings.security.rateLimits && {
        failures: UNCHECKED_TOKENS_PER_MINUTE,
        window: 60,
        counted: 'tokens',
        shared: { name: 'client credentials', store },
      },
    );
    return async (context) => {
      const { client, parameters, resources, authorizationDetails = [] } = context;
      // RFC 6749 §4.4: MUST only be used by confidential clients
      if (client.type !== 'confidential')
        throw new OAuthError('unauthorized_client', 'a public client cannot use client_credentials', {
          reason: 'public_client',
        });
      // RFC 9396 §6: without a user, the site must have allowed the details; a self-registered client only claims them
      const { authorizationDetailsTypes: registered = [] } = client;
      const isAllowed =
        !isThirdParty(client) && authorizationDetails.every(({ type }) => registered.includes(type));
      if (authorizationDetails.length > 0 && !isAllowed)
        throw new OAuthError(
          'invalid_authorization_details',
          'the client is not registered for these authorization_details in its own name',
          { reason: 'authorization_details_not_registered' },
        );
      const scopes = dependencies.resolveScopes(client, parameters.scope, authorizationDetails);
      if (isThirdParty(client)) await limit.consume(failureKey({}, client.clientId));
      return issueGrant(dependencies, context, {
        grantType: 'client_credentials',
        authorization: { scopes, resources, authorizationDetails },
        withRefreshToken: false,
        mayBeStateless: true,
      });
    };
  },
};
