import type { Command } from 'commander';
import type { Connection } from 'mongoose';

import { allClientFields, allGrantTypes, type BuiltIn } from '../../features.js';
import type { Stores } from '../../storage/stores.js';
import { addCommand, connectTo, useDatabase } from '../database.js';
import { CliError, EXIT } from '../exit.js';
import type { Io } from '../io.js';
import { fetchMetadata, stringsIn } from '../metadata.js';
import { note, withTicks } from '../output.js';
import { takeConsents } from './consents.js';
import { createMigratedClients } from './migrated-clients.js';
import { type OldDatabase, openOldDatabase, withMapped } from './old-database.js';
import { type MigrateOptions, withMigrateOptions } from './options.js';
import { MigrationReport } from './report.js';
import type { Migration, OldClient, Source } from './source.js';
import { SOURCES } from './sources/index.js';
import { takeClients } from './take-clients.js';
import { takeTokens } from './tokens.js';
import { dateOf, textOf, textValuesOf } from './values.js';

/** Milliseconds for one command: it concerns many documents, and no user waits. */
const TIMEOUT = 60_000;
const BATCH = 200;

export function addMigrate(program: Command, io: Io, builtIn: BuiltIn): void {
  const migrate = program
    .command('migrate')
    .description('takes clients, tokens and consents over from another OAuth server');
  for (const source of SOURCES)
    withMigrateOptions(addCommand(migrate, source.name, `from ${source.description}`)).action(
      (options: MigrateOptions) => migrateFrom(io, source, options, builtIn),
    );
}

async function migrateFrom(io: Io, source: Source, options: MigrateOptions, builtIn: BuiltIn): Promise<void> {
  const fields = allClientFields(builtIn);
  const site = options.issuer === undefined ? undefined : (await fetchMetadata(io, options.issuer)).metadata;
  const report = new MigrationReport();
  const setup = {
    source,
    options,
    fields,
    report,
    grantTypes: site ? stringsIn(site.grant_types_supported) : allGrantTypes(builtIn).map(({ name }) => name),
    methods: builtIn.clientAuthenticationMethods,
    scopes: site && stringsIn(site.scopes_supported),
    now: new Date(),
  };
  await useDatabase(io, { ...options, clientFields: fields, timeout: TIMEOUT }, async (database) => {
    const old = options.from === undefined ? undefined : await connectTo(io, options.from);
    try {
      const running = takeAll(old ?? database.connection, database.models, setup);
      await withTicks(io, () => `read so far: ${report.progress}`, running);
    } catch (error) {
      if (!(error instanceof CliError)) {
        report.print(io, options);
        note(io, 'it has not come to its end; run it again, and it goes on with what is missing');
      }
      throw error;
    } finally {
      await old?.close().catch(() => undefined);
    }
  });
  report.print(io, options);
  if (report.counts.accessTokens.taken + report.counts.refreshTokens.taken > 0)
    note(io, 'the tokens work as soon as the site has the option tokens: { migrated: true }');
  if (report.isToLookAt)
    throw new CliError(
      'something was left out',
      'It is named above; run it again once that is settled.',
      EXIT.finding,
    );
}

/** The part of a migration that needs no database. */
type Known = Omit<Migration, 'models' | 'clients' | 'scopesOfTokens' | 'findUnknownUsers'>;

/** Takes over clients first, then their tokens and consents. */
async function takeAll(from: Connection, models: Stores, setup: Known): Promise<void> {
  const { source, options, report } = setup;
  const mapping = options.map.reduce(withMapped, source.mapping);
  const old = await openOldDatabase(from, mapping);
  // a misspelt collection would look empty
  for (const [place, { collection }] of Object.entries(mapping)) {
    if (collection === undefined || old.has(place)) continue;
    if (place === 'clients' && options.existing === 'refuse')
      throw new CliError(
        `there is no collection '${collection}' with the clients of ${source.name}`,
        'Name it, --map clients=apps, or the database, --from. If the clients are registered here already: --existing keep.',
      );
    report.notes.push(
      place === 'users'
        ? `there is no collection '${collection}', so nobody looks whether people are there still; --map users=people`
        : `there is no collection '${collection}' for ${place}; if it has another name: --map ${place}=…`,
    );
  }

  const clients: OldClient[] = [];
  for await (const client of source.clients(old)) clients.push(client);
  const migration: Migration = {
    ...setup,
    models,
    clients: createMigratedClients(
      options.existing === 'keep' ? (clientId) => models.clients.find(clientId) : undefined,
    ),
    scopesOfTokens: await findScopesOfTokens(clients, old, setup),
    // empty if the database has no users
    async findUnknownUsers(ids) {
      if (!old.has('users')) return new Set();
      const userIds = [...new Set(ids)];
      const documents = await old.find('users', 'id', userIds);
      const here = new Set(documents.map((user) => textOf(user.read('id'))));
      return new Set(userIds.filter((id) => !here.has(id)));
    },
  };
  await takeClients(clients, migration);
  for await (const batch of toBatches(source.tokens(old))) await takeTokens(batch, migration);
  if (options.consents)
    for await (const batch of toBatches(source.consents(old))) await takeConsents(batch, migration);
}

/** All scopes of a client's tokens, by any name of the client; empty if they are not needed. */
async function findScopesOfTokens(
  clients: readonly OldClient[],
  old: OldDatabase,
  { source, options, now }: Known,
) {
  const isNeeded = options.scopes.length === 0 && clients.some(({ scopes }) => !textValuesOf(scopes)?.length);
  const scopesByClient = new Map<string, Set<string>>();
  if (isNeeded)
    for await (const { client, scopes, accessTokens, refreshToken } of source.tokens(old)) {
      const ends = [...accessTokens, refreshToken ?? []].flat().map(({ expiresAt }) => expiresAt);
      const name = textOf(client);
      if (name === undefined || ends.every((end) => (dateOf(end) ?? now) < now)) continue;
      scopesByClient.set(
        name,
        new Set([...(scopesByClient.get(name) ?? []), ...(textValuesOf(scopes) ?? [])]),
      );
    }
  return ({ id, keys }: OldClient) => [
    ...new Set([id, ...keys].flatMap((key) => [...(scopesByClient.get(textOf(key) ?? '') ?? [])])),
  ];
}

async function* toBatches<T>(all: AsyncIterable<T>): AsyncIterable<readonly T[]> {
  let batch: T[] = [];
  for await (const each of all) {
    batch.push(each);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
