// Each public function once, with `undefined` wherever something can be left out; strict-flags.test.ts looks for it.
import { createServer } from 'node:http';

import express, { type Request, type Response } from 'express';
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  authOf,
  createUsers,
  csrfTokenOf,
  type Health,
  localLogin,
  OAuthError,
  safeReturnPath,
  UserError,
} from 'express-authorization-server';
import { type BearerGuard, bearerGuard, errorHandler } from 'express-authorization-server/guard';
import {
  accessToken,
  actingAs,
  actingAsClient,
  allow,
  deny,
  startServer,
} from 'express-authorization-server/testing';
import mongoose from 'mongoose';
import passport from 'passport';

const { SITE_NAME } = process.env;
const maybe = <Value,>(value: Value): Value | undefined => (SITE_NAME === '' ? undefined : value);

/** The shapes of the larger options. */
export const shapes: Partial<AuthorizationServerOptions> = {
  resources: { 'https://api.example': { name: maybe('Photos'), accessTokenFormat: maybe('jwt' as const) } },
  choices: { album: { label: 'Which?', optional: maybe(true), list: () => [{ value: 'a', label: 'A' }] } },
  personalAccessTokens: { ttl: maybe(86_400), serviceTokens: maybe(true) },
  webhooks: [
    { name: maybe('crm'), url: 'https://crm.example/', secret: 's'.repeat(32), events: ['token.issued'] },
  ],
  audit: { ttl: 86_400 },
  assertions: [
    {
      kind: 'workload',
      name: 'publisher',
      issuer: 'https://token.actions.githubusercontent.com',
      jwksUri: 'https://token.actions.githubusercontent.com/.well-known/jwks',
      scopes: ['photos:write'],
      subject: maybe('repo:photos/site:environment:production'),
      claims: { repository: 'photos/site', ref: 'refs/heads/main', event_name: ['push'] },
    },
  ],
};

export async function ofServer(oauth: AuthorizationServer, req: Request, res: Response): Promise<void> {
  const app = express();
  app.use(oauth.clientRouter, oauth.loginPage, oauth.pageRouter, oauth.router, oauth.wellKnown, oauth.resume);
  app.use('/token', oauth.endpoints.token);
  app.use(oauth.errorHandler, errorHandler);
  oauth.takeReturnPath(req, res, maybe('/home'));
  await oauth.describeRequest(req, res);
  oauth.events.on('token.issued', ({ clientId }) => console.log(clientId));
  await oauth.models.Client.countDocuments();
  await oauth.ready();
  const { status, checks }: Health = await oauth.health();
  if (status === 'warn' && checks.guardCache === 'warn') res.json(checks);
  await oauth.verify(maybe('token'), {
    scopes: maybe(['photos:read']),
    resource: maybe('https://api.example'),
  });
  passport.use(oauth.guard.strategy({ scopes: maybe(['photos:read']), maxAge: maybe(300) }) as never);
  app.get('/', oauth.guard.any('photos:read', 'photos:write'), (_req, answer) => answer.json(authOf(_req)));
  oauth.guard.upgrade(
    createServer(),
    { path: maybe('/live'), scopes: maybe(['photos:read']) },
    () => undefined,
  );
  await oauth.guard.verify('token', { scopes: maybe(['photos:read']) });
  app.use(oauth.guard.mcp({ handle: () => undefined, scopes: maybe(['photos:read']) }));
  app.use(
    oauth.mcp({
      handle: () => undefined,
      scopes: maybe(['photos:read']),
      resource: maybe('https://a.example'),
    }),
  );
  oauth.mcp.requireBearerAuth({ requiredScopes: maybe(['photos:read']) });
  await oauth.close();
}

export async function ofRegistries(oauth: AuthorizationServer): Promise<void> {
  const { clients, grants, keys, audit, webhooks, sessions, registration, personalAccessTokens } = oauth;
  const { clientId } = await clients.create({ name: 'Shop', redirectUris: ['https://shop.example/'] });
  await clients.find(clientId);
  await clients.update(clientId, { description: maybe('Prints'), logoUri: null });
  await clients.rotateSecret(clientId);
  await clients.revokeOldSecrets(clientId);
  await clients.block(clientId, { reason: maybe('spam') });
  await clients.unblock(clientId);
  await clients.approve(clientId);
  await clients.addOwner(clientId, 'ada');
  await clients.removeOwner(clientId, 'ada');
  await clients.listOfOwner('ada');
  await clients.delete(clientId);
  await grants.create({ clientId, userId: maybe('ada'), resource: maybe('https://api.example') });
  await grants.revoke({ clientId }, maybe('left'));
  const [key] = await keys.list();
  await keys.rotate();
  await keys.revoke(key?.kid ?? '');
  await audit.find({ userId: 'ada', limit: 10 });
  await webhooks.list({ failed: maybe(true), limit: maybe(10) });
  await webhooks.retry({ endpoint: maybe('crm'), id: maybe('1') });
  await sessions.end({ userId: 'ada' });
  await oauth.sharedSignals.emit('account-disabled', {
    userId: 'ada',
    event: maybe({ reason: 'hijacking' }),
  });
  await oauth.sharedSignals.transmitter('https://idp.example').readStreams();
  oauth.openapi({ version: maybe('3.2' as const) });
  const { token } = await registration.createInitialAccessToken({ expiresIn: 60, uses: maybe(1) });
  await registration.revokeInitialAccessToken(token);
  const made = await personalAccessTokens.create({
    userId: maybe('ada'),
    name: 'Backup',
    purpose: maybe('copies'),
    scopes: ['photos:read'],
    expiresIn: maybe(null),
  });
  await personalAccessTokens.list({ userId: 'ada' });
  await personalAccessTokens.find(made.id);
  await personalAccessTokens.rotate(made.id, { overlap: maybe(60), expiresIn: maybe(60) });
  await personalAccessTokens.narrow(made.id, ['photos:read']);
  await personalAccessTokens.addOwner(made.id, 'ada');
  await personalAccessTokens.removeOwner(made.id, 'ada');
  await personalAccessTokens.block(made.id, { reason: maybe('looked odd') });
  await personalAccessTokens.unblock(made.id);
  await personalAccessTokens.revokeLeaked(made.token);
  await personalAccessTokens.revoke(made.id);
}

export async function ofPeople(req: Request): Promise<string> {
  const users = createUsers(mongoose.connection, { rounds: maybe(12) });
  const ada = await users.create({ username: 'ada', password: 'correct horse' }).catch((error: unknown) => {
    if (error instanceof UserError) return null;
    throw new OAuthError('server_error', 'no', { detail: maybe('why'), cause: error });
  });
  await users.verify('ada', 'correct horse', { signal: maybe(new AbortController().signal) });
  await users.findById(ada?.id ?? '');
  localLogin({ passport, users, path: maybe('/login') });
  return safeReturnPath(req.query['return_to'], maybe('/')) + csrfTokenOf(req);
}

export function elsewhere(): BearerGuard {
  const guard = bearerGuard({ issuer: 'https://photos.example', resource: maybe('https://api.example') });
  express().use(guard.wellKnown, guard('photos:read'), guard.any('photos:read'));
  guard.strategy({ scopes: maybe(['photos:read']) });
  guard.mcp({ handle: () => undefined });
  guard.upgrade(createServer(), {}, () => undefined);
  void guard.verify('token');
  return guard;
}

export async function inTests(oauth: AuthorizationServer): Promise<void> {
  await accessToken(oauth, { userId: maybe('ada'), scopes: maybe(['photos:read']) });
  await actingAs(oauth, 'ada', maybe(['photos:read']));
  await actingAsClient(oauth, 'shop', maybe(['photos:read']));
  const person = { cookie: 'session=1' };
  await allow('http://localhost:3000/oauth/authorize', person);
  await deny(new URL('http://localhost:3000/oauth/authorize'), person);
  const server = await startServer({
    connection: mongoose.connection,
    scopes: { 'photos:read': 'See your photos' },
    siteName: maybe('Photos'),
  });
  await server.logIn('ada');
  await server.close();
}
