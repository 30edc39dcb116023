import { readFileSync } from 'node:fs';

import express from 'express';
import mongoose from 'mongoose';

import { bearerGuard } from '../../../dist/guard.cjs';
import { authorizationServer, type AuthorizationServerOptions } from '../../../dist/index.cjs';
import { logInAt, mountLogin } from './support/people.js';
import { serve } from './support/serve.js';
import {
  ACCESS_TOKEN_TTL,
  CODE_TTL,
  photosOf,
  REDIRECT_URI,
  REFRESH_TOKEN_TTL,
  SCOPE,
  USER_ID,
} from './support/setup.js';

const RESOURCE = 'https://api.photos.example';
const STATELESS = 'https://stateless.photos.example';

/** This package as README.md mounts it, with its defaults: rate limits on, nothing switched off. */
await serve(async ({ url, databaseUri }) => {
  const { connection } = await mongoose.connect(databaseUri);
  await connection.dropDatabase();
  const options: AuthorizationServerOptions = {
    issuer: url,
    connection,
    scopes: { [SCOPE]: 'See your photos' },
    // on for their workloads; a site that leaves them off pays nothing for them
    pushedRequests: true,
    dpop: true,
    openid: { claims: (id) => ({ name: `Person ${id}` }), algorithms: ['ES256'] },
    login: '/login',
    resources: {
      [RESOURCE]: { accessTokenFormat: 'jwt' },
      [STATELESS]: { accessTokenFormat: 'jwt', stateless: true, accessTokenTtl: ACCESS_TOKEN_TTL },
    },
    signingKeys: { encryptionSecret: 'of the benchmark, with its 32 characters' },
    lifetimes: {
      authorizationCode: CODE_TTL,
      accessToken: ACCESS_TOKEN_TTL,
      refreshToken: REFRESH_TOKEN_TTL,
    },
  };
  const oauth = authorizationServer(options);
  // as in another process of the site, only for one workload
  const remembering = authorizationServer({ ...options, guard: { cache: true } });
  await Promise.all([oauth.ready(), remembering.ready()]);
  const app = express();
  mountApi(app, oauth, bearerGuard({ issuer: url, resource: RESOURCE, dpop: true }));
  app.get('/api/remembered-photos', remembering.guard(SCOPE), answerPhotos);
  await mountLogin(app, connection.getClient());
  app.use(oauth.router);

  return {
    listener: app as never,
    version: (
      JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
        version: string;
      }
    ).version,
    workloads: [
      'client_credentials',
      'client_credentials-jwt',
      'client_credentials-stateless',
      'guard',
      'guard-remembered',
      'guard-jwt',
      'guard-jwt-revocable',
      'authorize',
      'code',
      'refresh',
      'introspect',
      'par',
      'dpop-token',
      'dpop-guard',
      'dpop-guard-jwt',
      'sign-in',
      'flow',
    ],
    paths: {
      token: '/oauth/token',
      authorize: '/oauth/authorize',
      introspect: '/oauth/introspect',
      par: '/oauth/par',
      userinfo: '/oauth/userinfo',
      api: '/api/photos',
      cachedApi: '/api/remembered-photos',
      jwtApi: '/api/jwt-photos',
      dpopApi: '/api/photos',
      dpopJwtApi: '/api/jwt-photos',
      revocableJwtApi: '/api/revocable-photos',
    },
    dpopJwtOrigin: RESOURCE,
    client: await createClient(oauth, connection),
    jwtParameters: { resource: RESOURCE },
    statelessParameters: { resource: STATELESS },
    logIn: () => logInAt(url),
  };
});

type Oauth = ReturnType<typeof authorizationServer>;

/** A client with a stored consent of the user. */
async function createClient(
  oauth: Oauth,
  connection: mongoose.Connection,
): Promise<{ id: string; secret: string }> {
  const { clientId, clientSecret } = await oauth.clients.create({
    name: 'Printing shop',
    redirectUris: [REDIRECT_URI],
    grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
    introspection: true,
    idTokenSignedResponseAlg: 'ES256',
  });
  await connection.collection('oauth_consents').insertOne({
    userId: USER_ID,
    clientId,
    scopes: [SCOPE, 'openid'],
    createdAt: new Date(),
    updatedAt: new Date(),
  });
  return { id: clientId, secret: clientSecret ?? '' };
}

function mountApi(app: express.Express, oauth: Oauth, guardOfResource: ReturnType<typeof bearerGuard>): void {
  app.get('/api/photos', oauth.guard(SCOPE), answerPhotos);
  app.get('/api/revocable-photos', oauth.guard({ resource: RESOURCE, scopes: [SCOPE] }), answerPhotos);
  // as in a resource server in a separate process
  app.get('/api/jwt-photos', guardOfResource(SCOPE), answerPhotos);
}

function answerPhotos(req: express.Request, res: express.Response): void {
  res.json(photosOf(req.auth?.userId ?? req.auth?.clientId ?? ''));
}
