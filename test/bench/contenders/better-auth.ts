import { randomBytes } from 'node:crypto';

import { oauthProvider } from '@better-auth/oauth-provider';
import { oauthProviderResourceClient } from '@better-auth/oauth-provider/resource-client';
import { betterAuth } from 'better-auth';
import { mongodbAdapter } from 'better-auth/adapters/mongodb';
import { toNodeHandler } from 'better-auth/node';
import { jwt } from 'better-auth/plugins';
import express, { type Express } from 'express';
import { type Db, MongoClient } from 'mongodb';

import { createBrowser } from './support/browser.js';
import { serve, versionOf } from './support/serve.js';
import {
  ACCESS_TOKEN_TTL,
  CODE_TTL,
  photosOf,
  REDIRECT_URI,
  REFRESH_TOKEN_TTL,
  SCOPE,
} from './support/setup.js';

/*
 * As its documentation mounts it in Express, with its MongoDB adapter and its OAuth provider plugin. Rate limits are
 * off: they would count every request, not just failures. Its adapter makes no indexes; those for its queries are here.
 */

const RESOURCE = 'https://api.photos.example';
const BASE_PATH = '/api/auth';
const EMAIL = 'ada@photos.example';
const PASSWORD = 'correct horse battery';

const INDEXES: Readonly<Record<string, readonly Readonly<Record<string, 1>>[]>> = {
  user: [{ email: 1 }],
  session: [{ token: 1 }, { userId: 1 }],
  account: [{ userId: 1 }],
  verification: [{ identifier: 1 }],
  oauthClient: [{ clientId: 1 }],
  oauthAccessToken: [
    { token: 1 },
    { refreshId: 1 },
    { clientId: 1 },
    { userId: 1 },
    { sessionId: 1 },
    { authorizationCodeId: 1 },
  ],
  oauthRefreshToken: [
    { token: 1 },
    { clientId: 1 },
    { userId: 1 },
    { sessionId: 1 },
    { authorizationCodeId: 1 },
  ],
  oauthConsent: [{ clientId: 1, userId: 1 }],
  oauthResource: [{ identifier: 1 }],
  oauthClientResource: [{ clientId: 1, resourceId: 1 }],
};

function createAuth(url: string, database: Db) {
  return betterAuth({
    baseURL: url,
    basePath: BASE_PATH,
    secret: randomBytes(32).toString('hex'),
    database: mongodbAdapter(database),
    emailAndPassword: { enabled: true },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { level: 'error' },
    disabledPaths: ['/token'],
    plugins: [
      jwt(),
      oauthProvider({
        loginPage: '/login',
        consentPage: '/consent',
        scopes: [SCOPE, 'offline_access'],
        resources: [RESOURCE],
        enforcePerClientResources: false,
        clientPrivileges: () => true,
        accessTokenExpiresIn: ACCESS_TOKEN_TTL,
        m2mAccessTokenExpiresIn: ACCESS_TOKEN_TTL,
        refreshTokenExpiresIn: REFRESH_TOKEN_TTL,
        codeExpiresIn: CODE_TTL,
      }),
    ],
  });
}

await serve(async ({ url, databaseUri }) => {
  const mongo = await new MongoClient(databaseUri).connect();
  const database = mongo.db();
  await database.dropDatabase();
  for (const [collection, keys] of Object.entries(INDEXES))
    await database.collection(collection).createIndexes(keys.map((key) => ({ key: { ...key } })));
  const auth = createAuth(url, database);
  const context = await auth.$context;
  const client: { id: string; secret: string } = { id: '', secret: '' };

  const app = express();
  mountApi(app, { auth, url, client });
  app.all(`${BASE_PATH}/*splat`, toNodeHandler(auth));
  const made = {
    listener: app,
    version: versionOf('better-auth'),
    workloads: [
      'client_credentials',
      'client_credentials-jwt',
      'guard',
      'guard-jwt',
      'authorize',
      'code',
      'refresh',
      'introspect',
      'flow',
    ] as const,
    paths: {
      token: `${BASE_PATH}/oauth2/token`,
      authorize: `${BASE_PATH}/oauth2/authorize`,
      introspect: `${BASE_PATH}/oauth2/introspect`,
      api: '/api/photos',
      jwtApi: '/api/jwt-photos',
    },
    client,
    authorizationScope: `${SCOPE} offline_access`,
    jwtParameters: { resource: RESOURCE },
    async logIn() {
      const browser = createBrowser();
      const answer = await browser.open(`${url}${BASE_PATH}/sign-up/email`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: url },
        body: JSON.stringify({ email: EMAIL, password: PASSWORD, name: 'Ada Lovelace' }),
      });
      if (answer.status !== 200) throw new Error(`sign-up answered ${answer.status}: ${await answer.text()}`);
      const { user } = (await answer.json()) as { user: { id: string } };
      const created = await auth.api.adminCreateOAuthClient({
        headers: new Headers({ cookie: browser.cookieHeader() }),
        body: {
          redirect_uris: [REDIRECT_URI],
          grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
          scope: `${SCOPE} offline_access`,
          client_credentials_scopes: [SCOPE],
        },
      });
      client.id = created.client_id;
      client.secret = created.client_secret;
      const now = new Date();
      await context.adapter.create({
        model: 'oauthConsent',
        data: {
          clientId: client.id,
          userId: user.id,
          scopes: [SCOPE, 'offline_access'],
          createdAt: now,
          updatedAt: now,
        },
      });
      return browser.cookieHeader();
    },
  };
  return made;
});

interface Api {
  readonly auth: ReturnType<typeof createAuth>;
  readonly url: string;
  readonly client: { readonly id: string; readonly secret: string };
}

/** Opaque tokens with its introspection, called in this process; JWTs with its client for resource servers. */
function mountApi(app: Express, { auth, url, client }: Api): void {
  const { verifyBearerToken } = oauthProviderResourceClient(auth).getActions();
  const introspectionUrl = `${url}${BASE_PATH}/oauth2/introspect`;
  app.get('/api/photos', async (req, res) => {
    // it reads the client's credentials from a request only
    const request = new Request(introspectionUrl, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}` },
    });
    const token = await auth.api.oauth2Introspect({
      request,
      asResponse: false,
      body: { token: bearerOf(req) },
    });
    if (!token.active) return void res.status(401).json({ error: 'invalid_token' });
    if (!String(token.scope).split(' ').includes(SCOPE))
      return void res.status(403).json({ error: 'insufficient_scope' });
    res.json(photosOf(token.sub ?? token.client_id));
  });
  app.get('/api/jwt-photos', async (req, res) => {
    const token = await verifyBearerToken(bearerOf(req), {
      verifyOptions: { audience: RESOURCE, issuer: `${url}${BASE_PATH}` },
      requiredScopes: [SCOPE],
    });
    res.json(photosOf(token.sub ?? token.client_id ?? token.azp));
  });
}

function bearerOf(req: express.Request): string {
  return (req.headers.authorization ?? '').slice('Bearer '.length);
}
