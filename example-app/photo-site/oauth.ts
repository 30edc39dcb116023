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

/** On this machine the login page shows the demo account. */
const DEMO_LABELS = {
  en: {
    'login.username': `User name (${demoUser.username})`,
    'login.password': `Password (${demoUser.password})`,
  },
};

/** The site's logo and colours (public/photo-site.css), so that login and consent match the site. */
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
    // a token without a resource is for the photo site's API, which refuses tokens for other resources
    resources: {
      [settings.issuer]: { name: siteName },
      // an API that checks only the signature does not learn of a revocation, so its tokens are short-lived
      [resources.albums]: {
        name: 'Lantern Albums',
        scopes: ['albums:read'],
        accessTokenFormat: 'jwt',
        accessTokenTtl: 600,
      },
      [resources.orders]: { name: 'Lantern Album Orders', scopes: ['albums:order'] },
      [resources.mcp]: { name: 'Lantern Photos for assistants', scopes: ['photos:read', 'photos:write'] },
    },
    // otherwise anybody with a copy of the database could sign JWTs
    signingKeys: { encryptionSecret: settings.keySecret },
    tokens: {
      reuseGrace: 0,
      // in the JWTs, because the album API has no database of users
      accessTokenClaims: async ({ userId }) =>
        userId === undefined ? {} : { name: (await users.findById(userId))?.name },
    },
    // for assistants, which know only a URL; the playground also sends requests without PKCE or a resource
    agents: true,
    security: { pkce: 'public', requireResource: false, ...(!settings.rateLimits && { rateLimits: false }) },
    // the example's assistant has its document on this machine
    clientIdMetadataDocuments: { allowLoopback: isLocal(settings) },
    // clients may push requests (RFC 9126); longer than the default minute, because people read at the playground
    pushedRequests: { ttl: 300 },
    // users can sign in to other sites with their account here (OpenID Connect)
    openid: {
      claims: async (userId) => {
        const user = await users.findById(userId);
        return user && { name: user.name, preferred_username: user.username };
      },
    },
    // clients may request a payment, which is more precise than a scope (RFC 9396)
    authorizationDetails: { print_payment: printPayment },
    // routes may require a recent login, however old the session is (RFC 9470)
    stepUp: true,
    // users make tokens for their scripts, and share service tokens
    personalAccessTokens: { serviceTokens: true },
    // users can limit a client to one album
    choices: { album: albumChoice(photos) },
    // clients may bind tokens to a key, without which a stolen token is useless (RFC 9449)
    dpop: true,
    clientAuthentication: {
      // the printing shop publishes its keys on this machine
      allowPrivateAddresses: isLocal(settings),
    },
    // clients may bind tokens to a certificate, if there is TLS; browsers need none (RFC 8705)
    ...(settings.tlsFolder !== undefined && { mutualTls: { endpointAliases: settings.mtlsUrl } }),
    // clients may sign requests, so that nobody can change them (RFC 9101)
    signedRequests: true,
    // responses in a form instead of an address (OAuth 2.0 Form Post Response Mode)
    formPost: true,
    // signed responses, which prove their sender (JARM)
    signedResponses: true,
    // workloads and agents without a secret, whose issuers are on this machine (RFC 7523, RFC 8693)
    ...(isLocal(settings) && { assertions: trustedCallers(settings, users), tokenExchange: true }),
    lifetimes: {
      accessToken: settings.accessTokenTtl,
      // people read between two steps of the playground; your own site should keep the default, a minute
      authorizationCode: 600,
    },
    grantTypes: [
      'authorization_code',
      'refresh_token',
      'client_credentials',
      // for devices and command lines, RFC 8628
      'urn:ietf:params:oauth:grant-type:device_code',
      // legacy grant types for the playground; a new site leaves them out (RFC 9700 §2.1.2, §2.4)
      'implicit',
      'password',
      giftCardGrant(giftCards),
    ],
    people: {
      authenticate: async (username, password) => (await users.verify(username, password))?.id ?? null,
    },
  });
}
