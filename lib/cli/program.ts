import { createRequire } from 'node:module';

import { Command, CommanderError } from 'commander';

import { BUILT_IN, type BuiltIn } from '../features.js';
import { messageOf } from '../shared/errors.js';
import { addAccessTokens } from './access-tokens.js';
import { addAudit } from './audit.js';
import { addClients } from './clients.js';
import { addDoctor } from './doctor.js';
import { CliError, EXIT } from './exit.js';
import { addGrants } from './grants.js';
import { addInit } from './init/init.js';
import type { Io } from './io.js';
import { addIssuer } from './issuer.js';
import { addKeys } from './keys.js';
import { addMigrate } from './migrate/migrate.js';
import { formatJson } from './output.js';
import { addPeople } from './people.js';
import { addUsers } from './users.js';
import { addWebhooks } from './webhooks.js';

/** The commands: a new one is one file and one line here. */
const COMMANDS = [
  addClients,
  addUsers,
  addPeople,
  addKeys,
  addIssuer,
  addGrants,
  addAccessTokens,
  addAudit,
  addWebhooks,
  addDoctor,
  addInit,
  addMigrate,
];

const HELP = `
Environment:
  MONGODB_URI   the database of the site, with its name: mongodb://127.0.0.1:27017/photos
  KEY_SECRET    signingKeys.encryptionSecret of the site, for keys rotate
  AUDIT_TTL     audit.ttl of the site, if its audit has no entry yet
  NO_COLOR      no colours

Exit codes:
  0  done
  1  not found, doctor has found something serious, or migrate has left something out
  2  the command is wrong: an unknown option, a bad value
  3  the database cannot be reached, or refuses`;

/** Runs the command line. Resolves to its exit code, and never ends the process. */
export async function main(argv: readonly string[], io: Io, builtIn: BuiltIn = BUILT_IN): Promise<number> {
  // resolved by name, because the build may put this file anywhere
  const { version } = createRequire(import.meta.url)('express-authorization-server/package.json') as {
    readonly version: string;
  };
  const program = new Command('express-authorization-server')
    .description('Looks after the OAuth 2.0 authorization server of an Express site.')
    .version(version, '--version', 'says which version this is')
    .addHelpText('after', HELP);
  const isJson = argv.includes('--json');
  // the commands below inherit these settings
  program
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      getOutHelpWidth: () => io.stdout.columns ?? 80,
      // with --json the error is written once, at the end
      writeErr: (text) => void (isJson || io.stderr.write(text)),
    })
    .exitOverride()
    .showSuggestionAfterError()
    .showHelpAfterError('(--help lists the commands and options)');
  for (const add of COMMANDS) add(program, io, builtIn);
  try {
    await program.parseAsync(argv);
    return EXIT.done;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
    let failure = error instanceof CliError ? error : new CliError(messageOf(error), undefined, EXIT.finding);
    if (error instanceof CommanderError)
      failure = new CliError(error.message.replace(/^error: /, ''), '--help lists the commands and options');
    const { message, exitCode, cure } = failure;
    if (message === '') return exitCode;
    if (isJson) io.stderr.write(`${formatJson({ error: { message, exitCode, cure } })}\n`);
    // commander has already printed its error
    else if (!(error instanceof CommanderError))
      io.stderr.write(`error: ${message}\n${cure === undefined ? '' : `  ${cure}\n`}`);
    return exitCode;
  }
}
