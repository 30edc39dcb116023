import type { OldDatabase, OldTokens, Source } from '../source.js';
import type { Stored } from '../values.js';
import {
  MIGRATED_CLIENT_FIELDS,
  MIGRATED_CONSENTS,
  readClients,
  readCommon,
  readConsents,
  TOKEN_FIELDS,
} from './models-of-hosts.js';

const ENDS = ['expirationDate', 'expiresAt', 'expires', 'expiration'];
const OF_TOKEN = { ...TOKEN_FIELDS, createdAt: ['createdAt', 'created'] };

/** It stores nothing itself; the names are those of examples, with access and refresh tokens in two collections. */
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
      const accessToken = tokenOf(old, 'accessTokens', document);
      // tokens in one document were issued together
      const refreshToken = isShared ? tokenOf(old, 'refreshTokens', document) : undefined;
      yield {
        ...readCommon(old, 'accessTokens', document),
        accessTokens:
          accessToken.value === undefined && refreshToken?.value !== undefined ? [] : [accessToken],
        ...(refreshToken?.value !== undefined && { refreshToken }),
      };
    }
    if (isShared) return;
    for await (const document of old.documents('refreshTokens'))
      yield {
        ...readCommon(old, 'refreshTokens', document),
        accessTokens: [],
        refreshToken: tokenOf(old, 'refreshTokens', document),
      };
  },
};

function tokenOf(old: OldDatabase, place: string, document: Stored) {
  return { value: old.read(place, document, 'token'), expiresAt: old.read(place, document, 'expiresAt') };
}
