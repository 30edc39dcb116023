import { after } from '../../crypto/add-seconds.js';
import { createGrantId, createToken } from '../../crypto/secrets.js';
import { createGrant } from '../../grants/create-grant.js';
import { factsOf } from '../../grants/grant-facts.js';
import type { ResponseType, ResponseTypeDependencies } from './response-type.js';

/**
 * The authorization code grant's first half: a grant that has nothing but a code yet.
 *
 * @see RFC 6749 §4.1.2
 */
export function createCodeResponse({ clients, grants, settings }: ResponseTypeDependencies): ResponseType {
  return {
    responseType: 'code',
    grantType: 'authorization_code',
    defaultMode: 'query',
    usesPkce: true,
    authenticatesClient: true,
    async issue({
      client,
      userId,
      scopes,
      resources,
      authorizationDetails,
      choices,
      endsAt,
      redirectUri,
      isRedirectUriRequested,
      codeChallenge,
      jkt,
      now,
      emit,
    }) {
      const grantId = createGrantId();
      const code = createToken('authorizationCode', grantId);
      await clients.keep(client, now);
      const expiresAt = after(now, settings.authorizationCodeTtl);
      const grant = createGrant({
        grantId,
        clientId: client.clientId,
        grantType: 'authorization_code',
        authorization: {
          userId,
          scopes,
          resources,
          authorizationDetails,
          ...(choices && { choices }),
          ...(endsAt && { endsAt }),
        },
        code: {
          hash: code.hash,
          expiresAt,
          redirectUri,
          isRedirectUriRequired: isRedirectUriRequested,
          ...(codeChallenge !== undefined && { codeChallenge }),
          ...(jkt !== undefined && { jkt }),
        },
        now,
        expiresAt,
      });
      await grants.insert(grant);
      emit('code.issued', { ...factsOf(grant), userId });
      return { code: code.value };
    },
  };
}
