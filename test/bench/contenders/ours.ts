import { readFileSync } from 'node:fs';
import express from 'express';
import mongoose from 'mongoose';
import { authorizationServer } from '../../../dist/index.js';
import { bearerGuard } from '../../../dist/guard.js';
import { logInAt, mountLogin } from './support/people.js';
import { ACCESS_TOKEN_TTL, CODE_TTL, photosOf, REDIRECT_URI, REFRESH_TOKEN_TTL, SCOPE, USER_ID } from './support/setup.js';
import { serve } from './support/serve.js';

const RESOURCE = 'https://api.photos.example';

/** This package as its README mounts it, with its defaults: rate limits on, nothing switched off. */
await serve(async ({ url, databaseUri }) => {
  const { connection } = await mongoose.connect(databaseUri);
  await connection.dropDatabase();
  const oauth = authorizationServer({
    issuer: url,
    connection,
    scopes: { [SCOPE]: 'See your photos' },
    login: '/login',
    resources: { [RESOURCE]: { tokenFormat: 'jwt' } },
    authorizationCodeTtl: CODE_TTL,
    accessTokenTtl: ACCESS_TOKEN_TTL,
    refreshTokenTtl: REFRESH_TOKEN_TTL,
  });
  await oauth.ready();
  const app = express();
  mountApi(app, oauth, bearerGuard({ issuer: url, resource: RESOURCE }));
  await mountLogin(app, connection.getClient());
  app.use(oauth.router);

  const { clientId, clientSecret } = await oauth.clients.create({
    name: 'Printing shop',
    redirectUris: [REDIRECT_URI],
    grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
    introspection: true,
  });
  await connection.collection('oauth_consents').insertOne({ userId: USER_ID, clientId, scopes: [SCOPE], createdAt: new Date(), updatedAt: new Date() });

  return {
    listener: app as never,
    version: (JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string }).version,
    workloads: ['client_credentials', 'client_credentials-jwt', 'guard', 'guard-jwt', 'guard-jwt-revocable', 'authorize', 'code', 'refresh', 'introspect', 'flow'],
    paths: { token: '/oauth/token', authorize: '/oauth/authorize', introspect: '/oauth/introspect', api: '/api/photos', jwtApi: '/api/jwt-photos', revocableJwtApi: '/api/revocable-photos' },
    client: { id: clientId, secret: clientSecret ?? '' },
    jwtParameters: { resource: RESOURCE },
    logIn: () => logInAt(url),
  };
});

type Oauth = ReturnType<typeof authorizationServer>;

function mountApi(app: express.Express, oauth: Oauth, guardOfResource: ReturnType<typeof bearerGuard>): void {
  app.get('/api/photos', oauth.guard(SCOPE), answerPhotos);
  app.get('/api/revocable-photos', oauth.guard({ resource: RESOURCE, scopes: [SCOPE] }), answerPhotos);
  // as in a resource server that is a process of its own
  app.get('/api/jwt-photos', guardOfResource(SCOPE), answerPhotos);
}

function answerPhotos(req: express.Request, res: express.Response): void {
  res.json(photosOf(req.auth?.userId ?? req.auth?.clientId ?? ''));
}
