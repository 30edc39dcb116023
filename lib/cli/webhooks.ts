import type { Command } from 'commander';

import { type ListedWebhook, retryWebhooks, toListed } from '../features/webhooks/webhooks.js';
import { type DatabaseOptions, useDatabase, withDatabaseOptions } from './database.js';
import { CliError, EXIT } from './exit.js';
import type { Io } from './io.js';
import { formatDate, formatTable, note, parseCount, print, printJson } from './output.js';

interface ListOptions extends DatabaseOptions {
  readonly failed?: boolean;
  readonly limit: number;
}

interface RetryOptions extends DatabaseOptions {
  readonly endpoint?: string;
}

export function addWebhooks(program: Command, io: Io): void {
  const webhooks = program
    .command('webhooks')
    .description('shows and sends again what receivers of webhooks have not taken');
  withDatabaseOptions(
    webhooks.command('list').description('lists what waits and what was given up, the newest first'),
  )
    .option('--failed', 'only what was given up')
    .option('--limit <count>', 'at most so many', parseCount, 100)
    .action((options: ListOptions) => list(io, options));
  withDatabaseOptions(
    webhooks
      .command('retry [id]')
      .description('has the site send one, or all of a receiver, within ten seconds'),
  )
    .option('--endpoint <name>', 'all that waits for this receiver, or was given up')
    .action((id: string | undefined, options: RetryOptions) => retry(io, id, options));
}

async function list(io: Io, { failed = false, limit, ...options }: ListOptions): Promise<void> {
  await useDatabase(io, options, async ({ models }) => {
    const found = (await models.outbox.list({ isFailed: failed, limit: limit + 1 })).map(toListed);
    const displayed = found.slice(0, limit);
    if (options.json) printJson(io, displayed);
    else if (displayed.length === 0) print(io, failed ? 'Nothing was given up.' : 'Nothing waits.');
    else
      print(
        io,
        formatTable(
          io,
          ['ID', 'RECEIVER', 'EVENT', 'SINCE', 'ATTEMPTS', 'NEXT', 'WHY'],
          displayed.map((message) => [
            message.id,
            message.endpoint,
            message.type,
            formatDate(message.createdAt),
            String(message.attempts),
            nextOf(message),
            message.problem ?? '-',
          ]),
        ),
      );
    if (found.length > limit) note(io, `there are more: --limit ${limit * 10}`);
  });
}

function nextOf({ nextAt }: ListedWebhook): string {
  return nextAt === undefined ? 'given up' : formatDate(nextAt);
}

async function retry(io: Io, id: string | undefined, { endpoint, ...options }: RetryOptions): Promise<void> {
  if ((id === undefined) === (endpoint === undefined))
    throw new CliError('which webhooks?', EXIT.usage, 'Write the id of one, or --endpoint.');
  await useDatabase(io, options, async ({ models }) => {
    const which = id === undefined ? { endpoint: endpoint ?? '' } : { id };
    const retried = await retryWebhooks(models.outbox, [which]);
    if (options.json) printJson(io, { ...which, retried });
    else print(io, `${retried} ${retried === 1 ? 'is' : 'are'} sent again, within ten seconds.`);
    if (retried === 0)
      throw new CliError(
        'there was nothing of these to send',
        EXIT.finding,
        '`webhooks list` tells what there is; what is being sent just now is left alone.',
      );
  });
}
