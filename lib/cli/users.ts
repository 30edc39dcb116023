import type { Command } from 'commander';

import { createUsers, UserError } from '../storage/other/users.js';
import { askPassword } from './ask-password.js';
import { type DatabaseOptions, TIMEOUT, useDatabase, withDatabaseOptions } from './database.js';
import { CliError, EXIT } from './exit.js';
import type { Io } from './io.js';
import { formatRecord, print, printJson } from './output.js';

interface CreateOptions extends DatabaseOptions {
  readonly username: string;
  readonly name?: string;
  readonly passwordStdin?: boolean;
}

export function addUsers(program: Command, io: Io): void {
  const users = program
    .command('users')
    .description('users of a site that keeps them with createUsers of this package');
  withDatabaseOptions(
    users.command('create').description('makes somebody who can log in; asks for the password twice'),
  )
    .requiredOption('--username <name>', 'what is typed at the login')
    .option('--name <name>', 'as pages show it (default: the user name)')
    .option('--password-stdin', 'read the password from standard input')
    .action((options: CreateOptions) => create(io, options));
}

async function create(
  io: Io,
  { username, name, passwordStdin = false, ...options }: CreateOptions,
): Promise<void> {
  // before the database is used, so that nobody has to wait before typing
  const password = await askPassword(io, { byStdin: passwordStdin });
  await useDatabase(io, options, async ({ connection }) => {
    const user = await createUsers(connection, { databaseTimeout: TIMEOUT })
      .create({ username, password, ...(name !== undefined && { name }) })
      .catch((error: unknown) => {
        throw error instanceof UserError ? new CliError(error.message, EXIT.usage) : error;
      });
    const { id } = user;
    if (options.json) printJson(io, { id, username: user.username, name: user.name });
    else print(io, formatRecord(io, { 'user id': id, 'user name': user.username, name: user.name }));
  });
}
