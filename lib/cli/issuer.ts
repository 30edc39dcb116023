import type { Command } from 'commander';

import { parseIssuer } from '../settings/settings.js';
import { addCommand, type DatabaseOptions, useDatabase } from './database.js';
import { notFound } from './exit.js';
import type { Io } from './io.js';
import { printAnswer } from './output.js';

export function addIssuer(program: Command, io: Io): void {
  const parent = program.command('issuer').description('the issuer that the database belongs to');
  addCommand(parent, 'show', 'shows the issuer that is recorded in the database').action(
    (options: DatabaseOptions) =>
      useDatabase(io, options, async ({ models }) => {
        const issuer = await models.issuers.find();
        const none = 'No issuer is recorded yet: the site records its own at `await oauth.ready()`.';
        printAnswer(io, options, { issuer }, issuer ?? none);
      }),
  );
  addCommand(
    parent,
    'rename <old> <new>',
    'records another issuer, for a site that has moved; its users, clients and grants stay',
  ).action((from: string, to: string, options: DatabaseOptions) =>
    useDatabase(io, options, async ({ models }) => {
      parseIssuer({ issuer: to, security: { dangerouslyAllowInsecureHttp: true } });
      if (!(await models.issuers.rename(from, to))) {
        const recorded = await models.issuers.find();
        if (recorded !== null)
          throw notFound(
            `the database belongs to ${recorded}, not to ${from}`,
            `Write: issuer rename ${recorded} ${to}`,
          );
        throw notFound(
          'no issuer is recorded in this database',
          'There is nothing to rename: the site records its own issuer at `await oauth.ready()`.',
        );
      }
      const text = `The database belongs to ${to} now. Restart every process of the site with this issuer. JWTs that name ${from} are refused.`;
      printAnswer(io, options, { issuer: to, renamed: from }, text);
    }),
  );
}
