import { OAuthError } from '../errors.js';
import { issueGrant } from '../grants/create-grant.js';
import { requireParameter } from '../protocol/parameters.js';
import type { GrantType, GrantTypeDependencies } from './grant-type.js';

/**
 * The resource owner's name and password for a token. RFC 9700 §2.4 says not to use it: it is on only where the host
 * names it, for clients that are registered for it.
 *
 * @see RFC 6749 §4.3
 */
export function createPasswordGrant(dependencies: GrantTypeDependencies): GrantType {
  const { settings, issuer, resolveScopes } = dependencies;

  return {
    grantType: 'password',
    parameters: ['username', 'password', 'scope'],
    // RFC 6749 §4.3.2: MUST be protected against brute force attacks
    guessedFor: 'username',
    async handle({ client, parameters, resources, emit }) {
      const username = requireParameter(parameters, 'username');
      const password = requireParameter(parameters, 'password');
      const scopes = resolveScopes(client, parameters.scope);
      const userId = await settings.authenticateUser?.(username, password);
      if (typeof userId !== 'string' || userId === '') {
        throw new OAuthError('invalid_grant', 'the user name or the password is wrong', {
          detail: 'authenticateUser gave no user id',
        });
      }
      return issueGrant(dependencies, {
        client,
        emit,
        grantType: 'password',
        scopes,
        resources,
        userId,
        withRefreshToken: issuer.givesRefreshToken(client),
      });
    },
  };
}
