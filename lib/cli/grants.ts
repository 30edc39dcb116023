import { type Command, Option } from 'commander';

import { createGrantRevocation, type GrantsOf } from '../core/grants/grant-registry.js';
import { TOKEN_KINDS, type TokenKind } from '../shared/protocol/token-kind.js';
import { withoutUndefined } from '../shared/without-undefined.js';
import { createDatabase } from '../storage/connection/database.js';
import { listLiveGrants } from '../storage/grants/grant-list.js';
import { addCommand, type DatabaseOptions, TIMEOUT, useDatabase } from './database.js';
import { CliError, EXIT } from './exit.js';
import type { Io } from './io.js';
import { formatDate, note, parseCount, parseTime, printAnswer, printList, withTicks } from './output.js';
import { confirm } from './prompt.js';

interface OfOptions extends DatabaseOptions {
  readonly user?: string;
  readonly client?: string;
}

interface RevokeOptions extends OfOptions {
  readonly scope?: string;
  readonly kind?: TokenKind;
  readonly issuedBefore?: Date;
  readonly all?: true;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

interface ListOptions extends OfOptions {
  readonly limit: number;
}

export function addGrants(program: Command, io: Io): void {
  const grants = program.command('grants').description('shows and ends what was granted');
  addCommand(grants, 'list', 'lists what is granted now by a user, to a client, or by a user to a client')
    .option('--user <id>', 'the user')
    .option('--client <id>', 'the client')
    .option('--limit <count>', 'at most so many, the newest first', parseCount, 100)
    .action((options: ListOptions) => list(io, options));
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

async function list(io: Io, { limit, user, client, ...options }: ListOptions): Promise<void> {
  const of = withoutUndefined({ userId: user, clientId: client });
  if (Object.keys(of).length === 0) throw new CliError('whose grants?', 'Write --user, --client or both.');
  await useDatabase(io, options, async ({ connection }) => {
    const at = { now: new Date(), limit: limit + 1 };
    const found = await listLiveGrants(createDatabase(connection, TIMEOUT), of, at);
    printList(io, options, found.slice(0, limit), {
      empty: 'Nothing is granted.',
      columns: {
        USER: ({ userId }) => userId ?? '-',
        'CLIENT ID': ({ clientId }) => clientId,
        'GRANT TYPE': ({ grantType }) => grantType,
        SCOPES: ({ scopes }) => scopes.join(' ') || '-',
        SINCE: ({ createdAt }) => formatDate(createdAt),
        'LAST TOKENS': ({ renewedAt }) => formatDate(renewedAt),
      },
    });
    if (found.length > limit) note(io, `there are more: --limit ${limit * 10}`);
  });
}

async function revoke(
  io: Io,
  { user, client, scope, kind, issuedBefore, all, dryRun, yes, ...options }: RevokeOptions,
): Promise<void> {
  const of = withoutUndefined({ userId: user, clientId: client, scope, kind, issuedBefore, all });
  const names = Object.keys(of);
  if (names.length === 0)
    throw new CliError(
      'which grants?',
      'Write --user, --client, --scope, --kind, --issued-before, or --all.',
    );
  if (all && names.length > 1)
    throw new CliError('--all ends everything', 'Leave it out, or the other flags.');
  await useDatabase(io, options, async ({ models, emit }) => {
    let [ended, found] = [0, 0];
    const grants = createGrantRevocation(models, emit, { onProgress: (count) => (ended = count) });
    const count = (given: object) =>
      withTicks(
        io,
        () => (found > 0 ? `${ended} of ${found}` : `${ended} so far`),
        grants.revoke({ ...of, ...given } as GrantsOf),
      );
    const isWide = names.some((name) => name !== 'userId' && name !== 'clientId');
    if (dryRun || isWide) {
      found = await count({ dryRun: true });
      ended = 0;
    }
    if (dryRun) {
      const text = `${found} ${found === 1 ? 'grant' : 'grants'} would end.`;
      return printAnswer(io, options, { ...of, count: found }, text);
    }
    if (isWide && yes !== true) {
      const question = `${found} ${found === 1 ? 'grant ends' : 'grants end'}, and users are asked again. Type the number to go on: `;
      await confirm(io, question, (answer) => answer === String(found));
    }
    const revoked = await count({});
    const text = `${revoked} ${revoked === 1 ? 'grant has' : 'grants have'} ended.`;
    printAnswer(io, options, { ...of, revoked }, text);
    if (revoked === 0 && !isWide)
      throw new CliError(
        'there was no live grant of these',
        'Check the ids, if you expected one.',
        EXIT.finding,
      );
  });
}
