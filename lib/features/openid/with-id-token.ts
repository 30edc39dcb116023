import { createCodeResponse } from '../../core/authorization/response-types/code.js';
import type {
  CreateResponseType,
  ResponseType,
} from '../../core/authorization/response-types/response-type.js';
import { createTokenResponse } from '../../core/authorization/response-types/token.js';
import { OAuthError } from '../../shared/errors.js';
import type { OpenidSettings } from './options.js';

/** The response types of OpenID Connect beside `code`, each on only if the site lists it. */
export type OpenidResponseType = OpenidSettings['responseTypes'][number];

/**
 * A response with only an ID token, or with two or three of code, access token and ID token.
 *
 * @see OpenID Connect Core §3.2, §3.3; OAuth 2.0 Multiple Response Type Encoding Practices §3, §5
 */
export function createOpenidResponse(name: OpenidResponseType): CreateResponseType {
  const parts = new Set(name.split(' '));
  return (dependencies) => {
    const code = createCodeResponse(dependencies);
    const token = createTokenResponse(dependencies);
    return {
      responseType: name,
      grantType: parts.has('code') ? 'authorization_code' : 'implicit',
      // Multiple Response Types §3, §5: MUST NOT go in the query
      defaultMode: 'fragment',
      usesPkce: parts.has('code'),
      authenticatesClient: parts.has('code') && parts.size === 1,
      givesIdToken: parts.has('id_token'),
      givesAccessToken: parts.has('token'),
      async issue(authorization) {
        const { client, userId, scopes, openid, now } = authorization;
        if (parts.has('id_token') && openid === undefined)
          throw new OAuthError(
            'access_denied',
            'the scope openid was not granted, by which an ID token is given',
            { reason: 'refused_by_policy' },
          );
        const response: Readonly<Record<string, string>> = {
          ...(parts.has('code') && (await code.issue(authorization))),
          ...(parts.has('token') && (await token.issue(authorization))),
        };
        if (openid === undefined || !parts.has('id_token')) return response;
        if (parts.size === 1) await dependencies.clients.prolong(client, now);
        try {
          const idToken = await dependencies.createIdToken!({
            client,
            userId,
            scopes,
            openid,
            accessToken: response.access_token,
            code: response.code,
            isRefreshed: false,
            now,
          });
          return { ...response, id_token: idToken };
        } catch (error) {
          if (!(error instanceof OAuthError) || error.error !== 'invalid_grant') throw error;
          // invalid_grant is no error of this endpoint (RFC 6749 §4.1.2.1)
          const { description, reason, detail } = error;
          throw new OAuthError('access_denied', description, { reason, detail });
        }
      },
    } satisfies ResponseType;
  };
}
