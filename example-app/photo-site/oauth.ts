import { type AuthorizationServer, authorizationServer, type Users } from 'express-authorization-server';
import type { Connection } from 'mongoose';

import type { Settings } from '../settings.js';
import { giftCardGrant } from './gift-card-grant.js';
import type { GiftCards } from './gift-cards.js';

export const siteName = 'Lantern Photos';

export interface OAuthOptions {
  readonly settings: Settings & { readonly keySecret: string };
  readonly connection: Connection;
  readonly users: Users;
  readonly giftCards: GiftCards;
}

/** The photo site as an authorization server, with every grant type that there is, for its own API and for others. */
export function createOAuth({ settings, connection, users, giftCards }: OAuthOptions): AuthorizationServer {
  const { resources } = settings;
  return authorizationServer({
    issuer: settings.issuer,
    siteName,
    connection,
    login: '/login',
    scopes: {
      'photos:read': 'See your photos',
      'photos:write': 'Add photos to your album',
      'albums:read': 'See your albums',
      'albums:order': 'Order your albums as printed books',
    },
    defaultScopes: ['photos:read'],
    // a token without a resource is for the photo site's own API; one for any of these is refused there
    resources: {
      // a process that goes by the signature does not hear of a revocation, so its tokens are short-lived
      [resources.albums]: { scopes: ['albums:read'], tokenFormat: 'jwt', accessTokenTtl: 600 },
      [resources.orders]: { scopes: ['albums:order'] },
      [resources.mcp]: { scopes: ['photos:read', 'photos:write'] },
    },
    // who has a copy of the database could sign JWTs by it, if the keys lay there in clear
    signingKeys: { encryptionSecret: settings.keySecret },
    // of the JWTs: the album API has no database of people
    accessTokenClaims: async ({ userId }) =>
      userId === undefined ? {} : { name: (await users.findById(userId))?.name },
    // whoever wants to: Model Context Protocol clients know nothing but a URL (RFC 7591)
    registration: { open: true, maxClients: 1000 },
    accessTokenTtl: settings.accessTokenTtl,
    grantTypes: [
      'authorization_code',
      'refresh_token',
      'client_credentials',
      // for devices and command lines, RFC 8628
      'urn:ietf:params:oauth:grant-type:device_code',
      // older ways, here to be tried; a new site leaves them out (RFC 9700 §2.1.2, §2.4)
      'implicit',
      'password',
      giftCardGrant(giftCards),
    ],
    authenticateUser: async (username, password) => (await users.verify(username, password))?.id ?? null,
    ...(!settings.rateLimits && { rateLimits: false }),
  });
}
