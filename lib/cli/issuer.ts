import type { Command } from 'commander';

import { parseIssuer } from '../settings/settings.js';
import { type DatabaseOptions, useDatabase, withDatabaseOptions } from './database.js';
import { CliError, EXIT } from './exit.js';
import type { Io } from './io.js';
import { print, printJson } from './output.js';

export function addIssuer(program: Command, io: Io): void {
  const issuer = program.command('issuer').description('the issuer that the database belongs to');
  withDatabaseOptions(
    issuer.command('show').description('shows the issuer that is recorded in the database'),
  ).action((options: DatabaseOptions) => show(io, options));
  withDatabaseOptions(
    issuer
      .command('rename <old> <new>')
      .description('records another issuer, for a site that has moved; its users, clients and grants stay'),
  ).action((from: string, to: string, options: DatabaseOptions) => rename(io, { from, to }, options));
}

async function show(io: Io, options: DatabaseOptions): Promise<void> {
  await useDatabase(io, options, async ({ models }) => {
    const issuer = await models.issuers.find();
    if (options.json) printJson(io, { issuer });
    else print(io, issuer ?? 'No issuer is recorded yet: the site records its own at `await oauth.ready()`.');
  });
}

async function rename(
  io: Io,
  { from, to }: { readonly from: string; readonly to: string },
  options: DatabaseOptions,
): Promise<void> {
  await useDatabase(io, options, async ({ models }) => {
    parseIssuer({ issuer: to, security: { dangerouslyAllowInsecureHttp: true } });
    if (!(await models.issuers.rename(from, to))) {
      const recorded = await models.issuers.find();
      throw recorded === null
        ? new CliError(
            'no issuer is recorded in this database',
            EXIT.finding,
            'There is nothing to rename: the site records its own issuer at `await oauth.ready()`.',
          )
        : new CliError(
            `the database belongs to ${recorded}, not to ${from}`,
            EXIT.finding,
            `Write: issuer rename ${recorded} ${to}`,
          );
    }
    if (options.json) printJson(io, { issuer: to, renamed: from });
    else
      print(
        io,
        `The database belongs to ${to} now. Restart every process of the site with this issuer. JWTs that name ${from} are refused.`,
      );
  });
}
