import type { OldTokens, Source } from '../source.js';
import {
  MIGRATED_CLIENT_FIELDS,
  MIGRATED_CONSENTS,
  readClients,
  readConsents,
  readTokens,
  TOKEN_FIELDS,
} from './models-of-hosts.js';

/** The names of its MongoDB example, such as `OAuthTokens`, and of its documentation. */
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
      const { read } = document;
      const accessToken = { value: read('accessToken'), expiresAt: read('accessTokenExpiresAt') };
      const refreshToken = { value: read('refreshToken'), expiresAt: read('refreshTokenExpiresAt') };
      yield readTokens(document, accessToken, refreshToken);
    }
  },
};
