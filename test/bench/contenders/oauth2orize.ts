import { createHash, randomBytes } from 'node:crypto';

import express, { type Request, type RequestHandler } from 'express';
import mongoose, { Schema } from 'mongoose';
import oauth2orize from 'oauth2orize';
import pkce from 'oauth2orize-pkce';
import passport from 'passport';
import { BasicStrategy } from 'passport-http';
import { Strategy as BearerStrategy } from 'passport-http-bearer';

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
 * As its README does it, with Passport's strategies for clients and tokens, and Mongoose. What it leaves to its host is
 * done in the fewest commands that are safe: a code or a refresh token is found and deleted in one. Tokens as they are.
 */

interface ClientOfSite {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUris: string[];
  readonly scopes: string[];
}
interface TokenOfSite {
  readonly accessToken: string;
  readonly accessTokenExpiresAt: Date;
  readonly refreshToken?: string;
  readonly clientId: string;
  readonly userId?: string;
  readonly scopes: string[];
  readonly expiresAt: Date;
}
interface CodeOfSite {
  readonly code: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly userId: string;
  readonly scopes: string[];
  readonly codeChallenge?: string;
  readonly expiresAt: Date;
}
type Done = (error: unknown, ...values: unknown[]) => void;

const Client = mongoose.model(
  'Client',
  new Schema<ClientOfSite>({
    clientId: { type: String, unique: true },
    clientSecret: String,
    redirectUris: [String],
    scopes: [String],
  }),
);
const Token = mongoose.model(
  'Token',
  new Schema<TokenOfSite>({
    accessToken: { type: String, unique: true },
    accessTokenExpiresAt: Date,
    refreshToken: { type: String, index: { unique: true, sparse: true } },
    clientId: String,
    userId: String,
    scopes: [String],
    expiresAt: { type: Date, expires: 0 },
  }),
);
const Code = mongoose.model(
  'Code',
  new Schema<CodeOfSite>({
    code: { type: String, unique: true },
    clientId: String,
    redirectUri: String,
    userId: String,
    scopes: [String],
    codeChallenge: String,
    expiresAt: { type: Date, expires: 0 },
  }),
);
const Consent = mongoose.model(
  'Consent',
  new Schema({ userId: String, clientId: String, scopes: [String] }).index(
    { userId: 1, clientId: 1 },
    { unique: true },
  ),
);

const newSecret = () => randomBytes(32).toString('base64url');
const after = (seconds: number) => new Date(Date.now() + seconds * 1000);

async function issueTokens(
  of: Pick<TokenOfSite, 'clientId' | 'userId' | 'scopes'>,
  withRefreshToken: boolean,
  done: Done,
): Promise<void> {
  const accessTokenExpiresAt = after(ACCESS_TOKEN_TTL);
  const token = {
    ...of,
    accessToken: newSecret(),
    accessTokenExpiresAt,
    ...(withRefreshToken && { refreshToken: newSecret() }),
    expiresAt: withRefreshToken ? after(REFRESH_TOKEN_TTL) : accessTokenExpiresAt,
  };
  await Token.create(token);
  done(null, token.accessToken, withRefreshToken ? token.refreshToken : null, {
    expires_in: ACCESS_TOKEN_TTL,
    scope: of.scopes.join(' '),
  });
}

async function redeem(
  client: ClientOfSite,
  { code, redirectUri, verifier }: { code: string; redirectUri: string; verifier: string },
  done: Done,
): Promise<void> {
  const stored = await Code.findOneAndDelete({ code, clientId: client.clientId, redirectUri }).lean();
  if (!stored || stored.expiresAt <= new Date()) return done(null, false);
  if (
    stored.codeChallenge !== undefined &&
    createHash('sha256').update(verifier).digest('base64url') !== stored.codeChallenge
  )
    return done(null, false);
  await issueTokens({ clientId: client.clientId, userId: stored.userId, scopes: stored.scopes }, true, done);
}

async function refresh(client: ClientOfSite, refreshToken: string, done: Done): Promise<void> {
  const stored = await Token.findOneAndDelete({ refreshToken, clientId: client.clientId }).lean();
  if (!stored || stored.expiresAt <= new Date()) return done(null, false);
  await issueTokens(
    {
      clientId: client.clientId,
      ...(stored.userId !== undefined && { userId: stored.userId }),
      scopes: stored.scopes,
    },
    true,
    done,
  );
}

interface AuthorizationRequest {
  readonly redirectURI: string;
  readonly scope: string[];
  readonly codeChallenge?: string;
}

function createServer() {
  const server = oauth2orize.createServer();
  server.grant(pkce.extensions());
  // it distinguishes functions by their number of parameters
  server.grant(
    oauth2orize.grant.code(
      (
        client: ClientOfSite,
        redirectUri: string,
        user: { _id: string },
        _response: object,
        request: AuthorizationRequest,
        done: Done,
      ) => {
        const code = newSecret();
        const { scope, codeChallenge } = request;
        Code.create({
          code,
          clientId: client.clientId,
          redirectUri,
          userId: user._id,
          scopes: scope,
          codeChallenge,
          expiresAt: after(CODE_TTL),
        }).then(() => done(null, code), done);
      },
    ),
  );
  server.exchange(
    oauth2orize.exchange.code(
      (client: ClientOfSite, code: string, redirectUri: string, body: Record<string, string>, done: Done) => {
        redeem(client, { code, redirectUri, verifier: body.code_verifier ?? '' }, done).catch(done);
      },
    ),
  );
  server.exchange(
    oauth2orize.exchange.refreshToken(
      (client: ClientOfSite, refreshToken: string, _scope: string[], done: Done) => {
        refresh(client, refreshToken, done).catch(done);
      },
    ),
  );
  server.exchange(
    oauth2orize.exchange.clientCredentials((client: ClientOfSite, scopes: string[], done: Done) => {
      if (!scopes.every((scope) => client.scopes.includes(scope))) return done(null, false);
      issueTokens({ clientId: client.clientId, scopes }, false, done).catch(done);
    }),
  );
  return server;
}

function usePassport(): void {
  passport.use(
    new BasicStrategy((clientId: string, secret: string, done: Done) => {
      Client.findOne({ clientId })
        .lean()
        .then((client) => done(null, client?.clientSecret === secret ? client : false), done);
    }),
  );
  passport.use(
    new BearerStrategy((accessToken: string, done: Done) => {
      Token.findOne({ accessToken })
        .lean()
        .then(
          (token) =>
            done(
              null,
              token && token.accessTokenExpiresAt > new Date()
                ? { id: token.userId ?? token.clientId }
                : false,
              { scope: token?.scopes.join(' ') },
            ),
          done,
        );
    }),
  );
}

await serve(async ({ url, databaseUri }) => {
  const { connection } = await mongoose.connect(databaseUri);
  await connection.dropDatabase();
  await Promise.all([Client, Token, Code, Consent].map((each) => each.init()));
  await Promise.all([Client, Token, Code, Consent].map((each) => each.createIndexes()));
  const client = { id: newSecret(), secret: newSecret() };
  await Client.create({
    clientId: client.id,
    clientSecret: client.secret,
    redirectUris: [REDIRECT_URI],
    scopes: [SCOPE],
  });
  await Consent.create({ userId: USER_ID, clientId: client.id, scopes: [SCOPE] });

  usePassport();
  const server = createServer();
  const app = express();
  app.get(
    '/api/photos',
    passport.authenticate('bearer', { session: false }) as RequestHandler,
    requireScope,
    (req, res) => {
      res.json(photosOf((req.user as unknown as { id: string }).id));
    },
  );
  await mountLogin(app, connection.getClient());
  app.get('/oauth/authorize', server.authorize(findClient, isAllowed));
  app.post(
    '/oauth/token',
    express.urlencoded({ extended: false }),
    passport.authenticate('basic', { session: false }) as RequestHandler,
    server.token(),
    server.errorHandler(),
  );
  return {
    listener: app,
    version: versionOf('oauth2orize'),
    workloads: ['client_credentials', 'guard', 'authorize', 'code', 'refresh', 'flow'],
    paths: { token: '/oauth/token', authorize: '/oauth/authorize', api: '/api/photos' },
    client,
    logIn: () => logInAt(url),
  };
});

function requireScope(req: Request, res: express.Response, next: () => void): void {
  const { scope = '' } = req.authInfo as { scope?: string };
  if (scope.split(' ').includes(SCOPE)) return next();
  res.sendStatus(403);
}

function findClient(clientId: string, redirectUri: string, done: Done): void {
  Client.findOne({ clientId })
    .lean()
    .then(
      (client) =>
        client?.redirectUris.includes(redirectUri) ? done(null, client, redirectUri) : done(null, false),
      done,
    );
}

function isAllowed(
  client: ClientOfSite,
  user: { _id: string } | undefined,
  scope: string[],
  done: Done,
): void {
  if (user === undefined) return done(null, false);
  Consent.findOne({ userId: user._id, clientId: client.clientId })
    .lean()
    .then(
      (consent) =>
        done(
          null,
          scope.every((desired) => consent?.scopes.includes(desired)),
        ),
      done,
    );
}
