import { type AuthorizationServer, authorizationServer, type Users } from 'express-authorization-server';
import type { Connection } from 'mongoose';

import { playgroundPath } from '../demo.js';
import { isLocal, type Settings } from '../settings.js';
import { albumChoice } from './albums.js';
import { giftCardGrant } from './gift-card-grant.js';
import type { GiftCards } from './gift-cards.js';
import { printPayment } from './payments.js';
import type { Photos } from './photos.js';
import { scopes } from './scopes.js';

export const siteName = 'Lantern Photos';

/** The site's logo and colours (public/photo-site.css), so that login and consent look like the rest of it. */
export const look = {
  logo: '/lantern.svg',
  colors: {
    accent: { light: '#4b3a63', dark: '#cbb5ea' },
    page: { light: '#fbf8f4', dark: '#16121d' },
    surface: { light: '#ffffff', dark: '#211b2c' },
    text: { light: '#2b2338', dark: '#ece6f4' },
  },
};

export interface OAuthOptions {
  readonly settings: Settings & { readonly keySecret: string };
  readonly connection: Connection;
  readonly users: Users;
  readonly photos: Photos;
  readonly giftCards: GiftCards;
}

/** The photo site as an authorization server, with every grant type that there is, for its own API and for others. */
export function createOAuth({
  settings,
  connection,
  users,
  photos,
  giftCards,
}: OAuthOptions): AuthorizationServer {
  const { resources } = settings;
  return authorizationServer({
    issuer: settings.issuer,
    siteName,
    connection,
    login: '/login',
    pages: look,
    scopes,
    defaultScopes: ['photos:read'],
    // a token without a resource is for the photo site's own API; one for any of these is refused there
    resources: {
      [settings.issuer]: { name: siteName },
      // a process that goes by the signature does not hear of a revocation, so its tokens are short-lived
      [resources.albums]: {
        name: 'Lantern Albums',
        scopes: ['albums:read'],
        tokenFormat: 'jwt',
        accessTokenTtl: 600,
      },
      [resources.orders]: { name: 'Lantern Album Orders', scopes: ['albums:order'] },
      [resources.mcp]: { name: 'Lantern Photos for assistants', scopes: ['photos:read', 'photos:write'] },
    },
    // who has a copy of the database could sign JWTs by it, if the keys lay there in clear
    signingKeys: { encryptionSecret: settings.keySecret },
    // of the JWTs: the album API has no database of people
    accessTokenClaims: async ({ userId }) =>
      userId === undefined ? {} : { name: (await users.findById(userId))?.name },
    // assistants know nothing but a URL; what the playground shows goes without PKCE, a resource and a grace as well
    agents: { pkce: false, requireResource: false, reuseGrace: false },
    // the one of the example describes itself on this machine
    clientIdMetadataDocuments: { allowLoopback: isLocal(settings) },
    // a client that wants to sends its request itself (RFC 9126)
    // at the playground people read before they go on; without it a minute
    pushedRequests: { expiresIn: 300 },
    // other sites sign people in by their account here (OpenID Connect)
    openid: {
      claims: async (userId) => {
        const user = await users.findById(userId);
        return user && { name: user.name, preferred_username: user.username };
      },
    },
    // or asks for more than a word: a payment (RFC 9396)
    authorizationDetails: { print_payment: printPayment },
    // people can let it see one of their albums alone
    choices: { album: albumChoice(photos) },
    // tokens of a client that wants that are worth nothing to a thief (RFC 9449)
    dpop: true,
    // the printing shop publishes its keys on this machine
    clientKeys: { allowPrivateAddresses: isLocal(settings) },
    // or to a certificate, where there is TLS; browsers are not asked for one (RFC 8705)
    ...(settings.tlsFolder !== undefined && { mutualTls: { endpointAliases: settings.mtlsUrl } }),
    // or signs it, so that nobody on the way can change it (RFC 9101)
    signedRequests: true,
    // and its answer by a form, which stands in no address (OAuth 2.0 Form Post Response Mode)
    formPost: true,
    // signed, if it wants to be sure who has given it (JARM)
    signedResponses: true,
    accessTokenTtl: settings.accessTokenTtl,
    // at the playground people read between two steps; a site of your own leaves it at a minute
    authorizationCodeTtl: 600,
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
    // the playground can play an application whose redirect URI is its own
    applications: {
      tryIt: ({ clientId, redirectUris, scopes: mayAskFor }) =>
        redirectUris.includes(settings.issuer + playgroundPath)
          ? `/playground/own?${new URLSearchParams({ client_id: clientId, scope: mayAskFor.join(' ') }).toString()}`
          : undefined,
    },
    authenticateUser: async (username, password) => (await users.verify(username, password))?.id ?? null,
    ...(!settings.rateLimits && { rateLimits: false }),
  });
}
