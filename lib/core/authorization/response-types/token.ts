import { issueGrant } from '../../grants/issue-grant.js';
import { grantedBy, type ResponseType, type ResponseTypeDependencies } from './response-type.js';

/**
 * The implicit grant: the access token in the fragment. RFC 9700 §2.1.2 advises against it, so it is on only if the
 * site names it, and only for clients that are registered for it.
 *
 * @see RFC 6749 §4.2.2
 */
export function createTokenResponse(dependencies: ResponseTypeDependencies): ResponseType {
  return {
    responseType: 'token',
    grantType: 'implicit',
    defaultMode: 'fragment',
    usesPkce: false,
    authenticatesClient: false,
    async issue(authorization) {
      // RFC 6749 §4.2.2: the authorization server MUST NOT issue a refresh token
      const response = await issueGrant(dependencies, authorization, {
        grantType: 'implicit',
        authorization: grantedBy(authorization),
        withRefreshToken: false,
      });
      return Object.fromEntries(
        Object.entries(response).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, typeof value === 'string' ? value : JSON.stringify(value)]],
        ),
      );
    },
  };
}
