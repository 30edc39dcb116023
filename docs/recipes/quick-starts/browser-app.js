import * as client from 'openid-client';

export async function connect(issuer, clientId) {
  const config = await client.discovery(new URL(issuer), clientId, undefined, client.None(), {
    algorithm: 'oauth2',
    execute: issuer.startsWith('http:') ? [client.allowInsecureRequests] : [], // http: is for this machine only
  });
  const redirect_uri = `${location.origin}${location.pathname}`;
  const checks = JSON.parse(sessionStorage.getItem('checks') ?? 'null');
  if (checks && location.search.includes('state=')) {
    sessionStorage.removeItem('checks');
    const tokens = await client.authorizationCodeGrant(config, new URL(location.href), checks);
    history.replaceState(null, '', redirect_uri); // the code leaves the address bar
    return tokens;
  }
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const expectedState = client.randomState();
  sessionStorage.setItem('checks', JSON.stringify({ pkceCodeVerifier, expectedState }));
  const code_challenge = await client.calculatePKCECodeChallenge(pkceCodeVerifier);
  const request = {
    redirect_uri,
    scope: 'photos:read',
    state: expectedState,
    code_challenge,
    code_challenge_method: 'S256',
  };
  location.assign(client.buildAuthorizationUrl(config, request));
}
