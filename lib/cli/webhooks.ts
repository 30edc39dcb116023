import type { Command } from 'commander';

import { retryWebhooks, toListed } from '../features/webhooks/webhooks.js';
import { addCommand, type DatabaseOptions, useDatabase } from './database.js';
import { CliError, notFound } from './exit.js';
import type { Io } from './io.js';
import { formatDate, parseCount, printAnswer, printList } from './output.js';

export function addWebhooks(program: Command, io: Io): void {
  const webhooks = program
    .command('webhooks')
    .description('shows and sends again what receivers of webhooks have not taken');
  addCommand(webhooks, 'list', 'lists what waits and what was given up, the newest first')
    .option('--failed', 'only what was given up')
    .option('--limit <count>', 'at most so many', parseCount, 100)
    .action((options: DatabaseOptions & { failed?: true; limit: number }) =>
      useDatabase(io, options, async ({ models }) => {
        const { failed: isFailed = false, limit } = options;
        const messages = await models.outbox.list({ isFailed, limit: limit + 1 });
        printList(io, options, messages.map(toListed), {
          empty: isFailed ? 'Nothing was given up.' : 'Nothing waits.',
          more: () => `--limit ${limit * 10}`,
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
      }),
    );
  addCommand(webhooks, 'retry [id]', 'has the site send one, or all of a receiver, within ten seconds')
    .option('--endpoint <name>', 'all that waits for this receiver, or was given up')
    .action(async (id: string | undefined, options: DatabaseOptions & { endpoint?: string }) => {
      const { endpoint } = options;
      if ((id === undefined) === (endpoint === undefined))
        throw new CliError('which webhooks?', 'Write the id of one, or --endpoint.');
      await useDatabase(io, options, async ({ models }) => {
        const which = id === undefined ? { endpoint: endpoint ?? '' } : { id };
        const retried = await retryWebhooks(models.outbox, [which]);
        const text = `${retried} ${retried === 1 ? 'is' : 'are'} sent again, within ten seconds.`;
        printAnswer(io, options, { ...which, retried }, text);
        if (retried === 0)
          throw notFound(
            'there was nothing of these to send',
            '`webhooks list` tells what there is; what is being sent just now is left alone.',
          );
      });
    });
}
