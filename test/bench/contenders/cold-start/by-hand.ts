import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

import express, { type Request, type Response } from 'express';
import type { Collection, Db } from 'mongodb';

import type { Made, Place } from '../support/serve.js';
import { ACCESS_TOKEN_TTL, photosOf, SCOPE } from '../support/setup.js';
import { describeFunction } from './describe-function.js';

interface Client {
  readonly _id: string;
  readonly secretHash: string;
}
interface Grant {
  readonly _id: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly accessTokens: readonly { readonly hash: string; readonly expiresAt: Date }[];
  readonly createdAt: Date;
  readonly expiresAt: Date;
}
interface Collections {
  readonly clients: Collection<Client>;
  readonly grants: Collection<Grant>;
}

const ID_LENGTH = 22;
const hashOf = (secret: string) => createHash('sha256').update(secret).digest('base64url');
const random = (bytes: number) => randomBytes(bytes).toString('base64url');
const isEqual = (a: string, b: string) =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
const refuse = (res: Response, status: number, error: string) => void res.status(status).json({ error });

/**
 * The same by hand, as little as answers the two requests: client credentials and a guarded route, straight in Express
 * and the driver, with the documents and hashes of contenders/hand-written.ts.
 */
export async function createByHand(database: Db, { joins }: Place): Promise<Made> {
  const collections = {
    clients: database.collection<Client>('clients'),
    grants: database.collection<Grant>('grants'),
  };
  const client = joins?.client ?? (await deploy(collections));
  const app = express();
  app.get('/api/photos', (req, res) => guard(collections, req, res));
  app.post('/oauth/token', express.urlencoded({ extended: false }), (req, res) =>
    token(collections, req, res),
  );
  return describeFunction(app, client);
}

async function deploy({ clients, grants }: Collections): Promise<{ id: string; secret: string }> {
  await grants.createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 });
  const client = { id: random(16), secret: random(32) };
  await clients.insertOne({ _id: client.id, secretHash: hashOf(client.secret) });
  return client;
}

async function token({ clients, grants }: Collections, req: Request, res: Response): Promise<void> {
  const basic = Buffer.from((req.headers.authorization ?? '').slice('Basic '.length), 'base64').toString();
  const [id = '', secret = ''] = basic.split(':').map(decodeURIComponent);
  const client = await clients.findOne({ _id: id });
  if (client === null || !isEqual(hashOf(secret), client.secretHash))
    return refuse(res, 401, 'invalid_client');
  const now = Date.now();
  const expiresAt = new Date(now + ACCESS_TOKEN_TTL * 1000);
  const [grantId, value] = [random(16), random(32)];
  await grants.insertOne({
    _id: grantId,
    clientId: id,
    scopes: [SCOPE],
    accessTokens: [{ hash: hashOf(value), expiresAt }],
    createdAt: new Date(now),
    expiresAt,
  });
  res.set({ 'Cache-Control': 'no-store', Pragma: 'no-cache' }).json({
    access_token: `at_${grantId}${value}`,
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_TTL,
    scope: SCOPE,
  });
}

async function guard({ grants }: Collections, req: Request, res: Response): Promise<void> {
  const value = (req.headers.authorization ?? '').slice('Bearer at_'.length);
  const grant = await grants.findOne({ _id: value.slice(0, ID_LENGTH) });
  const hash = hashOf(value.slice(ID_LENGTH));
  const stored = grant?.accessTokens.find((candidate) => isEqual(candidate.hash, hash));
  if (!grant || !stored || stored.expiresAt.getTime() <= Date.now()) return refuse(res, 401, 'invalid_token');
  res.json(photosOf(grant.clientId));
}
