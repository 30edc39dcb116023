import type { Command } from 'commander';

import { createUsers, UserError } from '../storage/other/users.js';
import { addCommand, type DatabaseOptions, TIMEOUT, useDatabase } from './database.js';
import { CliError } from './exit.js';
import type { Io } from './io.js';
import { formatRecord, printAnswer } from './output.js';
import { askPassword } from './prompt.js';

interface CreateOptions extends DatabaseOptions {
  readonly username: string;
  readonly name?: string;
  readonly passwordStdin?: boolean;
}

export function addUsers(program: Command, io: Io): void {
  const users = program
    .command('users')
    .description('users of a site that keeps them with createUsers of this package');
  addCommand(users, 'create', 'makes somebody who can log in; asks for the password twice')
    .requiredOption('--username <name>', 'what is typed at the login')
    .option('--name <name>', 'as pages show it (default: the user name)')
    .option('--password-stdin', 'read the password from standard input')
    .action((options: CreateOptions) => create(io, options));
}

async function create(io: Io, options: CreateOptions): Promise<void> {
  const { passwordStdin = false, name: given } = options;
  // before the database is used, so that nobody has to wait before typing
  const password = await askPassword(io, passwordStdin);
  await useDatabase(io, options, async ({ connection }) => {
    const { id, username, name } = await createUsers(connection, { databaseTimeout: TIMEOUT })
      .create({ username: options.username, password, ...(given !== undefined && { name: given }) })
      .catch((error: unknown) => {
        throw error instanceof UserError ? new CliError(error.message) : error;
      });
    const record = formatRecord(io, { 'user id': id, 'user name': username, name });
    printAnswer(io, options, { id, username, name }, record);
  });
}
