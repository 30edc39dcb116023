import { randomBytes } from 'node:crypto';

import express, { type Express } from 'express';
import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify } from 'jose';
import { type Collection, type Db, MongoClient } from 'mongodb';
import Provider from 'oidc-provider';

import { createBrowser } from './support/browser.js';
import { boundTokenOf, createProofMemory, isProven, type ProofDatabase } from './support/proofs-by-hand.js';
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
 * As its documentation mounts it in Express, with an adapter for MongoDB as its examples have it: one collection for
 * each model, by id. Plain OAuth, with the `openid` scope for the sign-in alone. A refresh token rotates with each use,
 * as everywhere here.
 */

const RESOURCE = 'https://api.photos.example';
const DAY = 86_400;

interface Entry {
  readonly _id: string;
  readonly payload: Record<string, unknown>;
  readonly expiresAt?: Date;
}

function createAdapter(database: Db) {
  return class MongoAdapter {
    readonly #collection: Collection<Entry>;

    constructor(name: string) {
      this.#collection = database.collection<Entry>(name);
    }

    async upsert(_id: string, payload: Record<string, unknown>, expiresIn?: number) {
      const expiry = expiresIn === undefined ? {} : { expiresAt: new Date(Date.now() + expiresIn * 1000) };
      await this.#collection.updateOne({ _id }, { $set: { payload, ...expiry } }, { upsert: true });
    }

    async find(_id: string) {
      return (await this.#collection.findOne({ _id }, { projection: { payload: 1 } }))?.payload;
    }

    async findByUid(uid: string) {
      return (await this.#collection.findOne({ 'payload.uid': uid }, { projection: { payload: 1 } }))
        ?.payload;
    }

    async destroy(_id: string) {
      await this.#collection.deleteOne({ _id });
    }

    async revokeByGrantId(grantId: string) {
      await this.#collection.deleteMany({ 'payload.grantId': grantId });
    }

    async consume(_id: string) {
      await this.#collection.updateOne(
        { _id },
        { $set: { 'payload.consumed': Math.floor(Date.now() / 1000) } },
      );
    }
  };
}

async function createIndexes(database: Db): Promise<void> {
  for (const name of [
    'AccessToken',
    'AuthorizationCode',
    'RefreshToken',
    'ClientCredentials',
    'Session',
    'Grant',
    'Interaction',
    'PushedAuthorizationRequest',
    'ReplayDetection',
  ]) {
    await database
      .collection(name)
      .createIndexes([
        { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
        ...(['AccessToken', 'AuthorizationCode', 'RefreshToken'].includes(name)
          ? [{ key: { 'payload.grantId': 1 } } as const]
          : []),
        ...(name === 'Session' ? [{ key: { 'payload.uid': 1 }, unique: true } as const] : []),
      ]);
  }
}

interface InteractionContext {
  readonly uid: string;
}

function createProvider(issuer: string, database: Db, jwk: object) {
  const people = database.collection<{ _id: string }>('people');
  return new Provider(issuer, {
    adapter: createAdapter(database),
    jwks: { keys: [jwk] },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    scopes: [SCOPE],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    async findAccount(_ctx: unknown, id: string) {
      const person = await people.findOne({ _id: id });
      return person === null
        ? undefined
        : { accountId: id, claims: () => ({ sub: id, name: `Person ${id}` }) };
    },
    interactions: { url: (_ctx: unknown, { uid }: InteractionContext) => `/interaction/${uid}` },
    issueRefreshToken: (_ctx: unknown, client: { grantTypeAllowed(name: string): boolean }) =>
      client.grantTypeAllowed('refresh_token'),
    // otherwise tokens would end with the login session, which would be read with each of them
    expiresWithSession: () => false,
    rotateRefreshToken: () => true,
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      introspection: { enabled: true },
      pushedAuthorizationRequests: { enabled: true },
      dPoP: { enabled: true, requireNonce: () => false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: SCOPE,
          audience: RESOURCE,
          accessTokenFormat: 'jwt',
          accessTokenTTL: ACCESS_TOKEN_TTL,
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
    ttl: {
      AccessToken: ACCESS_TOKEN_TTL,
      AuthorizationCode: CODE_TTL,
      ClientCredentials: ACCESS_TOKEN_TTL,
      RefreshToken: REFRESH_TOKEN_TTL,
      Session: 14 * DAY,
      Grant: REFRESH_TOKEN_TTL,
      Interaction: 3600,
      IdToken: 3600,
    },
  });
}

await serve(async ({ url, databaseUri }) => {
  const mongo = await new MongoClient(databaseUri).connect();
  const database = mongo.db();
  await database.dropDatabase();
  await createIndexes(database);
  await database
    .collection<{ _id: string; name: string }>('people')
    .insertOne({ _id: USER_ID, name: 'Ada Lovelace' });
  const client = { id: randomBytes(16).toString('base64url'), secret: randomBytes(32).toString('base64url') };
  await new (createAdapter(database))('Client').upsert(client.id, {
    client_id: client.id,
    client_secret: client.secret,
    redirect_uris: [REDIRECT_URI],
    grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
    response_types: ['code'],
    scope: `openid ${SCOPE}`,
  });
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const issuer = `${url}/oidc`;
  const provider = createProvider(issuer, database, {
    ...(await exportJWK(privateKey)),
    kid: 'of-the-benchmark',
    alg: 'ES256',
    use: 'sig',
  });

  const app = express();
  const keys = createLocalJWKSet({
    keys: [{ ...(await exportJWK(publicKey)), kid: 'of-the-benchmark', alg: 'ES256' }],
  });
  mountApi(app, { provider, issuer, keys });
  mountInteraction(app, provider);
  app.use('/oidc', provider.callback());
  return {
    listener: app,
    version: versionOf('oidc-provider'),
    workloads: [
      'client_credentials',
      'client_credentials-jwt',
      'client_credentials-stateless',
      'guard',
      'guard-jwt',
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
      token: '/oidc/token',
      authorize: '/oidc/auth',
      introspect: '/oidc/token/introspection',
      par: '/oidc/request',
      userinfo: '/oidc/me',
      api: '/api/photos',
      clientApi: '/api/client-photos',
      jwtApi: '/api/jwt-photos',
      dpopApi: '/api/dpop-photos',
      dpopJwtApi: '/api/dpop-jwt-photos',
    },
    client,
    jwtParameters: { resource: RESOURCE },
    // its JWTs are stored nowhere
    statelessParameters: { resource: RESOURCE },
    logIn: () => logIn(url, client.id),
  };
});

interface TokenOfProvider {
  readonly isValid: boolean;
  readonly scopes: ReadonlySet<string>;
  readonly accountId?: string;
  readonly clientId: string;
  /** Thumbprint of the key to which it is bound. */
  readonly jkt?: string;
}
interface Api {
  readonly provider: Pick<ProofDatabase, 'ReplayDetection'> & {
    readonly AccessToken: Model;
    readonly ClientCredentials: Model;
  };
  readonly issuer: string;
  readonly keys: ReturnType<typeof createLocalJWKSet>;
}
interface Model {
  find(value: string): Promise<TokenOfProvider | undefined>;
}

/** It has no guard: its models find tokens (one model for people's, one for clients'), and jose verifies JWTs. */
function mountApi(app: Express, { provider, issuer, keys }: Api): void {
  // an API elsewhere cannot use the provider's database, so like ours it remembers in its own process
  const usedProofs = createProofMemory();
  const answer = async (model: Model, req: express.Request, res: express.Response) => {
    const token = await model.find(bearerOf(req));
    if (!token?.isValid) return void res.status(401).json({ error: 'invalid_token' });
    if (!token.scopes.has(SCOPE)) return void res.status(403).json({ error: 'insufficient_scope' });
    res.json(photosOf(token.accountId ?? token.clientId));
  };
  app.get('/api/photos', (req, res) => answer(provider.AccessToken, req, res));
  app.get('/api/client-photos', (req, res) => answer(provider.ClientCredentials, req, res));
  // it has no check of proofs for APIs either, so that is written here, with its model for used proofs
  app.get('/api/dpop-photos', async (req, res) => {
    const token = await provider.ClientCredentials.find(boundTokenOf(req));
    if (!token?.isValid || !(await isProven(req, token.jkt, provider)))
      return void res.status(401).json({ error: 'invalid_token' });
    if (!token.scopes.has(SCOPE)) return void res.status(403).json({ error: 'insufficient_scope' });
    res.json(photosOf(token.clientId));
  });
  app.get('/api/dpop-jwt-photos', async (req, res) => {
    const { payload } = await jwtVerify(boundTokenOf(req), keys, {
      issuer,
      audience: RESOURCE,
      typ: 'at+jwt',
    });
    const { jkt } = (payload.cnf ?? {}) as { jkt?: string };
    if (!(await isProven(req, jkt, usedProofs))) return void res.status(401).json({ error: 'invalid_token' });
    if (!String(payload.scope).split(' ').includes(SCOPE))
      return void res.status(403).json({ error: 'insufficient_scope' });
    res.json(photosOf(String(payload.sub)));
  });
  app.get('/api/jwt-photos', async (req, res) => {
    const { payload } = await jwtVerify(bearerOf(req), keys, { issuer, audience: RESOURCE, typ: 'at+jwt' });
    if (!String(payload.scope).split(' ').includes(SCOPE))
      return void res.status(403).json({ error: 'insufficient_scope' });
    res.json(photosOf(String(payload.sub)));
  });
}

function bearerOf(req: express.Request): string {
  return (req.headers.authorization ?? '').slice('Bearer '.length);
}

/** Logs in and consents at once, since that is not measured. */
function mountInteraction(app: Express, provider: InstanceType<typeof Provider>): void {
  app.get('/interaction/:uid', async (req, res) => {
    const { prompt, params, session } = await provider.interactionDetails(req, res);
    if (prompt.name === 'login')
      return provider.interactionFinished(
        req,
        res,
        { login: { accountId: USER_ID } },
        { mergeWithLastSubmission: false },
      );
    const grant = new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
    grant.addOIDCScope(`openid ${SCOPE}`);
    return provider.interactionFinished(
      req,
      res,
      { consent: { grantId: await grant.save() } },
      { mergeWithLastSubmission: true },
    );
  });
}

async function logIn(url: string, clientId: string): Promise<string> {
  const browser = createBrowser();
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    scope: SCOPE,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  });
  const answer = await browser.open(`${url}/oidc/auth?${query.toString()}`);
  if (answer.headers.get('location')?.startsWith(`${REDIRECT_URI}?code=`) !== true)
    throw new Error(`no code: ${answer.status} ${answer.headers.get('location')} ${await answer.text()}`);
  return browser.cookieHeader();
}
