import { authorizationServer, type AuthorizationServer, type Users } from 'express-authorization-server';
import type { Connection } from 'mongoose';
import type { Settings } from '../settings.js';
import { giftCardGrant } from './gift-card-grant.js';
import type { GiftCards } from './gift-cards.js';

export const siteName = 'Lantern Photos';

export interface OAuthOptions {
  readonly settings: Settings;
  readonly connection: Connection;
  readonly users: Users;
  readonly giftCards: GiftCards;
}

/** The photo site as an authorization server, with every grant type that there is. */
export function createOAuth({ settings, connection, users, giftCards }: OAuthOptions): AuthorizationServer {
  return authorizationServer({
    issuer: settings.issuer,
    siteName,
    connection,
    login: '/login',
    scopes: {
      'photos:read': 'See your photos',
      'photos:write': 'Add photos to your album',
    },
    defaultScopes: ['photos:read'],
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
