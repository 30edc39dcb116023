import { UserManager } from 'oidc-client-ts';

const users = new UserManager({
  authority: 'https://photos.example',
  client_id: 'the client id',
  redirect_uri: 'https://app.example/callback',
  scope: 'openid profile',
  loadUserInfo: true,
});

// at the button
await users.signinRedirect();
// at /callback
const { profile } = await users.signinCallback();
// logs out here and at the site; register the address in `postLogoutRedirectUris`
await users.signoutRedirect({ post_logout_redirect_uri: 'https://app.example/' });
