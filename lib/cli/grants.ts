import type { Command } from 'commander';

import { createGrantRevocation, type GrantsOf } from '../grants/grant-registry.js';
import { type DatabaseOptions, useDatabase, withDatabaseOptions } from './database.js';
import { CliError, EXIT } from './exit.js';
import type { Io } from './io.js';
import { print, printJson } from './output.js';

interface RevokeOptions extends DatabaseOptions {
  readonly user?: string;
  readonly client?: string;
}

export function addGrants(program: Command, io: Io): void {
  const grants = program.command('grants').description('ends what was granted');
  withDatabaseOptions(
    grants
      .command('revoke')
      .description('ends all tokens of a user, of a client, or of a user at a client, at once'),
  )
    .option('--user <id>', 'the user')
    .option('--client <id>', 'the client')
    .action((options: RevokeOptions) => revoke(io, options));
}

async function revoke(io: Io, { user, client, ...options }: RevokeOptions): Promise<void> {
  const of = {
    ...(user !== undefined && { userId: user }),
    ...(client !== undefined && { clientId: client }),
  };
  if (Object.keys(of).length === 0)
    throw new CliError('whose grants?', EXIT.usage, 'Write --user, --client or both.');
  await useDatabase(io, options, async ({ models }) => {
    const revoked = await createGrantRevocation(models).revoke(of as GrantsOf);
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
