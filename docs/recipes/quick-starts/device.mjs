import * as client from 'openid-client';

const { ISSUER, CLIENT_ID } = process.env;
const config = await client.discovery(new URL(ISSUER), CLIENT_ID, undefined, client.None(), {
  algorithm: 'oauth2',
  execute: ISSUER.startsWith('http:') ? [client.allowInsecureRequests] : [], // http: is for this machine only
});
const device = await client.initiateDeviceAuthorization(config, { scope: 'photos:read' });
console.log(`Open ${device.verification_uri} and type ${device.user_code}`);
const tokens = await client.pollDeviceAuthorizationGrant(config, device);
const photos = new URL('/api/photos', ISSUER);
console.log(await (await client.fetchProtectedResource(config, tokens.access_token, photos, 'GET')).text());
