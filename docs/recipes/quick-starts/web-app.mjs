import express from 'express';
import session from 'express-session';
import * as client from 'openid-client';

const { ISSUER, CLIENT_ID, CLIENT_SECRET, SESSION_SECRET, APP = 'https://app.example' } = process.env;
const config = await client.discovery(new URL(ISSUER), CLIENT_ID, CLIENT_SECRET, undefined, {
  algorithm: 'oauth2',
  execute: ISSUER.startsWith('http:') ? [client.allowInsecureRequests] : [], // http: is for this machine only
});
const redirect_uri = `${APP}/callback`;

const app = express();
// its own cookie name: on localhost, the site's session cookie would overwrite one of the same name
app.use(session({ name: 'client.sid', secret: SESSION_SECRET, resave: false, saveUninitialized: false }));
app.get('/connect', async (req, res) => {
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const expectedState = client.randomState();
  req.session.checks = { pkceCodeVerifier, expectedState };
  const code_challenge = await client.calculatePKCECodeChallenge(pkceCodeVerifier);
  const request = {
    redirect_uri,
    scope: 'photos:read',
    state: expectedState,
    code_challenge,
    code_challenge_method: 'S256',
  };
  res.redirect(client.buildAuthorizationUrl(config, request).href);
});
app.get('/callback', async (req, res) => {
  const tokens = await client.authorizationCodeGrant(
    config,
    new URL(req.originalUrl, APP),
    req.session.checks,
  );
  const photos = new URL('/api/photos', ISSUER);
  const answer = await client.fetchProtectedResource(config, tokens.access_token, photos, 'GET');
  res.json(await answer.json());
});
app.listen(process.env.PORT);
