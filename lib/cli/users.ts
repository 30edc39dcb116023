import type { Command } from 'commander';

import type { BuiltIn } from '../features.js';
import { createUsers, UserError } from '../storage/other/users.js';
import { addCommand, type DatabaseOptions, useDatabase } from './database.js';
import { CliError } from './exit.js';
import type { Io } from './io.js';
import { formatRecord, printAnswer } from './output.js';
import { addAccountCommands } from './people.js';
import { askPassword } from './prompt.js';

interface CreateOptions extends DatabaseOptions {
  readonly username: string;
  readonly name?: string;
  readonly passwordStdin?: true;
}

export function addUsers(program: Command, io: Io, builtIn: BuiltIn): void {
  const parent = program
    .command('users')
    .description('users of a site that keeps them with createUsers of this package');
  addCommand(parent, 'create', 'makes somebody who can log in; asks for the password twice')
    .requiredOption('--username <name>', 'what is typed at the login')
    .option('--name <name>', 'as pages show it (default: the user name)')
    .option('--password-stdin', 'read the password from standard input')
    .action(async (options: CreateOptions) => {
      // before the connection, so that the user can type at once
      const password = await askPassword(io, options.passwordStdin === true);
      await useDatabase(io, options, async ({ connection }) => {
        const { id, username, name } = await createUsers(connection)
          .create({ username: options.username, password, name: options.name })
          .catch((error: unknown) => {
            throw error instanceof UserError ? new CliError(error.message) : error;
          });
        const record = formatRecord(io, { 'user id': id, 'user name': username, name });
        printAnswer(io, options, { id, username, name }, record);
      });
    });
  addAccountCommands(parent, io, builtIn, {
    withUser: true,
    argument: '<user-id-or-name>',
    end: ['delete', 'deletes a user of createUsers, and ends the account as people end does'],
    whoIsNot:
      'Give the id of a user of createUsers, or the user name: a user who is deleted already is found by the id alone.',
  });
}
