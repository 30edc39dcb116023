import * as client from 'openid-client';

const { ISSUER, CLIENT_ID, CLIENT_SECRET } = process.env;
const config = await client.discovery(new URL(ISSUER), CLIENT_ID, CLIENT_SECRET, undefined, {
  algorithm: 'oauth2',
  execute: ISSUER.startsWith('http:') ? [client.allowInsecureRequests] : [], // http: is for this machine only
});
const tokens = await client.clientCredentialsGrant(config, { scope: 'photos:read' });
const photos = new URL('/api/photos', ISSUER);
console.log(await (await client.fetchProtectedResource(config, tokens.access_token, photos, 'GET')).text());
