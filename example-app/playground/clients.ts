import { type DemoClient, giftCardGrantType, playgroundPath } from '../demo.js';

/** The playground at the photo site: an ordinary client. The clients below are its other roles. */
export const playgroundClient = { clientId: 'playground', clientSecret: 'playground-demo-secret' };
/** An application in the browser, as before PKCE. */
export const browserClient = { clientId: 'playground-browser-app' };
/** The role of an API that introspects tokens. */
export const apiClient = { clientId: 'playground-api', clientSecret: 'playground-api-demo-secret' };
/** For another API: it may request the scope of the album API. */
export const albumsClient = { clientId: 'playground-albums', clientSecret: 'playground-albums-demo-secret' };
/** For signing people in: it reads their identity, not their photos. */
export const signInClient = {
  clientId: 'playground-sign-in',
  clientSecret: 'playground-sign-in-demo-secret',
};
/** The example's command-line client. */
export const deviceClient = { clientId: 'lantern-command-line' };

export const callbackPath = playgroundPath;
export const implicitPath = '/playground/implicit-callback';
/** The page after a logout. */
export const loggedOutPath = '/playground/logged-out';

export function createPlaygroundClients({ issuer }: { readonly issuer: string }): DemoClient[] {
  const scopes = ['photos:read', 'photos:write'];
  return [
    {
      ...playgroundClient,
      name: 'Playground',
      grantTypes: [
        'authorization_code',
        'refresh_token',
        'client_credentials',
        'password',
        giftCardGrantType,
      ],
      redirectUris: [issuer + callbackPath],
      scopes,
    },
    {
      ...browserClient,
      type: 'public',
      name: 'Playground (browser app)',
      grantTypes: ['implicit'],
      redirectUris: [issuer + implicitPath],
      scopes,
    },
    {
      ...albumsClient,
      name: 'Playground (albums)',
      grantTypes: ['authorization_code', 'refresh_token'],
      redirectUris: [issuer + callbackPath],
      scopes: ['albums:read'],
    },
    {
      ...signInClient,
      name: 'Playground (sign-in)',
      grantTypes: ['authorization_code', 'refresh_token'],
      redirectUris: [issuer + callbackPath],
      postLogoutRedirectUris: [issuer + loggedOutPath],
      scopes: ['openid', 'profile'],
    },
    {
      ...apiClient,
      name: 'Playground (as an API)',
      introspection: true,
      grantTypes: ['client_credentials'],
      scopes,
    },
  ];
}
