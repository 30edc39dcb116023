import { PROFILE_CODE_TTL } from '../../../settings/profile.js';
import { createGrantId, createToken } from '../../../shared/crypto/secrets.js';
import { addSeconds } from '../../../shared/date.js';
import { requiresFapi } from '../../clients/fapi-profile.js';
import { type Grant, grantEventData } from '../../grants/grant.js';
import { grantedBy, type ResponseType, type ResponseTypeDependencies } from './response-type.js';

/** The first half of the authorization code grant: a grant that has only a code so far. @see RFC 6749 §4.1.2 */
export function createCodeResponse({ clients, grants, settings }: ResponseTypeDependencies): ResponseType {
  return {
    responseType: 'code',
    grantType: 'authorization_code',
    defaultMode: 'query',
    usesPkce: true,
    authenticatesClient: true,
    async issue(authorization) {
      const { client, redirectUri, isRedirectUriRequested, codeChallenge, jkt, now, emit } = authorization;
      const grantId = createGrantId();
      const code = createToken('authorizationCode', grantId);
      await clients.prolong(client, now);
      // FAPI 2.0 Security Profile §5.3.2.1-11
      const { authorizationCode: ttl } = settings.lifetimes;
      const expiresAt = addSeconds(
        now,
        requiresFapi(settings, client) ? Math.min(ttl, PROFILE_CODE_TTL) : ttl,
      );
      const grant: Grant = {
        grantId,
        clientId: client.clientId,
        grantType: 'authorization_code',
        authorization: grantedBy(authorization),
        code: {
          hash: code.hash,
          expiresAt,
          redirectUri,
          isRedirectUriRequired: isRedirectUriRequested,
          codeChallenge,
          jkt,
        },
        accessTokens: [],
        createdAt: now,
        expiresAt,
      };
      await grants.insert(grant);
      emit('code.issued', { ...grantEventData(grant), userId: authorization.userId });
      return { code: code.value };
    },
  };
}
