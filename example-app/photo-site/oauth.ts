import { type AuthorizationServer, authorizationServer, type Users } from 'express-authorization-server';
import type { Connection } from 'mongoose';

import { demoUser } from '../demo.js';
import { isLocal, type Settings } from '../settings.js';
import { albumChoice } from './albums.js';
import { giftCardGrant } from './gift-card-grant.js';
import type { GiftCards } from './gift-cards.js';
import { printPayment } from './payments.js';
import type { Photos } from './photos.js';
import { scopes } from './scopes.js';
import { trustedCallers } from './trusted-callers.js';

const siteName = 'Lantern Photos';

/** On this machine the login page says as whom to log in. */
const DEMO_LABELS = {
  en: {
    'login.username': `User name (${demoUser.username})`,
    'login.password': `Password (${demoUser.password})`,
  },
};

/** The site's logo and colours (public/photo-site.css), so that login and consent look like the rest of it. */
const look = {
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

/** The photo site as an authorization server, with every grant type, for its own API and for others. */
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
    pages: isLocal(settings) ? { ...look, messages: DEMO_LABELS } : look,
    scopes,
    defaultScopes: ['photos:read'],
    // a token without a resource is for the photo site's own API, which refuses tokens for any of the other ones
    resources: {
      [settings.issuer]: { name: siteName },
      // an API that checks only the signature does not hear of a revocation, so its tokens are short-lived
      [resources.albums]: {
        name: 'Lantern Albums',
        scopes: ['albums:read'],
        accessTokenFormat: 'jwt',
        accessTokenTtl: 600,
      },
      [resources.orders]: { name: 'Lantern Album Orders', scopes: ['albums:order'] },
      [resources.mcp]: { name: 'Lantern Photos for assistants', scopes: ['photos:read', 'photos:write'] },
    },
    // if the keys were stored in clear, anybody with a copy of the database could sign JWTs
    signingKeys: { encryptionSecret: settings.keySecret },
    tokens: {
      reuseGrace: 0,
      // for the JWTs, because the album API has no database of people
      accessTokenClaims: async ({ userId }) =>
        userId === undefined ? {} : { name: (await users.findById(userId))?.name },
    },
    // assistants know only a URL; the playground also shows requests without PKCE, a resource and a grace period
    agents: true,
    security: { pkce: 'public', requireResource: false, ...(!settings.rateLimits && { rateLimits: false }) },
    // the example's assistant has its document on this machine
    clientIdMetadataDocuments: { allowLoopback: isLocal(settings) },
    // a client may send its request itself (RFC 9126); the default is a minute, but at the playground people read
    // before they go on
    pushedRequests: { ttl: 300 },
    // other sites sign people in with their account here (OpenID Connect)
    openid: {
      claims: async (userId) => {
        const user = await users.findById(userId);
        return user && { name: user.name, preferred_username: user.username };
      },
    },
    // a client may ask for something more precise than a scope, a payment (RFC 9396)
    authorizationDetails: { print_payment: printPayment },
    // a route may need a login that is new, however long the session has lasted (RFC 9470)
    stepUp: true,
    // people make tokens for scripts of their own, and a few of them look after those of a service
    personalAccessTokens: { serviceTokens: true },
    // people can let it see just one of their albums
    choices: { album: albumChoice(photos) },
    // a client may bind its tokens to a key, so that they are worth nothing to a thief (RFC 9449)
    dpop: true,
    clientAuthentication: {
      // the printing shop publishes its keys on this machine
      allowPrivateAddresses: isLocal(settings),
    },
    // or bind them to a certificate, if there is TLS; browsers are not asked for one (RFC 8705)
    ...(settings.tlsFolder !== undefined && { mutualTls: { endpointAliases: settings.mtlsUrl } }),
    // a client may sign its request, so that nobody on the way can change it (RFC 9101)
    signedRequests: true,
    // and get its answer in a form, not in an address (OAuth 2.0 Form Post Response Mode)
    formPost: true,
    // or signed, to be sure who has given it (JARM)
    signedResponses: true,
    // programs and agents without a secret of their own, whose issuers are on this machine (RFC 7523, RFC 8693)
    ...(isLocal(settings) && { assertions: trustedCallers(settings, users), tokenExchange: true }),
    lifetimes: {
      accessToken: settings.accessTokenTtl,
      // at the playground people read between two steps; your own site should keep the default, a minute
      authorizationCode: 600,
    },
    grantTypes: [
      'authorization_code',
      'refresh_token',
      'client_credentials',
      // for devices and command lines, RFC 8628
      'urn:ietf:params:oauth:grant-type:device_code',
      // older grant types, for trying them out; a new site leaves them out (RFC 9700 §2.1.2, §2.4)
      'implicit',
      'password',
      giftCardGrant(giftCards),
    ],
    people: {
      authenticate: async (username, password) => (await users.verify(username, password))?.id ?? null,
    },
  });
}
