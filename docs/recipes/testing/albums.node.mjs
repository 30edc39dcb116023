import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accessToken, allow, startServer } from 'express-authorization-server/testing';
import mongoose from 'mongoose';

let server;
before(async () => {
  const { connection } = await mongoose.connect(process.env.MONGODB_URI);
  server = await startServer({ connection, scopes: { 'albums:read': 'See your albums' } });
});
after(() => server.close().then(() => mongoose.disconnect()));

test('a user allows our client; a token comes without pages', async () => {
  const { clientId } = await server.oauth.clients.create({
    name: 'Shop',
    redirectUris: ['https://shop.example/cb'],
  });
  const { userId, cookie } = await server.logIn('ada');
  const query = new URLSearchParams({ response_type: 'code', client_id: clientId });
  const back = await allow(`${server.issuer}/oauth/authorize?${query}`, { cookie });
  assert.ok(back.searchParams.get('code'));
  assert.ok(await accessToken(server.oauth, { clientId, userId, scopes: ['albums:read'] }));
});
