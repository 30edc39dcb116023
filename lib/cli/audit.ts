import { once } from 'node:events';

import type { Command } from 'commander';

import { withoutUndefined } from '../shared/without-undefined.js';
import { addCommand, type DatabaseOptions, useDatabase } from './database.js';
import type { Io } from './io.js';
import { formatJson, note, parseTime } from './output.js';

interface ExportOptions extends DatabaseOptions {
  readonly user?: string;
  readonly client?: string;
  readonly since?: Date;
  readonly until?: Date;
}

/** Number of entries between two progress messages. */
const REPORT_INTERVAL = 10_000;

export function addAudit(program: Command, io: Io): void {
  const audit = program.command('audit').description('reads what happened, where the option audit is on');
  addCommand(
    audit,
    'export',
    'writes what happened as JSON lines, the oldest first: all of it, or what a client did for a user',
  )
    .option('--user <id>', 'of this user')
    .option('--client <id>', 'of this client')
    .option('--since <time>', 'from then on: 2026-01-31, or 2026-01-31T12:00:00Z', parseTime)
    .option('--until <time>', 'before then', parseTime)
    .action(async (options: ExportOptions) => {
      const { user: userId, client: clientId, since, until } = options;
      const query = withoutUndefined({ userId, clientId, since, until });
      await useDatabase(io, options, async ({ models }) => {
        let written = 0;
        for await (const entry of models.auditLog.readAll(query)) {
          if (!io.stdout.write(`${formatJson(entry)}\n`)) await once(io.stdout, 'drain');
          written += 1;
          if (written % REPORT_INTERVAL === 0) note(io, `${written} entries so far`);
        }
        note(io, written === 0 ? 'nothing fits; is the option audit on?' : `${written} entries`);
      });
    });
}
