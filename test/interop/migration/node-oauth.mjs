/* A site on @node-oauth/express-oauth-server, with the models of its MongoDB example; ada is logged in. */
import express from 'express';
import mongoose from 'mongoose';

import { CLIENT, load, REDIRECT_URI, SCOPES, serve } from './old-server.mjs';

const OAuthServer = await load('@node-oauth/express-oauth-server');
const { Schema } = mongoose;

const Tokens = mongoose.model(
  'OAuthTokens',
  new Schema({
    accessToken: String,
    accessTokenExpiresAt: Date,
    refreshToken: String,
    refreshTokenExpiresAt: Date,
    scope: [String],
    client: Object,
    clientId: String,
    user: Object,
    userId: String,
  }),
);
const Clients = mongoose.model(
  'OAuthClients',
  new Schema({ clientId: String, clientSecret: String, redirectUris: [String], grants: [String] }),
);
const Users = mongoose.model('OAuthUsers', new Schema({ _id: String, username: String }));
const codes = new Map();

const model = {
  async getClient(clientId, clientSecret) {
    const found = await Clients.findOne({ clientId, ...(clientSecret && { clientSecret }) }).lean();
    return found && { ...found, id: clientId };
  },
  async saveToken(token, client, user) {
    await Tokens.create({ ...token, client, clientId: client.clientId, user, userId: user._id });
    return { ...token, client, user };
  },
  getAccessToken: (accessToken) => Tokens.findOne({ accessToken }).lean(),
  getRefreshToken: (refreshToken) => Tokens.findOne({ refreshToken }).lean(),
  revokeToken: async ({ refreshToken }) => (await Tokens.deleteOne({ refreshToken })).deletedCount === 1,
  saveAuthorizationCode(code, client, user) {
    codes.set(code.authorizationCode, { ...code, client, user });
    return codes.get(code.authorizationCode);
  },
  getAuthorizationCode: (code) => codes.get(code),
  revokeAuthorizationCode: ({ authorizationCode }) => codes.delete(authorizationCode),
  validateScope: (_user, _client, scope = []) =>
    scope.every((each) => SCOPES.includes(each)) ? scope : false,
  verifyScope: ({ scope }, wanted) => wanted.every((each) => scope.includes(each)),
};

await serve(async ({ databaseUri }) => {
  await mongoose.connect(databaseUri);
  await Users.create({ _id: 'ada', username: 'ada' });
  await Clients.create({
    clientId: CLIENT.id,
    clientSecret: CLIENT.secret,
    redirectUris: [REDIRECT_URI],
    grants: ['authorization_code', 'refresh_token'],
  });
  const oauth = new OAuthServer({ model });
  const app = express();
  const authenticateHandler = { handle: () => Users.findById('ada').lean() };
  app.get('/oauth/authorize', oauth.authorize({ authenticateHandler }));
  app.post('/oauth/token', express.urlencoded({ extended: false }), oauth.token());
  app.get('/api', oauth.authenticate({ scope: ['profile'] }), (_req, res) => {
    res.json({ user: res.locals.oauth.token.user._id });
  });
  return app;
});
