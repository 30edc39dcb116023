import type { OldTokens, Source } from '../source.js';
import {
  MIGRATED_CLIENT_FIELDS,
  MIGRATED_CONSENTS,
  readClients,
  readCommon,
  readConsents,
  readTokens,
  TOKEN_FIELDS,
} from './models-of-hosts.js';

const ENDS = ['expirationDate', 'expiresAt', 'expires', 'expiration'];
const OF_TOKEN = { ...TOKEN_FIELDS, createdAt: ['createdAt', 'created'] };

/** It has no storage; the names are those of examples, with access and refresh tokens in two collections. */
export const oauth2orize: Source = {
  name: 'oauth2orize',
  description: 'oauth2orize, with models of your own',
  mapping: {
    clients: { collection: 'clients', fields: MIGRATED_CLIENT_FIELDS },
    accessTokens: {
      collection: 'accesstokens',
      fields: {
        token: ['accessToken', 'token', 'value'],
        expiresAt: ['accessTokenExpiresAt', ...ENDS],
        ...OF_TOKEN,
      },
    },
    refreshTokens: {
      collection: 'refreshtokens',
      fields: {
        token: ['refreshToken', 'token', 'value'],
        expiresAt: ['refreshTokenExpiresAt', ...ENDS],
        ...OF_TOKEN,
      },
    },
    users: { collection: 'users', fields: { id: ['_id'] } },
    consents: MIGRATED_CONSENTS,
  },
  consentsByTokens: true,
  clients: readClients,
  consents: readConsents,
  async *tokens(old): AsyncIterable<OldTokens> {
    const isShared = old.isShared('accessTokens', 'refreshTokens');
    for await (const document of old.documents('accessTokens')) {
      const { read, readAs } = document;
      const accessToken = { value: read('token'), expiresAt: read('expiresAt') };
      // tokens in one document were issued together
      const refreshToken = {
        value: isShared ? readAs('refreshTokens', 'token') : undefined,
        expiresAt: readAs('refreshTokens', 'expiresAt'),
      };
      yield readTokens(document, accessToken, refreshToken);
    }
    if (isShared) return;
    for await (const document of old.documents('refreshTokens')) {
      const refreshToken = { value: document.read('token'), expiresAt: document.read('expiresAt') };
      yield { ...readCommon(document), accessTokens: [], refreshToken };
    }
  },
};
