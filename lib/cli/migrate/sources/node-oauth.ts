import type { OldTokens, Source } from '../source.js';
import {
  MIGRATED_CLIENT_FIELDS,
  MIGRATED_CONSENTS,
  readClients,
  readCommon,
  readConsents,
  TOKEN_FIELDS,
} from './models-of-hosts.js';

/** The names of its MongoDB example, `OAuthTokens` and so on, and those that its documents use. */
export const nodeOauth: Source = {
  name: 'node-oauth',
  description: '@node-oauth/express-oauth-server, on Mongoose',
  mapping: {
    clients: { collection: 'oauthclients', fields: MIGRATED_CLIENT_FIELDS },
    tokens: {
      collection: 'oauthtokens',
      fields: {
        accessToken: ['accessToken'],
        accessTokenExpiresAt: ['accessTokenExpiresAt', 'accessTokenExpiresOn'],
        refreshToken: ['refreshToken'],
        refreshTokenExpiresAt: ['refreshTokenExpiresAt', 'refreshTokenExpiresOn'],
        ...TOKEN_FIELDS,
        createdAt: ['createdAt'],
      },
    },
    users: { collection: 'oauthusers', fields: { id: ['_id'] } },
    consents: MIGRATED_CONSENTS,
  },
  consentsByTokens: true,
  clients: readClients,
  consents: readConsents,
  async *tokens(old): AsyncIterable<OldTokens> {
    for await (const document of old.documents('tokens')) {
      const read = (field: string) => old.read('tokens', document, field);
      const [accessToken, refreshToken] = [read('accessToken'), read('refreshToken')];
      yield {
        ...readCommon(old, 'tokens', document),
        // a document with neither is reported as one without an access token
        accessTokens:
          accessToken === undefined && refreshToken !== undefined
            ? []
            : [{ value: accessToken, expiresAt: read('accessTokenExpiresAt') }],
        ...(refreshToken !== undefined && {
          refreshToken: { value: refreshToken, expiresAt: read('refreshTokenExpiresAt') },
        }),
      };
    }
  },
};
