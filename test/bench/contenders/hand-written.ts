import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import { exportJWK, generateKeyPair, type GenerateKeyPairResult, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { type Collection, MongoClient } from 'mongodb';

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
 * What a good programmer would write for this one site: the same commands to the database, each by itself, the same
 * documents and the same hashes as ours, straight into Express routes; clients are remembered for five seconds where
 * ours are, which is not where a code or nothing but their secret stands for them, and codes until they are redeemed.
 * Nothing is optional, nothing is extensible, errors are one line.
 */

interface Client {
  readonly _id: string;
  readonly secretHash: string;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
}
interface Token {
  readonly hash: string;
  readonly expiresAt: Date;
  readonly resource?: string;
}
interface Grant {
  readonly _id: string;
  readonly clientId: string;
  readonly userId?: string;
  readonly scopes: readonly string[];
  readonly grantType: string;
  readonly code?: {
    hash: string;
    expiresAt: Date;
    redirectUri: string;
    codeChallenge: string;
    usedAt?: Date;
  };
  readonly accessTokens: readonly Token[];
  readonly refreshToken?: Token;
  readonly usedRefreshTokens?: readonly string[];
  readonly revokedAt?: Date;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

interface Keys extends GenerateKeyPairResult {
  readonly kid: string;
}

const ID_LENGTH = 22;
const RESOURCE = 'https://api.photos.example';

const hashOf = (secret: string) => createHash('sha256').update(secret).digest('base64url');
const random = (bytes: number) => randomBytes(bytes).toString('base64url');
const after = (now: number, seconds: number) => new Date(now + seconds * 1000);
const isEqual = (a: string, b: string) =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
const refuse = (res: Response, status: number, error: string) => void res.status(status).json({ error });

class Site {
  readonly clients: Collection<Client>;
  readonly grants: Collection<Grant>;
  readonly consents: Collection<{ userId: string; clientId: string; scopes: string[] }>;
  readonly #clients = new LRUCache<string, Client>({ max: 1000, ttl: 5000, ttlResolution: 0 });
  readonly #codes = new LRUCache<string, Grant>({ max: 1000, ttl: CODE_TTL * 1000, ttlResolution: 0 });

  constructor(
    mongo: MongoClient,
    readonly url: string,
    readonly keys: Keys,
  ) {
    const database = mongo.db();
    this.clients = database.collection('clients');
    this.grants = database.collection('grants');
    this.consents = database.collection('consents');
  }

  async authenticate(req: Request, mayBeCached: boolean): Promise<Client | null> {
    const [scheme, encoded = ''] = (req.headers.authorization ?? '').split(' ');
    if (scheme !== 'Basic') return null;
    const [id = '', secret = ''] = Buffer.from(encoded, 'base64')
      .toString('utf8')
      .split(':')
      .map(decodeURIComponent);
    const client = (mayBeCached && this.#clients.get(id)) || (await this.clients.findOne({ _id: id }));
    if (client !== null) this.#clients.set(id, client, { noUpdateTTL: true });
    return client !== null && isEqual(hashOf(secret), client.secretHash) ? client : null;
  }

  async clientCredentials(
    client: Client,
    { scope, resource }: Record<string, string>,
    res: Response,
  ): Promise<void> {
    const scopes = scope === undefined ? client.scopes : scope.split(' ');
    if (!scopes.every((desired) => client.scopes.includes(desired))) return refuse(res, 400, 'invalid_scope');
    const now = Date.now();
    const grantId = random(16);
    const secret = random(resource === undefined ? 32 : 16);
    const expiresAt = after(now, ACCESS_TOKEN_TTL);
    const value =
      resource === undefined
        ? `at_${grantId}${secret}`
        : await this.#signJwt(
            { sub: client._id, client_id: client._id, jti: grantId + secret, scope: scopes.join(' ') },
            resource,
            now,
          );
    await this.grants.insertOne({
      _id: grantId,
      clientId: client._id,
      scopes,
      grantType: 'client_credentials',
      accessTokens: [{ hash: hashOf(secret), expiresAt, ...(resource !== undefined && { resource }) }],
      createdAt: new Date(now),
      expiresAt,
    });
    sendTokens(res, {
      access_token: value,
      token_type: 'Bearer',
      expires_in: ACCESS_TOKEN_TTL,
      scope: scopes.join(' '),
    });
  }

  async code(
    client: Client,
    { code = '', redirect_uri, code_verifier = '' }: Record<string, string>,
    res: Response,
  ): Promise<void> {
    const id = code.slice(3, 3 + ID_LENGTH);
    const hash = hashOf(code.slice(3 + ID_LENGTH));
    const grant = this.#codes.get(id) ?? (await this.grants.findOne({ _id: id }));
    this.#codes.delete(id);
    const stored = grant?.code;
    if (
      !grant ||
      !stored ||
      !isEqual(stored.hash, hash) ||
      grant.clientId !== client._id ||
      stored.redirectUri !== redirect_uri
    )
      return refuse(res, 400, 'invalid_grant');
    if (!isEqual(hashOf(code_verifier), stored.codeChallenge)) return refuse(res, 400, 'invalid_grant');
    const now = Date.now();
    const accessSecret = random(32);
    const refreshSecret = random(32);
    const refreshToken = { hash: hashOf(refreshSecret), expiresAt: after(now, REFRESH_TOKEN_TTL) };
    const { matchedCount } = await this.grants.updateOne(
      {
        _id: id,
        'code.hash': hash,
        'code.usedAt': { $exists: false },
        'code.expiresAt': { $gt: new Date(now) },
        revokedAt: { $exists: false },
      },
      {
        $set: {
          'code.usedAt': new Date(now),
          accessTokens: [{ hash: hashOf(accessSecret), expiresAt: after(now, ACCESS_TOKEN_TTL) }],
          refreshToken,
          expiresAt: refreshToken.expiresAt,
        },
      },
    );
    if (matchedCount !== 1) return refuse(res, 400, 'invalid_grant');
    sendTokens(res, {
      access_token: `at_${id}${accessSecret}`,
      token_type: 'Bearer',
      expires_in: ACCESS_TOKEN_TTL,
      refresh_token: `rt_${id}${refreshSecret}`,
      scope: grant.scopes.join(' '),
    });
  }

  async refresh(
    client: Client,
    { refresh_token = '' }: Record<string, string>,
    res: Response,
  ): Promise<void> {
    const id = refresh_token.slice(3, 3 + ID_LENGTH);
    const hash = hashOf(refresh_token.slice(3 + ID_LENGTH));
    const grant = await this.grants.findOne({ _id: id });
    if (!grant?.refreshToken || grant.clientId !== client._id || !isEqual(grant.refreshToken.hash, hash))
      return refuse(res, 400, 'invalid_grant');
    const now = Date.now();
    const accessSecret = random(32);
    const refreshSecret = random(32);
    const refreshToken = { hash: hashOf(refreshSecret), expiresAt: after(now, REFRESH_TOKEN_TTL) };
    const { matchedCount } = await this.grants.updateOne(
      {
        _id: id,
        'refreshToken.hash': hash,
        'refreshToken.expiresAt': { $gt: new Date(now) },
        revokedAt: { $exists: false },
      },
      {
        $set: { refreshToken, expiresAt: refreshToken.expiresAt },
        $push: {
          accessTokens: {
            $each: [{ hash: hashOf(accessSecret), expiresAt: after(now, ACCESS_TOKEN_TTL) }],
            $slice: -10,
          },
          usedRefreshTokens: { $each: [hash], $slice: -50 },
        },
      },
    );
    if (matchedCount !== 1) return refuse(res, 400, 'invalid_grant');
    sendTokens(res, {
      access_token: `at_${id}${accessSecret}`,
      token_type: 'Bearer',
      expires_in: ACCESS_TOKEN_TTL,
      refresh_token: `rt_${id}${refreshSecret}`,
      scope: grant.scopes.join(' '),
    });
  }

  async introspect(req: Request, res: Response): Promise<void> {
    const { token = '' } = req.body as Record<string, string>;
    const grant = await this.grants.findOne({ _id: token.slice(3, 3 + ID_LENGTH) });
    const hash = hashOf(token.slice(3 + ID_LENGTH));
    const stored = grant?.accessTokens.find((candidate) => isEqual(candidate.hash, hash));
    if (!grant || !stored || grant.revokedAt !== undefined || stored.expiresAt.getTime() <= Date.now())
      return void res.json({ active: false });
    res.set({ 'Cache-Control': 'no-store', Pragma: 'no-cache' });
    res.json({
      active: true,
      scope: grant.scopes.join(' '),
      client_id: grant.clientId,
      sub: grant.userId,
      exp: Math.floor(stored.expiresAt.getTime() / 1000),
      token_type: 'Bearer',
      aud: this.url,
      iss: this.url,
    });
  }

  async authorize(req: Request, res: Response): Promise<void> {
    const {
      client_id = '',
      redirect_uri = '',
      scope = '',
      state = '',
      code_challenge = '',
      code_challenge_method,
      response_type,
    } = req.query as Record<string, string>;
    const client = await this.clients.findOne({ _id: client_id });
    if (!client?.redirectUris.includes(redirect_uri)) return refuse(res, 400, 'invalid_request');
    const userId = (req.user as { _id: string } | undefined)?._id;
    if (userId === undefined) return res.redirect('/login');
    const scopes = scope.split(' ');
    if (
      response_type !== 'code' ||
      code_challenge_method !== 'S256' ||
      !scopes.every((desired) => client.scopes.includes(desired))
    )
      return refuse(res, 400, 'invalid_request');
    const consent = await this.consents.findOne(
      { userId, clientId: client_id },
      { projection: { scopes: 1 } },
    );
    if (!consent || !scopes.every((desired) => consent.scopes.includes(desired)))
      return res.redirect('/consent');
    const now = Date.now();
    const grantId = random(16);
    const secret = random(32);
    const expiresAt = after(now, CODE_TTL);
    const grant: Grant = {
      _id: grantId,
      clientId: client_id,
      userId,
      scopes,
      grantType: 'authorization_code',
      code: { hash: hashOf(secret), expiresAt, redirectUri: redirect_uri, codeChallenge: code_challenge },
      accessTokens: [],
      createdAt: new Date(now),
      expiresAt,
    };
    await this.grants.insertOne(grant);
    this.#codes.set(grantId, grant);
    const query = new URLSearchParams({ code: `ac_${grantId}${secret}`, state, iss: this.url });
    res
      .set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' })
      .redirect(`${redirect_uri}?${query.toString()}`);
  }

  /** Checks the token with one read. */
  async guard(req: Request, res: Response): Promise<void> {
    const [scheme, token = ''] = (req.headers.authorization ?? '').split(' ');
    if (scheme !== 'Bearer') return refuse(res, 401, 'invalid_token');
    const grant = await this.grants.findOne(
      { _id: token.slice(3, 3 + ID_LENGTH) },
      { projection: { clientId: 1, userId: 1, scopes: 1, accessTokens: 1, revokedAt: 1 } },
    );
    const hash = hashOf(token.slice(3 + ID_LENGTH));
    const stored = grant?.accessTokens.find((candidate) => isEqual(candidate.hash, hash));
    if (!grant || !stored || grant.revokedAt !== undefined || stored.expiresAt.getTime() <= Date.now())
      return refuse(res, 401, 'invalid_token');
    if (!grant.scopes.includes(SCOPE)) return refuse(res, 403, 'insufficient_scope');
    res.json(photosOf(grant.userId ?? grant.clientId));
  }

  /** Checks it by its signature; with `isRevocable` also with one read. */
  async guardJwt(req: Request, res: Response, isRevocable: boolean): Promise<void> {
    const [scheme, token = ''] = (req.headers.authorization ?? '').split(' ');
    if (scheme !== 'Bearer') return refuse(res, 401, 'invalid_token');
    const { payload } = await jwtVerify(token, this.keys.publicKey, {
      issuer: this.url,
      audience: RESOURCE,
      typ: 'at+jwt',
      algorithms: ['ES256'],
    });
    if (isRevocable) {
      const grant = await this.grants.findOne(
        { _id: (payload.jti ?? '').slice(0, ID_LENGTH) },
        { projection: { accessTokens: 1, revokedAt: 1 } },
      );
      const hash = hashOf((payload.jti ?? '').slice(ID_LENGTH));
      if (
        !grant ||
        grant.revokedAt !== undefined ||
        !grant.accessTokens.some((stored) => isEqual(stored.hash, hash))
      )
        return refuse(res, 401, 'invalid_token');
    }
    if (!String(payload.scope).split(' ').includes(SCOPE)) return refuse(res, 403, 'insufficient_scope');
    res.json(photosOf(String(payload.sub)));
  }

  #signJwt(claims: Record<string, string>, audience: string, now: number): Promise<string> {
    return new SignJWT({
      ...claims,
      iss: this.url,
      aud: audience,
      iat: Math.floor(now / 1000),
      exp: Math.floor(now / 1000) + ACCESS_TOKEN_TTL,
    })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: this.keys.kid })
      .sign(this.keys.privateKey);
  }
}

function sendTokens(res: Response, tokens: object): void {
  res.set({ 'Cache-Control': 'no-store', Pragma: 'no-cache' }).json(tokens);
}

function mount(app: Express, site: Site, form: RequestHandler): void {
  app.post('/oauth/token', form, async (req, res) => {
    const body = req.body as Record<string, string>;
    const client = await site.authenticate(req, body.grant_type === 'refresh_token');
    if (client === null) return refuse(res, 401, 'invalid_client');
    if (body.grant_type === 'authorization_code') return site.code(client, body, res);
    if (body.grant_type === 'refresh_token') return site.refresh(client, body, res);
    if (body.grant_type === 'client_credentials') return site.clientCredentials(client, body, res);
    return refuse(res, 400, 'unsupported_grant_type');
  });
  app.post('/oauth/introspect', form, async (req, res) => {
    if ((await site.authenticate(req, true)) === null) return refuse(res, 401, 'invalid_client');
    return site.introspect(req, res);
  });
  app.get('/oauth/authorize', (req, res) => site.authorize(req, res));
}

await serve(async ({ url, databaseUri }) => {
  const mongo = await new MongoClient(databaseUri).connect();
  await mongo.db().dropDatabase();
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const site = new Site(mongo, url, {
    privateKey,
    publicKey,
    kid: hashOf(JSON.stringify(await exportJWK(publicKey))),
  });
  await site.grants.createIndexes([
    { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
    { key: { clientId: 1 } },
    { key: { userId: 1, clientId: 1 }, partialFilterExpression: { userId: { $exists: true } } },
  ]);
  await site.consents.createIndex({ userId: 1, clientId: 1 }, { unique: true });
  const client = { id: random(16), secret: random(32) };
  await site.clients.insertOne({
    _id: client.id,
    secretHash: hashOf(client.secret),
    redirectUris: [REDIRECT_URI],
    scopes: [SCOPE],
  });
  await site.consents.insertOne({ userId: USER_ID, clientId: client.id, scopes: [SCOPE] });

  const app = express();
  app.get('/api/photos', (req, res) => site.guard(req, res));
  app.get('/api/jwt-photos', (req, res) => site.guardJwt(req, res, false));
  app.get('/api/revocable-photos', (req, res) => site.guardJwt(req, res, true));
  await mountLogin(app, mongo);
  mount(app, site, express.urlencoded({ extended: false }));
  return {
    listener: app as never,
    version: `mongodb ${versionOf('mongodb')}`,
    workloads: [
      'client_credentials',
      'client_credentials-jwt',
      'guard',
      'guard-jwt',
      'guard-jwt-revocable',
      'authorize',
      'code',
      'refresh',
      'introspect',
      'flow',
    ],
    paths: {
      token: '/oauth/token',
      authorize: '/oauth/authorize',
      introspect: '/oauth/introspect',
      api: '/api/photos',
      jwtApi: '/api/jwt-photos',
      revocableJwtApi: '/api/revocable-photos',
    },
    client,
    jwtParameters: { resource: RESOURCE },
    logIn: () => logInAt(url),
  };
});
