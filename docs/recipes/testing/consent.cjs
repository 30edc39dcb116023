const { allow } = require('express-authorization-server/testing');

// ada logs in and allows a public client, which exchanges the code for its tokens
async function tokensFor(site, clientId, redirectUri) {
  const login = await fetch(`${site}/login`, {
    method: 'POST',
    body: new URLSearchParams({ username: 'ada', password: 'correct horse' }),
    redirect: 'manual',
  });
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', // of the verifier below (RFC 7636, appendix B)
    code_challenge_method: 'S256',
  });
  const back = await allow(`${site}/oauth/authorize?${query}`, { cookie: login.headers.getSetCookie() });
  const answer = await fetch(`${site}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: clientId,
      code: back.searchParams.get('code'),
      redirect_uri: redirectUri,
      code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    }),
  });
  return answer.json();
}
module.exports = tokensFor;
