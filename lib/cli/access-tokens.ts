import { type Command, InvalidArgumentError } from 'commander';

import { grantEventData } from '../core/grants/grant.js';
import {
  MAX_LISTED_TOKENS,
  MAX_OVERLAP,
  MAX_TOKENS,
  personalAccessTokenOptions,
} from '../features/personal-access-tokens/options.js';
import { NO_EXPIRY, toTokenInfo } from '../features/personal-access-tokens/token-info.js';
import { findNameProblem, findPurposeProblem } from '../features/personal-access-tokens/token-rules.js';
import { createTokenService } from '../features/personal-access-tokens/token-service.js';
import { en } from '../messages/en.js';
import { requireEnabled } from '../settings/table/require-enabled.js';
import { parseScannableToken } from '../shared/crypto/scannable-tokens.js';
import { addSeconds } from '../shared/date.js';
import { toOAuthError } from '../shared/errors.js';
import { NOTHING_IMPLIED } from '../shared/protocol/implied-scopes.js';
import { isScopeToken } from '../shared/protocol/scope.js';
import type { Stores } from '../storage/stores.js';
import { addCommand, type DatabaseOptions, useDatabase } from './database.js';
import { CliError, notFound } from './exit.js';
import type { Io } from './io.js';
import { formatDate, note, printAnswer, printList } from './output.js';

interface CreateOptions extends DatabaseOptions {
  readonly user?: string;
  readonly owner?: readonly string[];
  readonly name: string;
  readonly purpose?: string;
  readonly scope: readonly string[];
  readonly days?: number;
  readonly expiry: boolean;
}

/** Seconds. */
const DAY = 86_400;
const DEFAULTS = requireEnabled(
  personalAccessTokenOptions.personalAccessTokens.shape().validate(true).value,
  'personalAccessTokens',
);
/** A hundred years; for a longer life a token has no end. */
const MAX_DAYS = 36_525;

export function addAccessTokens(program: Command, io: Io): void {
  const tokens = program
    .command('access-tokens')
    .description('makes, lists, replaces and ends the tokens of users’ own programs');
  addCommand(
    tokens,
    'create',
    'makes a token; its value is shown this once, and no hook of the site is asked',
  )
    .requiredOption('--name <name>', 'what it is called on the page')
    .requiredOption(
      '--scope <scope>',
      'a scope; once for each',
      (value: string, before: readonly string[] = []) => {
        if (isScopeToken(value)) return [...new Set([...before, value])];
        throw new InvalidArgumentError('Write one scope, such as photos:read; --scope once for each.');
      },
    )
    .option('--user <id>', 'the user for whom it acts', parseUserId)
    .option(
      '--owner <id>',
      'who looks after a service token, which acts for nobody; once for each',
      (value: string, before: readonly string[] = []) => [...new Set([...before, parseUserId(value)])],
    )
    .option('--purpose <text>', 'what it is for')
    .option(
      '--days <count>',
      'days until it ends (default: 30; a service token does not end)',
      parseWithin(1, MAX_DAYS, `Write days, 1 to ${MAX_DAYS}, or --no-expiry.`),
    )
    .option('--no-expiry', 'it does not end')
    .action((options: CreateOptions) => create(io, options));
  addCommand(tokens, 'list', 'lists the live tokens of a user, or the service tokens that one looks after')
    .option('--user <id>', 'the user', parseUserId)
    .option('--owner <id>', 'who looks after them', parseUserId)
    .action(async (options: DatabaseOptions & { user?: string; owner?: string }) => {
      const { user: userId = '', owner: ownerId } = options;
      if ((userId === '') === (ownerId === undefined))
        throw new CliError('whose tokens?', 'Write either --user or --owner.');
      await useDatabase(io, options, async ({ models }) => {
        const whose = ownerId === undefined ? { userId } : { ownerId };
        const listed = await models.grants.listNamedTokens(whose, new Date(), MAX_LISTED_TOKENS);
        printList(io, options, listed.map(toTokenInfo), {
          empty: 'There are no tokens.',
          columns: {
            ID: ({ id }) => id,
            NAME: ({ name, blocked }) => (blocked === undefined ? name : `${name} (blocked)`),
            SCOPES: ({ scopes }) => scopes.join(' '),
            MADE: ({ createdAt }) => formatDate(createdAt),
            ENDS: ({ expiresAt }) => (expiresAt === null ? 'never' : formatDate(expiresAt)),
            'LAST USED': ({ lastUsedOn }) => (lastUsedOn === undefined ? '-' : formatDate(lastUsedOn)),
          },
        });
      });
    });

  // one id in 64 begins with a hyphen: ids are base64url (RFC 4648 §5)
  const ofOne = (usage: string, description: string) =>
    addCommand(tokens, usage, description).allowUnknownOption();
  ofOne('rotate <id>', 'gives a token a new value; the former one works for a while')
    .option(
      '--overlap <seconds>',
      'seconds that the former value works',
      parseWithin(0, MAX_OVERLAP, `Write seconds, such as 3600, or 0; at most ${MAX_OVERLAP}, 30 days.`),
      DAY,
    )
    .action((id: string, options: DatabaseOptions & { overlap: number }) =>
      useDatabase(io, options, async ({ models, emit }) => {
        const how = { overlap: options.overlap, now: new Date(), emit };
        const rotated = await createService(models).rotate(id, undefined, how);
        printAnswer(io, options, rotated, rotated.token);
        const end = (rotated.formerExpiresAt ?? new Date()).toISOString();
        if (!options.json) note(io, `the former value works until ${end}`);
      }),
    );
  const printState = async (models: Stores, id: string, options: DatabaseOptions) => {
    const token = toTokenInfo(await createService(models).find(id, undefined, new Date()));
    const state = token.blocked === undefined ? 'not blocked any more' : 'blocked';
    printAnswer(io, options, token, `${token.name} is ${state}.`);
  };
  ofOne('block <id>', 'blocks a token: it opens nothing until it is unblocked, and loses nothing')
    .option('--reason <text>', 'what its user is told')
    .action((id: string, options: DatabaseOptions & { reason?: string }) =>
      useDatabase(io, options, async ({ models, emit }) => {
        await createService(models).block(id, { reason: options.reason, now: new Date(), emit });
        await printState(models, id, options);
      }),
    );
  ofOne('unblock <id>', 'unblocks a token; what it could do it can do again').action(
    (id: string, options: DatabaseOptions) =>
      useDatabase(io, options, async ({ models, emit }) => {
        await createService(models).unblock(id, { now: new Date(), emit });
        await printState(models, id, options);
      }),
  );
  ofOne('revoke <id-or-token>', 'ends a token at once, by its id or, if it has leaked, by its value').action(
    (idOrToken: string, options: DatabaseOptions) =>
      useDatabase(io, options, async ({ models: { grants }, emit }) => {
        const presented = parseScannableToken(idOrToken);
        const now = new Date();
        const ended =
          presented === null
            ? await grants.revokeNamedToken(idOrToken, undefined, now)
            : await grants.revokeLeakedToken(presented, now);
        if (ended === null) throw notFound('there is no such live token');
        await emit('grant.revoked', {
          ...grantEventData(ended),
          reason: presented === null ? 'host' : 'token_leaked',
        });
        const text = `${ended.namedToken?.name ?? ended.grantId} has ended.`;
        printAnswer(io, options, { id: ended.grantId, revoked: true }, text);
      }),
  );
}

/** Parses a whole number within bounds. */
function parseWithin(min: number, max: number, problem: string) {
  return (value: string): number => {
    const number = Number(value);
    if (/^\d+$/.test(value) && value.length <= 7 && number >= min && number <= max) return number;
    throw new InvalidArgumentError(problem);
  };
}

function parseUserId(value: string): string {
  if (value !== '') return value;
  throw new InvalidArgumentError('Write the id of a user.');
}

/** The command line does not know the site's options; its user is responsible. */
function createService(models: Stores) {
  return createTokenService({
    models,
    policy: { issue: ({ scopes }) => Promise.resolve(scopes) },
    impliedScopes: NOTHING_IMPLIED,
    // a rotated token has its previous lifetime, whatever the site allows its users
    options: { ...DEFAULTS, scopes: [], maxTtl: false },
  });
}

async function create(io: Io, options: CreateOptions) {
  const { user, owner, name, purpose, scope, days, expiry } = options;
  if ((user === undefined) === (owner === undefined))
    throw new CliError('whose token?', 'Write either --user or --owner.');
  const problem = findNameProblem(name) ?? findPurposeProblem(purpose ?? '');
  if (problem !== undefined) throw new CliError(en[problem]);
  const kind = user === undefined ? 'service' : 'personal';
  const isEndless = !expiry || (kind === 'service' && days === undefined);
  await useDatabase(io, options, async ({ models, emit }) => {
    const now = new Date();
    const expiresAt = isEndless ? NO_EXPIRY : addSeconds(now, (days ?? 30) * DAY);
    const created = await createService(models)
      .create({ kind, userId: user, owners: owner, name, purpose, scopes: scope, expiresAt }, { now, emit })
      .catch((error: unknown) => {
        if (toOAuthError(error).reason !== 'too_many_tokens') throw error;
        throw notFound(
          `there are ${MAX_TOKENS} live tokens, or more`,
          'End one that is not needed any more.',
        );
      });
    printAnswer(io, options, created, created.token);
    if (!options.json) note(io, `id ${created.id}; the value is shown this once`);
  });
}
