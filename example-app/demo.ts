import type { NewClient } from 'express-authorization-server';

import { isLocal } from './settings.js';
import { certifiedHost } from './tls-files.js';

/** A client of the demonstration, with a fixed id. Its secret, if it has one, is public. */
export type DemoClient = NewClient & { readonly clientId: string };

export const demoUser = { username: 'ada', password: 'correct-horse-battery', name: 'Ada Lovelace' };
export const demoDeveloper = { username: 'grace', password: 'nanoseconds-of-wire', name: 'Grace Hopper' };

export const giftCardGrantType = 'urn:example:grant-type:gift-card';
/** Each start makes the card valid again, so that the printed command always works once. */
export const demoGiftCard = 'GIFT-CARD-FROM-ADA';

export const printingShop = { clientId: 'printing-shop', clientSecret: 'printing-shop-demo-secret' };
/** The same shop as a bank would require it (FAPI 2.0): with a published key instead of a secret. */
export const carefulShop = { clientId: 'printing-shop-fapi2' };
/** The address at which the photo site reports logouts to the shop. */
export const loggedOutPath = '/logged-out';
/** A second client of the shop, for its visitors' accounts: it reads their identity, not their photos. */
export const shopAccounts = { clientId: 'inkwell-accounts', clientSecret: 'inkwell-accounts-demo-secret' };
/** The redirect path for each library. */
export const accountPaths = { 'openid-client': '/account/openid-client', passport: '/account/passport' };
/** A client with a certificate, if the example runs with TLS (RFC 8705). */
export const certifiedShop = { clientId: 'certified-shop' };
/** Where the shop publishes the key of `carefulShop`. */
export const shopKeysPath = '/jwks';
/** Swagger UI at the photo site. */
export const apiDocsClient = { clientId: 'api-docs' };
/** `npm run example:device`: a client without a browser. */
export const commandLine = { clientId: 'lantern-command-line' };
/** `npm run example:callers`: a company's agent, and the bindery that gets a narrower token. */
export const companyOrders = {
  clientId: 'inkwell-company-orders',
  clientSecret: 'inkwell-company-orders-demo-secret',
};
export const bindery = { clientId: 'inkwell-bindery', clientSecret: 'inkwell-bindery-demo-secret' };
export const jwtBearerGrantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
export const tokenExchangeGrantType = 'urn:ietf:params:oauth:grant-type:token-exchange';
/** The page on which the photo site shows what a client would have received. */
export const playgroundPath = '/playground/callback';
/** The client of the album API, for introspection at the photo site. */
export const albumApi = { clientId: 'album-api', clientSecret: 'album-api-demo-secret' };

export interface DemoUrls {
  readonly issuer: string;
  readonly shopUrl: string;
  readonly tlsFolder?: string | undefined;
}

/** One client of each type in RFC 6749, and those of the other resource servers. */
export function createDemoClients({ issuer, shopUrl, tlsFolder }: DemoUrls): DemoClient[] {
  const playground = `${issuer}${playgroundPath}`;
  return [
    {
      ...printingShop,
      name: 'Inkwell Printing Shop',
      // the site has verified this client; Album Viewer is unverified
      verified: true,
      publisher: 'Inkwell Ltd',
      logoUri: `${shopUrl}/inkwell.svg`,
      grantTypes: ['authorization_code', 'refresh_token'],
      redirectUris: [`${shopUrl}/callback`],
      scopes: ['photos:read'],
    },
    {
      ...shopAccounts,
      name: 'Inkwell Printing Shop (accounts)',
      verified: true,
      publisher: 'Inkwell Ltd',
      logoUri: `${shopUrl}/inkwell.svg`,
      grantTypes: ['authorization_code', 'refresh_token'],
      redirectUris: Object.values(accountPaths).map((path) => shopUrl + path),
      postLogoutRedirectUris: [`${shopUrl}/`],
      backchannelLogoutUri: shopUrl + loggedOutPath,
      scopes: ['openid', 'profile'],
    },
    // the shop is on this machine, and a public photo site fetches no keys from local addresses
    ...(isLocal({ issuer }) ? [createCarefulShop(shopUrl)] : []),
    ...(tlsFolder === undefined ? [] : [createCertifiedShop(playground)]),
    // the issuers of their assertions are on this machine
    ...(isLocal({ issuer }) ? createCallers() : []),
    {
      clientId: 'roof-webcam',
      clientSecret: 'roof-webcam-demo-secret',
      name: 'Roof Webcam',
      grantTypes: ['client_credentials'],
      scopes: ['photos:read', 'photos:write'],
    },
    {
      clientId: 'pocket-photos',
      type: 'public',
      name: 'Pocket Photos',
      grantTypes: ['authorization_code', 'refresh_token'],
      redirectUris: ['http://127.0.0.1/callback', 'com.example.photos:/callback'],
      scopes: ['photos:read', 'photos:write'],
    },
    {
      ...apiDocsClient,
      type: 'public',
      name: 'Lantern API documentation',
      verified: true,
      publisher: 'Lantern Photos',
      grantTypes: ['authorization_code'],
      redirectUris: [`${issuer}/docs/oauth2-redirect.html`],
      scopes: ['photos:read', 'photos:write'],
    },
    {
      ...commandLine,
      type: 'public',
      name: 'Lantern Command Line',
      grantTypes: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
      scopes: ['photos:read'],
    },
    {
      clientId: 'photo-studio',
      clientSecret: 'photo-studio-demo-secret',
      name: 'Photo Studio',
      trusted: true,
      grantTypes: ['authorization_code', 'refresh_token'],
      redirectUris: [playground],
      scopes: ['photos:read', 'photos:write'],
    },
    {
      clientId: 'old-desktop-app',
      clientSecret: 'old-desktop-app-demo-secret',
      name: 'Old Desktop App',
      grantTypes: ['password', 'refresh_token'],
      scopes: ['photos:read', 'photos:write'],
    },
    {
      clientId: 'old-browser-app',
      type: 'public',
      name: 'Old Browser App',
      grantTypes: ['implicit'],
      redirectUris: [playground],
      scopes: ['photos:read'],
    },
    {
      clientId: 'gift-shop',
      clientSecret: 'gift-shop-demo-secret',
      name: 'Gift Shop',
      grantTypes: [giftCardGrantType],
      scopes: ['photos:read'],
    },
    {
      clientId: 'album-viewer',
      clientSecret: 'album-viewer-demo-secret',
      name: 'Album Viewer',
      grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
      redirectUris: [playground],
      scopes: ['photos:read', 'albums:read', 'albums:order'],
    },
    {
      ...albumApi,
      name: 'Album API',
      introspection: true,
      // introspection needs no token; without a scope the client's tokens would have no use
      grantTypes: ['client_credentials'],
      scopes: [],
    },
  ];
}

function createCarefulShop(shopUrl: string): DemoClient {
  return {
    ...carefulShop,
    name: 'Inkwell Printing Shop (FAPI 2.0)',
    profile: 'fapi2',
    tokenEndpointAuthMethod: 'private_key_jwt',
    jwksUri: `${shopUrl}${shopKeysPath}`,
    grantTypes: ['authorization_code', 'refresh_token'],
    redirectUris: [`${shopUrl}/callback`],
    scopes: ['photos:read'],
  };
}

function createCertifiedShop(redirectUri: string): DemoClient {
  return {
    ...certifiedShop,
    name: 'Certified Shop',
    tokenEndpointAuthMethod: 'tls_client_auth',
    tlsClientAuthSanDns: certifiedHost,
    tlsClientCertificateBoundAccessTokens: true,
    grantTypes: ['authorization_code', 'refresh_token'],
    redirectUris: [redirectUri],
    scopes: ['photos:read'],
  };
}

/** Clients without a browser on the photo site. */
function createCallers(): DemoClient[] {
  return [
    {
      ...bindery,
      name: 'Inkwell Bindery',
      grantTypes: [tokenExchangeGrantType],
      scopes: ['photos:read'],
      mayExchange: true,
    },
    {
      ...companyOrders,
      name: 'Inkwell Company Orders',
      grantTypes: [jwtBearerGrantType],
      scopes: ['photos:read', 'photos:write'],
      mayAct: [bindery.clientId],
    },
  ];
}
