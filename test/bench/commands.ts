import { randomBytes } from 'node:crypto';

import mongoose, { type Connection, type mongo } from 'mongoose';

import type { Grant } from '../../lib/core/grants/grant.js';
import { createStores } from '../../lib/storage/stores.js';
import { median } from './statistics.js';

/** One command of a flow, through our models and through the driver alone. */
export interface CommandPair {
  readonly name: string;
  readonly model: (id: string) => PromiseLike<unknown>;
  readonly driver: (id: string) => PromiseLike<unknown>;
}

export interface CommandRow {
  readonly name: string;
  /** Microseconds of CPU of this process, the median of the rounds. */
  readonly model: number;
  readonly driver: number;
  /** The median, over the rounds, of the additional cost of the model. */
  readonly difference: number;
}

const CONCURRENCY = 8;
const DRIVER_OPTIONS = {
  readPreference: 'primary',
  readConcern: { level: 'local' },
  writeConcern: { w: 'majority' },
} as const;

/** Commands of a whole flow: authorize, token, guard, refresh. `prepare` makes the grants that the updates are for. */
export function commandPairs(connection: Connection) {
  const stores = createStores(connection, { timeout: 5000 });
  const collection = (name: string) =>
    connection.getClient().db(connection.name).collection<mongo.Document>(`oauth_${name}`, DRIVER_OPTIONS);
  const [clients, consents, grants] = ['clients', 'consents', 'grants'].map(collection) as [
    ReturnType<typeof collection>,
    ReturnType<typeof collection>,
    ReturnType<typeof collection>,
  ];
  const now = new Date();
  const later = new Date(now.getTime() + 3_600_000);
  const token = { hash: 'h'.repeat(43), expiresAt: later };
  const grantOf = (grantId: string): Grant => ({
    grantId,
    clientId: 'shop',
    grantType: 'authorization_code',
    authorization: { userId: 'ada', scopes: ['photos:read', 'photos:write'], resources: [] },
    code: {
      hash: 'code',
      expiresAt: later,
      redirectUri: 'https://shop.example/callback',
      isRedirectUriRequired: true,
    },
    accessTokens: [],
    createdAt: now,
    expiresAt: later,
  });
  const documentOf = ({ grantId, ...grant }: Grant) => ({ _id: grantId as never, ...grant });
  const tokens = { accessToken: token, refreshToken: token, now, expiresAt: later };
  const byCode = { 'code.hash': 'code', 'code.expiresAt': { $gt: now }, revokedAt: { $exists: false } };
  const issued = { renewedAt: now, accessTokens: [token], expiresAt: later, refreshToken: token };
  const client = {
    clientId: 'shop',
    name: 'Shop',
    type: 'confidential',
    redirectUris: ['https://shop.example/callback'],
    scopes: ['photos:read', 'photos:write'],
    grantTypes: ['authorization_code', 'refresh_token'],
    trusted: false,
    secrets: [{ hash: token.hash, algorithm: 'sha256', createdAt: now }],
    createdAt: now,
    updatedAt: now,
  } as const;
  const newId = () => randomBytes(16).toString('base64url');

  const pairs: readonly CommandPair[] = [
    {
      name: 'find a client',
      model: () => stores.clients.find('shop'),
      driver: () => clients.findOne({ _id: 'shop' as never }),
    },
    {
      name: 'find a consent',
      model: () => stores.consents.findScopes('ada', 'shop'),
      driver: () => consents.findOne({ userId: 'ada', clientId: 'shop' }, { projection: { scopes: 1 } }),
    },
    {
      name: 'remember a consent',
      model: () =>
        stores.consents.remember('ada', 'shop', {
          requested: ['photos:read'],
          allowed: ['photos:read'],
          now: new Date(),
        }),
      driver: () =>
        consents.updateOne(
          { userId: 'ada', clientId: 'shop' },
          {
            $addToSet: { scopes: { $each: ['photos:read'] as never } },
            $set: { updatedAt: now },
            $setOnInsert: { createdAt: now },
          },
          { upsert: true },
        ),
    },
    {
      name: 'insert a grant',
      model: () => stores.grants.insert(grantOf(newId())),
      driver: () => grants.insertOne(documentOf(grantOf(newId()))),
    },
    {
      name: 'insert a grant, by save',
      model: () => new stores.models.Grant(documentOf(grantOf(newId()))).save(),
      driver: () => grants.insertOne(documentOf(grantOf(newId()))),
    },
    {
      name: 'redeem a code',
      model: (id) => stores.grants.redeemCode(grantOf(id), { kind: 'code', hash: 'code' }, tokens),
      driver: (id) =>
        grants.updateOne(
          { _id: id as never, ...byCode, 'code.usedAt': { $exists: false } },
          { $set: { 'code.usedAt': now, ...issued } },
        ),
    },
    {
      name: 'find a grant for the guard',
      model: (grantId) => stores.grants.findForGuard({ grantId, hash: 'any' }),
      driver: (id) =>
        grants.findOne(
          { _id: id as never },
          { projection: { clientId: 1, userId: 1, authorization: 1, accessTokens: 1, revokedAt: 1 } },
        ),
    },
    {
      name: 'rotate a refresh token',
      model: (id) => stores.grants.storeRefresh(grantOf(id), token, tokens),
      driver: (id) =>
        grants.updateOne(
          { _id: id as never, 'refreshToken.hash': token.hash, revokedAt: { $exists: false } },
          {
            $set: { refreshToken: token, expiresAt: later, renewedAt: now },
            $unset: { resend: '' },
            $push: {
              accessTokens: { $each: [token], $slice: -10 } as never,
            },
          },
        ),
    },
    {
      name: 'revoke a grant',
      model: (id) => stores.grants.revokeReusedRefreshToken(id, { hash: 'another', familyHash: 'none' }, now),
      driver: (id) =>
        grants.updateOne(
          { _id: id as never, 'refreshToken.familyHash': 'none', 'refreshToken.hash': { $ne: 'another' } },
          { $set: { revokedAt: now } },
        ),
    },
  ];

  return {
    pairs,
    async prepare(count: number): Promise<readonly string[]> {
      await stores.ready();
      await stores.clients.insert(client);
      await stores.consents.remember('ada', 'shop', {
        requested: ['photos:read'],
        allowed: ['photos:read'],
        now: new Date(),
      });
      const ids = Array.from({ length: count }, newId);
      for (const id of ids) await stores.grants.insert(grantOf(id));
      return ids;
    },
    close: () => stores.close(),
  };
}

/** Both ways in turn, round by round, so that a disturbance affects both. */
export async function measureCommands(
  databaseUri: string,
  { rounds, perRound }: { readonly rounds: number; readonly perRound: number },
): Promise<readonly CommandRow[]> {
  const uri = new URL(databaseUri);
  uri.pathname = '/bench_commands';
  const connection = await mongoose.createConnection(uri.toString()).asPromise();
  await connection.dropDatabase();
  const commands = commandPairs(connection);
  try {
    const ids = await commands.prepare(100);
    const rows: CommandRow[] = [];
    for (const { name, model, driver } of commands.pairs) {
      const figures = { model: [] as number[], driver: [] as number[] };
      for (const work of [model, driver]) await cpuOf(work, ids, perRound);
      for (let round = 0; round < rounds; round += 1) {
        figures.model.push(await cpuOf(model, ids, perRound));
        figures.driver.push(await cpuOf(driver, ids, perRound));
      }
      rows.push({
        name,
        model: median(figures.model),
        driver: median(figures.driver),
        difference: median(figures.model.map((value, round) => value - (figures.driver[round] ?? NaN))),
      });
    }
    return rows;
  } finally {
    await commands.close();
    await connection.dropDatabase();
    await connection.close();
  }
}

/** Microseconds of CPU for one. */
async function cpuOf(
  work: (id: string) => PromiseLike<unknown>,
  ids: readonly string[],
  count: number,
): Promise<number> {
  const before = process.cpuUsage();
  let next = 0;
  const worker = async () => {
    while (next < count) await work(ids[(next += 1) % ids.length] ?? '');
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}
