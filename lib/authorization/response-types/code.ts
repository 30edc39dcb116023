import { after } from '../../crypto/add-seconds.js';
import { createGrantId, createToken } from '../../crypto/secrets.js';
import type { Stores } from '../../models/stores.js';
import type { Settings } from '../../settings/settings.js';
import type { ResponseType } from './response-type.js';

/**
 * The authorization code grant's first half: a grant that has nothing but a code yet.
 *
 * @see RFC 6749 §4.1.2
 */
export function createCodeResponse({
  models,
  settings,
}: {
  models: Stores;
  settings: Settings;
}): ResponseType {
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
      redirectUri,
      isRedirectUriRequested,
      codeChallenge,
      emit,
    }) {
      const grantId = createGrantId();
      const code = createToken('authorizationCode', grantId);
      await models.clients.keep(client);
      const now = new Date();
      const expiresAt = after(now, settings.authorizationCodeTtl);
      await models.grants.insert({
        _id: grantId,
        clientId: client.clientId,
        userId,
        scopes,
        ...(resources.length > 0 && { resources }),
        grantType: 'authorization_code',
        code: {
          hash: code.hash,
          expiresAt,
          redirectUri,
          isRedirectUriRequired: isRedirectUriRequested,
          ...(codeChallenge !== undefined && { codeChallenge }),
        },
        accessTokens: [],
        createdAt: now,
        expiresAt,
      });
      emit('code.issued', { clientId: client.clientId, userId, grantId, scopes });
      return { code: code.value };
    },
  };
}
