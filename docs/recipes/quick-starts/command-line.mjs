import { once } from 'node:events';
import { createServer } from 'node:http';
import * as client from 'openid-client';

const { ISSUER, CLIENT_ID } = process.env;
const config = await client.discovery(new URL(ISSUER), CLIENT_ID, undefined, client.None(), {
  algorithm: 'oauth2',
  execute: ISSUER.startsWith('http:') ? [client.allowInsecureRequests] : [], // http: is for this machine only
});
const pkceCodeVerifier = client.randomPKCECodeVerifier();
const code_challenge = await client.calculatePKCECodeChallenge(pkceCodeVerifier);

const server = createServer(async (req, res) => {
  const answer = new URL(req.url ?? '/', redirect_uri);
  if (answer.pathname !== '/callback') return res.writeHead(404).end();
  const tokens = await client.authorizationCodeGrant(config, answer, { pkceCodeVerifier });
  res.end('You can close this window.');
  server.close();
  const photos = new URL('/api/photos', ISSUER);
  console.log(await (await client.fetchProtectedResource(config, tokens.access_token, photos, 'GET')).text());
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const redirect_uri = `http://127.0.0.1:${server.address().port}/callback`;
const request = { redirect_uri, scope: 'photos:read', code_challenge, code_challenge_method: 'S256' };
console.log(`Open ${client.buildAuthorizationUrl(config, request)}`);
