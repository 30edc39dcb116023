import type { OldTokens, Source } from '../source.js';
import { dateOf, madeAt } from '../values.js';
import {
  CLIENT_FIELDS,
  CLIENT_OF_TOKEN,
  CONSENTS,
  nameOf,
  readClients,
  readConsents,
  SCOPES_OF_TOKEN,
  USER_OF_TOKEN,
} from './models-of-hosts.js';

/** The names of its MongoDB example, `OAuthTokens` and so on, and those that its documents use. */
export const nodeOauth: Source = {
  name: 'node-oauth',
  description: '@node-oauth/express-oauth-server, on Mongoose',
  mapping: {
    clients: { collection: 'oauthclients', fields: CLIENT_FIELDS },
    tokens: {
      collection: 'oauthtokens',
      fields: {
        accessToken: ['accessToken'],
        accessTokenExpiresAt: ['accessTokenExpiresAt', 'accessTokenExpiresOn'],
        refreshToken: ['refreshToken'],
        refreshTokenExpiresAt: ['refreshTokenExpiresAt', 'refreshTokenExpiresOn'],
        client: CLIENT_OF_TOKEN,
        user: USER_OF_TOKEN,
        scopes: SCOPES_OF_TOKEN,
        createdAt: ['createdAt'],
      },
    },
    users: { collection: 'oauthusers', fields: { id: ['_id'] } },
    consents: CONSENTS,
  },
  consentsByTokens: true,
  clients: readClients,
  consents: readConsents,
  async *tokens(old): AsyncIterable<OldTokens> {
    for await (const document of old.documents('tokens')) {
      const read = (field: string) => old.read('tokens', document, field);
      const [accessToken, refreshToken] = [read('accessToken'), read('refreshToken')];
      yield {
        name: nameOf(document),
        client: read('client'),
        user: read('user'),
        scopes: read('scopes'),
        createdAt: dateOf(read('createdAt')) ?? madeAt(document),
        // one without either is named as one without an access token
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
