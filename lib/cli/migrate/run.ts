import type { Connection } from 'mongoose';

import type { AuthMethodInfo } from '../../core/clients/auth-method-info.js';
import type { ClientField } from '../../core/clients/client-field.js';
import type { Stores } from '../../storage/stores.js';
import { CliError, EXIT } from '../exit.js';
import { withMapped } from './mapping.js';
import { createMigratedClients } from './migrated-clients.js';
import { openOldDatabase } from './old-database.js';
import type { MigrateOptions } from './options.js';
import type { MigrationReport } from './report.js';
import type { OldClient, OldDatabase, Source } from './source.js';
import { takeClients } from './take-clients.js';
import { takeConsents, UNKNOWN_USER } from './take-consents.js';
import { takeTokens } from './take-tokens.js';
import { decideTokens, type GoodTokens, KIND_OF } from './tokens.js';
import { dateOf, textOf, textValuesOf } from './values.js';

const BATCH = 200;

export interface Run {
  readonly source: Source;
  readonly options: MigrateOptions;
  readonly fields: readonly ClientField[];
  readonly grantTypes: readonly string[];
  readonly methods: readonly AuthMethodInfo[];
  readonly scopes: readonly string[] | undefined;
  readonly models: Stores;
  readonly report: MigrationReport;
}

/** Takes over clients first, then what was given to them. */
export async function run(from: Connection, given: Run): Promise<void> {
  const { source, options, models, report } = given;
  const mapping = withMapped(source.mapping, options.map);
  const old = await openOldDatabase(from, mapping);
  const now = new Date();
  const dryRun = options.dryRun === true;
  notifyMissing(old, given, mapping);
  const directory = createMigratedClients(
    options.existing === 'keep' ? (clientId) => models.clients.find(clientId) : undefined,
  );
  const clients = await collect(source.clients(old));
  const scopesOfTokens = await findScopesOfTokens(clients, old, given);
  await takeClients(clients, {
    ...given,
    dryRun,
    directory,
    rules: { ...given, now, scopesOfTokens },
  });
  const unknownUsers = usersOf(old);
  for await (const batch of batchesOf(source.tokens(old))) {
    const decided = await Promise.all(batch.map((each) => decideTokens(each, { ...given, directory, now })));
    for (const { accessTokens, refreshToken } of batch) {
      accessTokens.forEach(() => report.found('accessTokens'));
      if (refreshToken !== undefined) report.found('refreshTokens');
    }
    decided.forEach(({ leftOut }) => leftOut.forEach((remark) => report.leftOut(remark)));
    const good = decided.flatMap((each) => each.good ?? []);
    await takeTokens(await ofKnownUsers(good, unknownUsers, report), {
      models,
      report,
      dryRun,
      withConsents: options.consents && source.consentsByTokens,
      now,
    });
  }
  if (options.consents)
    for await (const batch of batchesOf(source.consents(old)))
      await takeConsents(batch, { ...given, dryRun, directory, now, unknownUsers });
}

/** Reports missing collections: a misspelt one would look as if it were empty. */
function notifyMissing(old: OldDatabase, { source, options, report }: Run, mapping: Source['mapping']): void {
  for (const [place, { collection }] of Object.entries(mapping)) {
    if (collection === undefined || old.has(place)) continue;
    if (place === 'clients' && options.existing === 'refuse')
      throw new CliError(
        `there is no collection '${collection}' with the clients of ${source.name}`,
        EXIT.usage,
        'Name it, --map clients=apps, or the database, --from. If the clients are registered here already: --existing keep.',
      );
    report.notes.push(
      place === 'users'
        ? `there is no collection '${collection}', so nobody looks whether people are there still; --map users=people`
        : `there is no collection '${collection}' for ${place}; if it has another name: --map ${place}=…`,
    );
  }
}

/** All scopes of a client's tokens, by any of the names that they use for it; none if they are not needed. */
async function findScopesOfTokens(
  clients: readonly OldClient[],
  old: OldDatabase,
  { source, options }: Run,
): Promise<(client: OldClient) => readonly string[]> {
  const isNeeded = options.scopes.length === 0 && clients.some(({ scopes }) => !textValuesOf(scopes)?.length);
  const found = new Map<string, Set<string>>();
  const now = new Date();
  if (isNeeded)
    for await (const { client, scopes, accessTokens, refreshToken } of source.tokens(old)) {
      const ends = [...accessTokens, ...(refreshToken ? [refreshToken] : [])].map(
        ({ expiresAt }) => expiresAt,
      );
      const name = textOf(client);
      if (name === undefined || ends.every((end) => (dateOf(end) ?? now) < now)) continue;
      const known = found.get(name) ?? new Set();
      for (const scope of textValuesOf(scopes) ?? []) known.add(scope);
      found.set(name, known);
    }
  return ({ id, keys }) => [
    ...new Set([id, ...keys].flatMap((key) => [...(found.get(textOf(key) ?? '') ?? [])])),
  ];
}

/** Finds out which users no longer exist; none if the users are not in the database. */
function usersOf(old: OldDatabase): (ids: readonly string[]) => Promise<ReadonlySet<string>> {
  if (!old.has('users')) return () => Promise.resolve(new Set<string>());
  return async (ids) => {
    const userIds = [...new Set(ids)];
    const found = await old.find('users', 'id', userIds);
    const known = new Set(found.map((user) => textOf(old.read('users', user, 'id'))));
    return new Set(userIds.filter((id) => !known.has(id)));
  };
}

async function ofKnownUsers(
  good: readonly GoodTokens[],
  unknownUsers: (ids: readonly string[]) => Promise<ReadonlySet<string>>,
  report: MigrationReport,
): Promise<readonly GoodTokens[]> {
  const unknown = await unknownUsers(good.flatMap(({ userId }) => userId ?? []));
  return good.filter(({ userId, clientId, tokens }) => {
    if (userId === undefined || !unknown.has(userId)) return true;
    for (const { kind } of tokens)
      report.leftOut({ kind: KIND_OF[kind], name: `user ${userId} at ${clientId}`, reason: UNKNOWN_USER });
    return false;
  });
}

async function* batchesOf<T>(all: AsyncIterable<T>): AsyncIterable<readonly T[]> {
  let batch: T[] = [];
  for await (const each of all) {
    batch.push(each);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function collect<T>(all: AsyncIterable<T>): Promise<readonly T[]> {
  const collected: T[] = [];
  for await (const each of all) collected.push(each);
  return collected;
}
