import { OAuthError } from '../../shared/errors.js';
import { createGuessLimit } from '../../shared/limits/guess-limit.js';
import { requireParameter } from '../../shared/protocol/parameters.js';
import { issueGrant } from '../grants/issue-grant.js';
import type { GrantType } from './grant-type.js';

/**
 * Issues a token for the resource owner's name and password. RFC 9700 §2.4 forbids this grant: it is on only if the
 * site names it, for clients that are registered for it.
 *
 * @see RFC 6749 §4.3
 */
export const password: GrantType<'password'> = {
  name: 'password',
  openapiFlow: { name: 'password', urls: { tokenUrl: 'token', refreshUrl: 'token' } },
  parameters: ['username', 'password', 'scope'],
  needs: {
    option: 'people.authenticate',
    because:
      'is needed by the password grant: write people: { authenticate: async (username, password) => userId or null }',
  },
  create(dependencies) {
    const { settings, failures: store, issuer, resolveScopes } = dependencies;
    // RFC 6749 §4.3.2: MUST be protected against brute force attacks; the limit is shared with the login page
    const limit = createGuessLimit({
      failures: settings.security.rateLimits && settings.security.rateLimits.login,
      shared: { name: 'login', store },
    });
    return async (context) => {
      const { client, parameters, resources, origin } = context;
      const username = requireParameter(parameters, 'username');
      const secret = requireParameter(parameters, 'password');
      const scopes = resolveScopes(client, parameters.scope);
      const userId = await limit(origin, username, async () => {
        const result = await settings.people.authenticate?.(username, secret);
        return typeof result === 'string' && result !== '' ? result : null;
      });
      if (userId === null) {
        throw new OAuthError('invalid_grant', 'the user name or the password is wrong', {
          reason: 'wrong_password',
          detail: 'people.authenticate gave no user id',
        });
      }
      return issueGrant(dependencies, context, {
        grantType: 'password',
        authorization: { userId, scopes, resources },
        withRefreshToken: issuer.givesRefreshToken(client),
      });
    };
  },
};
