import type { Command } from 'commander';

import { allClientFields, allGrantTypes, type BuiltIn } from '../../features.js';
import { connectTo, useDatabase, withDatabaseOptions } from '../database.js';
import { CliError, EXIT } from '../exit.js';
import type { Io } from '../io.js';
import { fetchMetadata, stringsIn } from '../metadata.js';
import { note, withTicks } from '../output.js';
import { type MigrateOptions, withMigrateOptions } from './options.js';
import { MigrationReport } from './report.js';
import { run } from './run.js';
import type { Source } from './source.js';
import { SOURCES } from './sources/index.js';

/** Milliseconds that one command may take: nobody waits for its answer, and it concerns many documents. */
const TIMEOUT = 60_000;

export function addMigrate(program: Command, io: Io, builtIn: BuiltIn): void {
  const migrate = program
    .command('migrate')
    .description('takes clients, tokens and consents over from another OAuth server');
  for (const source of SOURCES)
    withMigrateOptions(
      withDatabaseOptions(migrate.command(source.name).description(`from ${source.description}`)),
    ).action((options: MigrateOptions) => migrateFrom(io, { source, options, builtIn }));
}

interface Migration {
  readonly source: Source;
  readonly options: MigrateOptions;
  readonly builtIn: BuiltIn;
}

async function migrateFrom(io: Io, { source, options, builtIn }: Migration): Promise<void> {
  const fields = allClientFields(builtIn);
  const site = await readSite(io, options);
  const grantTypes = site?.grantTypes ?? allGrantTypes(builtIn).map(({ name }) => name);
  const report = new MigrationReport();
  const printed = { json: options.json === true, dryRun: options.dryRun === true };
  await useDatabase(
    io,
    { ...options, clientFields: fields, timeout: TIMEOUT },
    async ({ connection, models }) => {
      const old = options.from === undefined ? undefined : await connectTo(io, options.from);
      try {
        await withTicks(
          io,
          () => `read so far: ${report.progress}`,
          run(old ?? connection, {
            source,
            options,
            fields,
            grantTypes,
            methods: builtIn.clientAuthenticationMethods,
            scopes: site?.scopes,
            models,
            report,
          }),
        );
      } catch (error) {
        if (!(error instanceof CliError)) {
          report.print(io, printed);
          note(io, 'it has not come to its end; run it again, and it goes on with what is missing');
        }
        throw error;
      } finally {
        await old?.close().catch(() => undefined);
      }
    },
  );
  report.print(io, printed);
  if (report.counts.accessTokens.taken + report.counts.refreshTokens.taken > 0)
    note(io, 'the tokens work as soon as the site has the option tokens: { migrated: true }');
  if (report.isToLookAt)
    throw new CliError(
      'something was left out',
      EXIT.finding,
      'It is named above; run it again once that is settled.',
    );
}

/** The scopes and grant types of the running site. */
async function readSite(io: Io, { issuer }: MigrateOptions) {
  if (issuer === undefined) return undefined;
  const { metadata } = await fetchMetadata(io, issuer);
  return {
    scopes: stringsIn(metadata.scopes_supported),
    grantTypes: stringsIn(metadata.grant_types_supported),
  };
}
