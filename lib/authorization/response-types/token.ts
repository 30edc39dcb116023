import { issueGrant } from '../../grants/create-grant.js';
import type { TokenIssuer } from '../../grants/token-issuer.js';
import type { Stores } from '../../models/stores.js';
import type { ResponseType } from './response-type.js';

/**
 * The implicit grant: the access token in the fragment. RFC 9700 §2.1.2 says not to use it: it is on only where the
 * host names it, for clients that are registered for it.
 *
 * @see RFC 6749 §4.2.2
 */
export function createTokenResponse(dependencies: { models: Stores; issuer: TokenIssuer }): ResponseType {
  return {
    responseType: 'token',
    grantType: 'implicit',
    defaultMode: 'fragment',
    usesPkce: false,
    authenticatesClient: false,
    async issue({ client, userId, scopes, resources, emit }) {
      // RFC 6749 §4.2.2: the authorization server MUST NOT issue a refresh token
      const response = await issueGrant(dependencies, {
        client,
        emit,
        grantType: 'implicit',
        scopes,
        resources,
        userId,
        withRefreshToken: false,
      });
      return Object.fromEntries(
        Object.entries(response).map(([name, value]) => [
          name,
          typeof value === 'string' ? value : JSON.stringify(value),
        ]),
      );
    },
  };
}
