import { Command, CommanderError } from 'commander';

import { BUILT_IN, type BuiltIn } from '../built-in.js';
import { addClients } from './clients.js';
import { addDoctor } from './doctor.js';
import { CliError, EXIT } from './exit.js';
import { addGrants } from './grants.js';
import { addInit } from './init/init.js';
import type { Io } from './io.js';
import { addKeys } from './keys.js';
import { addMigrate } from './migrate/migrate.js';

/** The commands: a new one is one file and one line here. */
const COMMANDS = [addClients, addKeys, addGrants, addDoctor, addInit, addMigrate];

const HELP = `
Environment:
  MONGODB_URI   the database of the site, with its name: mongodb://127.0.0.1:27017/photos
  KEY_SECRET    signingKeys.encryptionSecret of the site, for keys rotate
  NO_COLOR      no colours

Exit codes:
  0  done
  1  not found, doctor has found something serious, or migrate has left something out
  2  the command is wrong: an unknown option, a bad value
  3  the database cannot be reached, or refuses`;

/** Runs the command line; resolves to its exit code, and never ends the process. */
export async function main(argv: readonly string[], io: Io, builtIn: BuiltIn = BUILT_IN): Promise<number> {
  const program = new Command('express-authorization-server')
    .description('Looks after the OAuth 2.0 authorization server of an Express site.')
    .addHelpText('after', HELP);
  // inherited by the commands, which are made afterwards
  program
    .configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: (text) => io.stderr.write(text) })
    .exitOverride()
    .showSuggestionAfterError()
    .showHelpAfterError('(--help tells what there is)');
  for (const add of COMMANDS) add(program, io, builtIn);
  try {
    await program.parseAsync(argv);
    return EXIT.done;
  } catch (error) {
    return exitCodeOf(error, io);
  }
}

function exitCodeOf(error: unknown, { stderr }: Io): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  const { message, exitCode, cure } =
    error instanceof CliError
      ? error
      : new CliError(error instanceof Error ? error.message : String(error), EXIT.finding);
  if (message !== '') stderr.write(`error: ${message}\n`);
  if (cure !== undefined) stderr.write(`  ${cure}\n`);
  return exitCode;
}
