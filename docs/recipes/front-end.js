// For the app: it awaits signIn('https://api.example', 'app', 'photos:read') when it starts, and then requests the API by
// call(). The tokens are in memory. After a reload the app signs in again, which a logged-in user does not notice.
//
// An attacker's script in the app can use its tokens: have a Content-Security-Policy, and consider a server that keeps the
// tokens (RFC 10017 §6.1). signOut ends only the tokens; to end the login too, open https://api.example/logout.

import * as client from 'openid-client';

const redirect_uri = `${location.origin}/`;
let config, tokens, renewal;

/** Gives true once there is a token; otherwise the window is on its way to the login. */
export async function signIn(issuer, clientId, scope) {
  const execute = issuer.startsWith('http:') ? [client.allowInsecureRequests] : []; // http: is for this machine only
  config = await client.discovery(new URL(issuer), clientId, undefined, client.None(), {
    algorithm: 'oauth2',
    execute,
  });
  const checks = JSON.parse(sessionStorage.getItem('checks'));
  sessionStorage.removeItem('checks');
  if (checks && location.search.includes('state=')) {
    const answer = new URL(location.href);
    history.replaceState(null, '', redirect_uri); // the code leaves the address bar
    tokens = await client.authorizationCodeGrant(config, answer, checks);
    return true;
  }
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const expectedState = client.randomState();
  sessionStorage.setItem('checks', JSON.stringify({ pkceCodeVerifier, expectedState }));
  const code_challenge = await client.calculatePKCECodeChallenge(pkceCodeVerifier);
  const request = {
    redirect_uri,
    scope,
    state: expectedState,
    code_challenge,
    code_challenge_method: 'S256',
  };
  location.assign(client.buildAuthorizationUrl(config, request));
  return false;
}

/** Calls the API; a token that has expired is renewed once. */
export async function call(address) {
  const send = () => fetch(address, { headers: { Authorization: `Bearer ${tokens.access_token}` } });
  const answer = await send();
  if (answer.status !== 401 || !tokens.refresh_token) return answer;
  renewal ??= renew().finally(() => (renewal = undefined)); // a refresh token works once: all calls share it
  await renewal;
  return send();
}

async function renew() {
  tokens = await client.refreshTokenGrant(config, tokens.refresh_token);
}

export async function signOut() {
  await client.tokenRevocation(config, tokens.refresh_token ?? tokens.access_token);
  tokens = undefined;
}
