import type { Command } from 'commander';

import { retryWebhooks, toListed } from '../features/webhooks/webhooks.js';
import { addCommand, type DatabaseOptions, useDatabase } from './database.js';
import { CliError, EXIT } from './exit.js';
import type { Io } from './io.js';
import { formatDate, note, parseCount, printAnswer, printList } from './output.js';

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
  addCommand(webhooks, 'list', 'lists what waits and what was given up, the newest first')
    .option('--failed', 'only what was given up')
    .option('--limit <count>', 'at most so many', parseCount, 100)
    .action((options: ListOptions) => list(io, options));
  addCommand(webhooks, 'retry [id]', 'has the site send one, or all of a receiver, within ten seconds')
    .option('--endpoint <name>', 'all that waits for this receiver, or was given up')
    .action((id: string | undefined, options: RetryOptions) => retry(io, id, options));
}

async function list(io: Io, options: ListOptions): Promise<void> {
  const { failed = false, limit } = options;
  await useDatabase(io, options, async ({ models }) => {
    const found = (await models.outbox.list({ isFailed: failed, limit: limit + 1 })).map(toListed);
    printList(io, options, found.slice(0, limit), {
      empty: failed ? 'Nothing was given up.' : 'Nothing waits.',
      columns: {
        ID: ({ id }) => id,
        RECEIVER: ({ endpoint }) => endpoint,
        EVENT: ({ type }) => type,
        SINCE: ({ createdAt }) => formatDate(createdAt),
        ATTEMPTS: ({ attempts }) => String(attempts),
        NEXT: ({ nextAt }) => (nextAt === undefined ? 'given up' : formatDate(nextAt)),
        WHY: ({ problem }) => problem ?? '-',
      },
    });
    if (found.length > limit) note(io, `there are more: --limit ${limit * 10}`);
  });
}

async function retry(io: Io, id: string | undefined, options: RetryOptions): Promise<void> {
  const { endpoint } = options;
  if ((id === undefined) === (endpoint === undefined))
    throw new CliError('which webhooks?', 'Write the id of one, or --endpoint.');
  await useDatabase(io, options, async ({ models }) => {
    const which = id === undefined ? { endpoint: endpoint ?? '' } : { id };
    const retried = await retryWebhooks(models.outbox, [which]);
    const text = `${retried} ${retried === 1 ? 'is' : 'are'} sent again, within ten seconds.`;
    printAnswer(io, options, { ...which, retried }, text);
    if (retried === 0)
      throw new CliError(
        'there was nothing of these to send',
        '`webhooks list` tells what there is; what is being sent just now is left alone.',
        EXIT.finding,
      );
  });
}
