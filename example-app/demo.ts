import type { NewClient } from 'express-authorization-server';

/** A client of the demonstration: its fixed id, and a secret that is no secret where it has one. */
export type DemoClient = NewClient & { readonly clientId: string };

export const demoUser = { username: 'ada', password: 'correct-horse-battery', name: 'Ada Lovelace' };
export const demoDeveloper = { username: 'grace', password: 'nanoseconds-of-wire', name: 'Grace Hopper' };

export const giftCardGrantType = 'urn:example:grant-type:gift-card';
/** Made valid again at every start, so that the printed command always works once. */
export const demoGiftCard = 'GIFT-CARD-FROM-ADA';

export const printingShop = { clientId: 'printing-shop', clientSecret: 'printing-shop-demo-secret' };
/** `npm run example:device`: a client without a browser. */
export const commandLine = { clientId: 'lantern-command-line' };
/** Where the photo site shows what a client would have received. */
export const playgroundPath = '/playground/callback';
/** By this the album API asks the photo site about tokens. */
export const albumApi = { clientId: 'album-api', clientSecret: 'album-api-demo-secret' };

export interface DemoUrls {
  readonly issuer: string;
  readonly shopUrl: string;
}

/** One client of each type that RFC 6749 knows, and what the other resource servers need. */
export function createDemoClients({ issuer, shopUrl }: DemoUrls): DemoClient[] {
  const playground = `${issuer}${playgroundPath}`;
  return [
    {
      ...printingShop,
      name: 'Inkwell Printing Shop',
      grantTypes: ['authorization_code', 'refresh_token'],
      redirectUris: [`${shopUrl}/callback`],
      scopes: ['photos:read'],
    },
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
      // it gets no tokens of its own: without a scope none would open anything
      grantTypes: ['client_credentials'],
      scopes: [],
    },
  ];
}
