// The TypeScript of a host, compiled against the declarations of the package and never run.
import express, { type Express } from 'express';
import {
  type AccessToken,
  authOf,
  type AuthorizationServer,
  authorizationServer,
  type AuthorizationServerOptions,
  type Client,
  type ClientWithSecret,
  createUsers,
  type ExtensionGrantType,
  localLogin,
  OAuthError,
  safeReturnPath,
  type Users,
} from 'express-authorization-server';
import { type BearerGuard, bearerGuard, errorHandler } from 'express-authorization-server/guard';
import { actingAs, allow, startServer } from 'express-authorization-server/testing';
import session from 'express-session';
import mongoose from 'mongoose';
import passport from 'passport';

declare module 'express-authorization-server' {
  interface CustomClientFields {
    readonly plan?: string;
  }
  interface CustomUserFields {
    readonly email?: string;
  }
}

const giftCard: ExtensionGrantType = {
  grantType: 'urn:example:grant-type:gift-card',
  parameters: ['gift_card'],
  handle({ client, parameters, scopes }) {
    if (parameters.gift_card === undefined)
      throw new OAuthError('invalid_request', 'gift_card is missing', { detail: client.name });
    return { userId: 'ada', scopes: scopes.slice(0, 1), refreshToken: true, extra: { gift: true } };
  },
};

const options: AuthorizationServerOptions = {
  issuer: 'https://photos.example',
  connection: mongoose.connection,
  scopes: { 'photos:read': 'See your photos' },
  login: '/login',
  grantTypes: ['authorization_code', 'password', giftCard],
  people: {
    authenticate: async (username, password) => (await users.verify(username, password))?.id ?? null,
    id: (user) => (user as { id: string }).id,
    find: (id) => users.findById(id),
  },
  applications: { isDeveloper: (req) => req.user !== undefined },
  onError: (error, { requestId, endpoint, req }) =>
    console.error(requestId, endpoint, req?.path, error.error, error.detail, error.status),
};

const users: Users = createUsers(mongoose.connection);
const oauth: AuthorizationServer = authorizationServer(options);
void oauth.clients.create({ name: 'Shop', plan: 'free' });
void users.create({ username: 'ada', password: 'correct horse', email: 'ada@photos.example' });
const app: Express = express();
app.use(session({ secret: 'secret', resave: false, saveUninitialized: false }), passport.session());
app.use(localLogin({ passport, users }), oauth.router, oauth.wellKnown);
app.use(oauth.clientRouter, oauth.pageRouter);
app.use('/elsewhere', oauth.endpoints.token);
app.use(oauth.resume);
app.post('/api/login', (req, res) => res.json({ goTo: oauth.takeReturnPath(req, res, '/home') }));
app.get('/back', (req, res) => res.redirect(safeReturnPath(req.query.return_to)));
app.get('/api/photos', oauth.guard('photos:read'), (req, res) => {
  const auth: AccessToken | undefined = req.auth;
  res.json({ userId: auth?.userId, scopes: auth?.scopes, until: auth?.expiresAt });
});
app.get(
  '/api/mine',
  oauth.guard({ requireUser: true }),
  (req, res) => void res.json(authOf(req).scopes.join(' ')),
);
// @ts-expect-error -- without parentheses it is no middleware
app.use(oauth.guard);
// @ts-expect-error -- no more is `mcp`
app.use('/mcp', oauth.mcp);
// @ts-expect-error -- nor is `requireBearerAuth`
app.use('/mcp', oauth.mcp.requireBearerAuth);
app.get('/api/all', oauth.guard.any('photos:read'), oauth.guard({ scopes: ['photos:read'], optional: true }));
app.get('/api/me', oauth.guard({ user: true, orElse: passport.authenticate('jwt', { session: false }) }));
app.post('/api/photos', oauth.guard('photos:read').orSession, (req, res) => void res.json(req.user));
passport.use(oauth.guard.strategy('photos:read'));
passport.use('reading', oauth.guard.strategy({ scopes: ['photos:read'] }));
app.use('/api', oauth.errorHandler);

oauth.events.on('token.issued', ({ clientId, scopes, time }) =>
  console.log(clientId, scopes.join(' '), time.toISOString()),
);

const elsewhere: BearerGuard = bearerGuard({
  issuer: 'https://photos.example',
  resource: 'https://albums.example',
  scopes: ['albums:read'],
});
export const albums: Express = express()
  .use(elsewhere.wellKnown)
  .get('/albums', elsewhere('albums:read'), (req, res) => void res.json(req.auth?.userId))
  .use(errorHandler);

export async function register(): Promise<string | undefined> {
  const client: ClientWithSecret = await oauth.clients.create({
    name: 'Printing shop',
    redirectUris: ['https://print.example/callback'],
  });
  const found: Client | null = await oauth.clients.find(client.clientId);
  // @ts-expect-error -- a stored client has no readable secret
  void found?.clientSecret;
  return client.clientSecret;
}

// @ts-expect-error -- an unknown option
authorizationServer({ ...options, isuer: 'https://photos.example' });

export async function tested(): Promise<string | null> {
  const headers: { readonly Authorization: string } = await actingAs(oauth, 'ada', ['photos:read']);
  const grant = await oauth.grants.create({ clientId: 'shop', userId: 'ada', refreshToken: true });
  const server = await startServer({ connection: mongoose.connection, scopes: {} });
  const { cookie } = await server.logIn(grant.refreshToken ?? headers.Authorization);
  return (await allow(`${server.issuer}/oauth/authorize`, { cookie })).searchParams.get('code');
}
