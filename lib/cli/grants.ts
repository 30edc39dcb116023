import type { Command } from 'commander';

import { createGrantRevocation, type GrantsOf } from '../core/grants/grant-registry.js';
import { createDatabase } from '../storage/connection/database.js';
import { listLiveGrants } from '../storage/grants/grant-list.js';
import { type DatabaseOptions, TIMEOUT, useDatabase, withDatabaseOptions } from './database.js';
import { CliError, EXIT } from './exit.js';
import type { Io } from './io.js';
import { formatDate, formatTable, note, parseCount, print, printJson } from './output.js';

interface OfOptions extends DatabaseOptions {
  readonly user?: string;
  readonly client?: string;
}

interface ListOptions extends OfOptions {
  readonly limit: number;
}

export function addGrants(program: Command, io: Io): void {
  const grants = program.command('grants').description('shows and ends what was granted');
  withDatabaseOptions(
    grants
      .command('list')
      .description('lists what is granted now by a user, to a client, or by a user to a client'),
  )
    .option('--user <id>', 'the user')
    .option('--client <id>', 'the client')
    .option('--limit <count>', 'at most so many, the newest first', parseCount, 100)
    .action((options: ListOptions) => list(io, options));
  withDatabaseOptions(
    grants
      .command('revoke')
      .description('ends all tokens of a user, of a client, or of a user at a client, at once'),
  )
    .option('--user <id>', 'the user')
    .option('--client <id>', 'the client')
    .action((options: OfOptions) => revoke(io, options));
}

function whose({ user, client }: OfOptions) {
  const of = {
    ...(user !== undefined && { userId: user }),
    ...(client !== undefined && { clientId: client }),
  };
  if (Object.keys(of).length === 0)
    throw new CliError('whose grants?', EXIT.usage, 'Write --user, --client or both.');
  return of;
}

async function list(io: Io, { limit, ...options }: ListOptions): Promise<void> {
  const of = whose(options);
  await useDatabase(io, options, async ({ connection }) => {
    const at = { now: new Date(), limit: limit + 1 };
    const found = await listLiveGrants(createDatabase(connection, TIMEOUT), of, at);
    const displayed = found.slice(0, limit);
    if (options.json) printJson(io, displayed);
    else if (displayed.length === 0) print(io, 'Nothing is granted.');
    else
      print(
        io,
        formatTable(
          io,
          ['USER', 'CLIENT ID', 'GRANT TYPE', 'SCOPES', 'SINCE', 'LAST TOKENS'],
          displayed.map(({ userId, clientId, grantType, scopes, createdAt, renewedAt }) => [
            userId ?? '-',
            clientId,
            grantType,
            scopes.join(' ') || '-',
            formatDate(createdAt),
            formatDate(renewedAt),
          ]),
        ),
      );
    if (found.length > limit) note(io, `there are more: --limit ${limit * 10}`);
  });
}

async function revoke(io: Io, options: OfOptions): Promise<void> {
  const of = whose(options);
  await useDatabase(io, options, async ({ models, emit }) => {
    const revoked = await createGrantRevocation(models, emit).revoke(of as GrantsOf);
    if (options.json) printJson(io, { ...of, revoked });
    else print(io, `${revoked} ${revoked === 1 ? 'grant has' : 'grants have'} ended.`);
    if (revoked === 0)
      throw new CliError(
        'there was no live grant of these',
        EXIT.finding,
        'Check the ids, if you expected one.',
      );
  });
}
