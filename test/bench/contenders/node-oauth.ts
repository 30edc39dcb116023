import { randomBytes } from 'node:crypto';

import OAuthServer from '@node-oauth/express-oauth-server';
import express from 'express';
import mongoose, { Schema } from 'mongoose';

import { logInAt, mountLogin } from './support/people.js';
import { serve, versionOf } from './support/serve.js';
import {
  ACCESS_TOKEN_TTL,
  CODE_TTL,
  photosOf,
  REDIRECT_URI,
  REFRESH_TOKEN_TTL,
  SCOPE,
  USER_ID,
} from './support/setup.js';

/*
 * As its documentation and its MongoDB example do it: a model on Mongoose, lean reads, client and user kept in the token,
 * tokens and secrets as they are. Beyond the example: indexes, expiry, and scopes.
 */

const Client = mongoose.model(
  'Client',
  new Schema({
    clientId: { type: String, unique: true },
    clientSecret: String,
    grants: [String],
    redirectUris: [String],
    scopes: [String],
  }),
);
const Token = mongoose.model(
  'Token',
  new Schema({
    accessToken: { type: String, unique: true },
    accessTokenExpiresAt: Date,
    refreshToken: { type: String, index: { unique: true, sparse: true } },
    refreshTokenExpiresAt: Date,
    scope: [String],
    client: Object,
    user: Object,
    expiresAt: { type: Date, expires: 0 },
  }),
);
const Code = mongoose.model(
  'Code',
  new Schema({
    authorizationCode: { type: String, unique: true },
    expiresAt: { type: Date, expires: 0 },
    redirectUri: String,
    scope: [String],
    client: Object,
    user: Object,
    codeChallenge: String,
    codeChallengeMethod: String,
  }),
);
const Consent = mongoose.model(
  'Consent',
  new Schema({ userId: String, clientId: String, scopes: [String] }).index(
    { userId: 1, clientId: 1 },
    { unique: true },
  ),
);

interface ClientOfModel {
  readonly id: string;
  readonly scopes: readonly string[];
}
interface NewToken {
  readonly accessToken: string;
  readonly accessTokenExpiresAt: Date;
  readonly refreshToken?: string;
  readonly refreshTokenExpiresAt?: Date;
  readonly scope: string[];
}

const model = {
  async getClient(clientId: string, clientSecret: string | null) {
    const client = await Client.findOne({ clientId, ...(clientSecret !== null && { clientSecret }) }).lean();
    return (
      client && {
        id: clientId,
        grants: client.grants,
        redirectUris: client.redirectUris,
        scopes: client.scopes,
      }
    );
  },
  getUserFromClient: (client: ClientOfModel) => ({ id: client.id }),
  async saveToken(token: NewToken, { id }: ClientOfModel, { id: userId }: { id: string }) {
    const saved = { ...token, client: { id }, user: { id: userId } };
    await Token.create({ ...saved, expiresAt: token.refreshTokenExpiresAt ?? token.accessTokenExpiresAt });
    return saved;
  },
  getAccessToken: (accessToken: string) => Token.findOne({ accessToken }).lean(),
  getRefreshToken: (refreshToken: string) => Token.findOne({ refreshToken }).lean(),
  async revokeToken({ refreshToken }: { refreshToken: string }) {
    return (await Token.deleteOne({ refreshToken })).deletedCount === 1;
  },
  async saveAuthorizationCode(code: object, { id }: ClientOfModel, { id: userId }: { id: string }) {
    const saved = { ...code, client: { id }, user: { id: userId } };
    await Code.create(saved);
    return saved;
  },
  getAuthorizationCode: (authorizationCode: string) => Code.findOne({ authorizationCode }).lean(),
  async revokeAuthorizationCode({ authorizationCode }: { authorizationCode: string }) {
    return (await Code.deleteOne({ authorizationCode })).deletedCount === 1;
  },
  validateScope: (_user: object, client: ClientOfModel, scope: string[] = []) =>
    scope.every((desired) => client.scopes.includes(desired)) ? scope : false,
  verifyScope: ({ scope }: { scope: string[] }, desired: string[]) =>
    desired.every((one) => scope.includes(one)),
};

/** The logged-in user with a stored consent. */
const authenticateHandler = {
  async handle({ user, query }: { user?: { id: string }; query: Record<string, string> }) {
    const consent = user && (await Consent.findOne({ userId: user.id, clientId: query.client_id }).lean());
    return consent?.scopes.includes(query.scope ?? '') === true ? user : null;
  },
};

await serve(async ({ url, databaseUri }) => {
  const { connection } = await mongoose.connect(databaseUri);
  await connection.dropDatabase();
  await Promise.all([Client, Token, Code, Consent].map((each) => each.init()));
  await Promise.all([Client, Token, Code, Consent].map((each) => each.createIndexes()));
  const client = { id: randomBytes(16).toString('hex'), secret: randomBytes(32).toString('hex') };
  await Client.create({
    clientId: client.id,
    clientSecret: client.secret,
    grants: ['authorization_code', 'refresh_token', 'client_credentials'],
    redirectUris: [REDIRECT_URI],
    scopes: [SCOPE],
  });
  await Consent.create({ userId: USER_ID, clientId: client.id, scopes: [SCOPE] });

  const oauth = new OAuthServer({
    model,
    accessTokenLifetime: ACCESS_TOKEN_TTL,
    refreshTokenLifetime: REFRESH_TOKEN_TTL,
    authorizationCodeLifetime: CODE_TTL,
  });
  const app = express();
  app.get('/api/photos', oauth.authenticate({ scope: [SCOPE] }), (_req, res) => {
    res.json(photosOf((res.locals.oauth as { token: { user: { id: string } } }).token.user.id));
  });
  await mountLogin(app, connection.getClient());
  app.get(
    '/oauth/authorize',
    (req, _res, next) => {
      // its Request takes over what a request has of its own; the person is found by Passport
      Object.assign(req, { user: req.user && { id: (req.user as { _id: string })._id } });
      next();
    },
    oauth.authorize({ authenticateHandler }),
  );
  app.post('/oauth/token', express.urlencoded({ extended: false }), oauth.token());
  return {
    listener: app,
    version: versionOf('@node-oauth/express-oauth-server'),
    workloads: ['client_credentials', 'guard', 'authorize', 'code', 'refresh', 'flow'],
    paths: { token: '/oauth/token', authorize: '/oauth/authorize', api: '/api/photos' },
    client,
    logIn: () => logInAt(url),
  };
});
