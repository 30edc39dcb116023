import { type Command, Option } from 'commander';

import { createGrantRevocation, type GrantsOf } from '../core/grants/grant-registry.js';
import { TOKEN_KINDS, type TokenKind } from '../shared/protocol/token-kind.js';
import { withoutUndefined } from '../shared/without-undefined.js';
import { addCommand, type DatabaseOptions, useDatabase } from './database.js';
import { CliError, notFound } from './exit.js';
import type { Io } from './io.js';
import { formatDate, parseCount, parseTime, printAnswer, printList, withTicks } from './output.js';
import { confirm } from './prompt.js';

interface RevokeOptions extends DatabaseOptions {
  readonly user?: string;
  readonly client?: string;
  readonly scope?: string;
  readonly kind?: TokenKind;
  readonly issuedBefore?: Date;
  readonly all?: true;
  readonly dryRun?: true;
  readonly yes?: true;
}

export function addGrants(program: Command, io: Io): void {
  const grants = program.command('grants').description('shows and ends what was granted');
  addCommand(grants, 'list', 'lists what is granted now by a user, to a client, or by a user to a client')
    .option('--user <id>', 'the user')
    .option('--client <id>', 'the client')
    .option('--limit <count>', 'at most so many, the newest first', parseCount, 100)
    .action(async (options: DatabaseOptions & { user?: string; client?: string; limit: number }) => {
      const { user: userId, client: clientId, limit } = options;
      if (userId === undefined && clientId === undefined)
        throw new CliError('whose grants?', 'Write --user, --client or both.');
      await useDatabase(io, options, async ({ models }) => {
        const of = withoutUndefined({ userId, clientId });
        const live = await models.grants.listLive(of, new Date(), limit + 1);
        // without any secret
        const listed = live.map(({ grantId, authorization, createdAt, ...grant }) => {
          const { clientId, grantType, renewedAt = createdAt, expiresAt } = grant;
          const { userId, scopes } = authorization;
          return { grantId, clientId, userId, grantType, scopes, createdAt, renewedAt, expiresAt };
        });
        printList(io, options, listed, {
          empty: 'Nothing is granted.',
          more: () => `--limit ${limit * 10}`,
          columns: {
            USER: (grant) => grant.userId ?? '-',
            'CLIENT ID': (grant) => grant.clientId,
            'GRANT TYPE': ({ grantType }) => grantType,
            SCOPES: ({ scopes }) => scopes.join(' ') || '-',
            SINCE: ({ createdAt }) => formatDate(createdAt),
            'LAST TOKENS': ({ renewedAt }) => formatDate(renewedAt),
          },
        });
      });
    });
  addCommand(
    grants,
    'revoke',
    'ends all tokens of a user, of a client, or of whatever else fits all of the flags',
  )
    .option('--user <id>', 'the user')
    .option('--client <id>', 'the client')
    .option('--scope <scope>', 'with this scope; name one that includes it in a call of its own')
    .addOption(new Option('--kind <kind>', 'of this kind').choices(TOKEN_KINDS))
    .option('--issued-before <time>', 'begun before then: 2026-01-31, or 2026-01-31T12:00:00Z', parseTime)
    .option('--all', 'everything')
    .option('--dry-run', 'only counts')
    .option('--yes', 'does not ask')
    .action((options: RevokeOptions) => revoke(io, options));
}

async function revoke(io: Io, options: RevokeOptions): Promise<void> {
  const { user: userId, client: clientId, scope, kind, issuedBefore, all, dryRun, yes } = options;
  const of = withoutUndefined({ userId, clientId, scope, kind, issuedBefore, all });
  const names = Object.keys(of);
  if (names.length === 0)
    throw new CliError(
      'which grants?',
      'Write --user, --client, --scope, --kind, --issued-before, or --all.',
    );
  if (all && names.length > 1)
    throw new CliError('--all ends everything', 'Leave it out, or the other flags.');
  await useDatabase(io, options, async ({ models, emit }) => {
    let [ended, total] = [0, 0];
    const grants = createGrantRevocation(models, emit, { onProgress: (count) => (ended = count) });
    const progress = () => (total > 0 ? `${ended} of ${total}` : `${ended} so far`);
    const count = (filter: object) =>
      withTicks(io, progress, grants.revoke({ ...of, ...filter } as GrantsOf));
    const counted = (number: number, verbs: readonly [one: string, several: string]) =>
      number === 1 ? `1 grant ${verbs[0]}` : `${number} grants ${verbs[1]}`;
    const isWide = names.some((name) => name !== 'userId' && name !== 'clientId');
    if (dryRun || isWide) {
      total = await count({ dryRun: true });
      ended = 0;
    }
    if (dryRun)
      return printAnswer(io, options, { ...of, count: total }, `${counted(total, ['would', 'would'])} end.`);
    if (isWide && yes !== true) {
      const question = `${counted(total, ['ends', 'end'])}, and users are asked again. Type the number to go on: `;
      await confirm(io, question, (answer) => answer === String(total));
    }
    const revoked = await count({});
    printAnswer(io, options, { ...of, revoked }, `${counted(revoked, ['has', 'have'])} ended.`);
    if (revoked === 0 && !isWide)
      throw notFound('there was no live grant of these', 'Check the ids, if you expected one.');
  });
}
