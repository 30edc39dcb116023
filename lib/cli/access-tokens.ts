import { type Command, InvalidArgumentError } from 'commander';

import { MAX_LISTED_TOKENS } from '../core/grants/named-token.js';
import { MAX_OVERLAP, personalAccessTokenOptions } from '../features/personal-access-tokens/options.js';
import { dataOf } from '../features/personal-access-tokens/rotate-token.js';
import {
  NO_EXPIRY,
  type PersonalAccessToken,
  toTokenInfo,
} from '../features/personal-access-tokens/token-info.js';
import { findNameProblem, findPurposeProblem } from '../features/personal-access-tokens/token-rules.js';
import { createTokenService } from '../features/personal-access-tokens/token-service.js';
import { en } from '../messages/en.js';
import { switchedOn } from '../settings/table/switched-on.js';
import { parseScannableToken } from '../shared/crypto/scannable-tokens.js';
import { addSeconds } from '../shared/date.js';
import { toOAuthError } from '../shared/errors.js';
import { isScopeToken } from '../shared/protocol/scope.js';
import type { Stores } from '../storage/stores.js';
import { type DatabaseOptions, useDatabase, withDatabaseOptions } from './database.js';
import { CliError, EXIT } from './exit.js';
import type { Io } from './io.js';
import { formatDate, formatTable, note, print, printJson } from './output.js';

interface ListOptions extends DatabaseOptions {
  readonly user?: string;
  readonly owner?: string;
}

interface CreateOptions extends DatabaseOptions {
  readonly user?: string;
  readonly owner?: readonly string[];
  readonly name: string;
  readonly purpose?: string;
  readonly scope: readonly string[];
  readonly days?: number;
  readonly noExpiry?: boolean;
  readonly maxTokens: number;
}

interface RotateOptions extends DatabaseOptions {
  readonly overlap: number;
}

interface BlockOptions extends DatabaseOptions {
  readonly reason?: string;
}

/** Seconds. */
const DAY = 86_400;
const DEFAULTS = switchedOn(
  personalAccessTokenOptions.personalAccessTokens.shape().validate(true).value,
  'personalAccessTokens',
);
const DEFAULT_MAX_TOKENS = DEFAULTS.maxTokens;
/** A hundred years: what is to live longer does not end. */
const MAX_DAYS = 36_525;

const allIds = (value: string, before: readonly string[] = []): readonly string[] => [
  ...new Set([...before, parseUserId(value)]),
];

export function addAccessTokens(program: Command, io: Io): void {
  const tokens = program
    .command('access-tokens')
    .description('makes, lists, replaces and ends the tokens of users’ own programs');
  withDatabaseOptions(
    tokens
      .command('create')
      .description('makes a token; its value is shown this once, and no hook of the site is asked'),
  )
    .requiredOption('--name <name>', 'what it is called on the page')
    .requiredOption('--scope <scope>', 'a scope; once for each', parseScopeToken)
    .option('--user <id>', 'the user for whom it acts', parseUserId)
    .option('--owner <id>', 'who looks after a service token, which acts for nobody; once for each', allIds)
    .option('--purpose <text>', 'what it is for')
    .option('--days <count>', 'days until it ends (default: 30; a service token does not end)', parseDays)
    .option('--no-expiry', 'it does not end')
    .option(
      '--max-tokens <count>',
      'the option personalAccessTokens.maxTokens of the site, which is not known here',
      parseCount,
      DEFAULT_MAX_TOKENS,
    )
    .action((options: CreateOptions & { readonly expiry: boolean }) =>
      create(io, { ...options, noExpiry: !options.expiry }),
    );
  withDatabaseOptions(
    tokens
      .command('list')
      .description('lists the live tokens of a user, or the service tokens that one looks after'),
  )
    .option('--user <id>', 'the user', parseUserId)
    .option('--owner <id>', 'who looks after them', parseUserId)
    .action((options: ListOptions) => list(io, options));
  withDatabaseOptions(
    tokens
      .command('rotate <id>')
      // one id in 64 begins with a hyphen: it is base64url (RFC 4648 §5)
      .allowUnknownOption()
      .description('gives a token a new value; the former one works for a while'),
  )
    .option('--overlap <seconds>', 'seconds that the former value works', parseOverlap, DAY)
    .action((id: string, options: RotateOptions) => rotate(io, id, options));
  withDatabaseOptions(
    tokens
      .command('block <id>')
      .allowUnknownOption()
      .description('blocks a token: it opens nothing until it is unblocked, and loses nothing'),
  )
    .option('--reason <text>', 'what its user is told')
    .action((id: string, options: BlockOptions) => block(io, id, options));
  withDatabaseOptions(
    tokens
      .command('unblock <id>')
      .allowUnknownOption()
      .description('unblocks a token; what it could do it can do again'),
  ).action((id: string, options: DatabaseOptions) => unblock(io, id, options));
  withDatabaseOptions(
    tokens
      .command('revoke <id-or-token>')
      .allowUnknownOption()
      .description('ends a token at once, by its id or, if it has leaked, by its value'),
  ).action((id: string, options: DatabaseOptions) => revoke(io, id, options));
}

function parseOverlap(value: string): number {
  const seconds = Number(value);
  if (/^\d{1,7}$/.test(value) && seconds <= MAX_OVERLAP) return seconds;
  throw new InvalidArgumentError(`Write seconds, such as 3600, or 0; at most ${MAX_OVERLAP}, 30 days.`);
}

function parseCount(value: string): number {
  const count = Number(value);
  if (/^\d{1,4}$/.test(value) && count >= 1) return count;
  throw new InvalidArgumentError('Write a number, 1 to 9999.');
}

function parseDays(value: string): number {
  const days = Number(value);
  if (/^\d{1,5}$/.test(value) && days >= 1 && days <= MAX_DAYS) return days;
  throw new InvalidArgumentError(`Write days, 1 to ${MAX_DAYS}, or --no-expiry.`);
}

function parseScopeToken(value: string, before: readonly string[] = []): readonly string[] {
  if (isScopeToken(value)) return [...new Set([...before, value])];
  throw new InvalidArgumentError('Write one scope, such as photos:read; --scope once for each.');
}

function parseUserId(value: string): string {
  if (value !== '') return value;
  throw new InvalidArgumentError('Write the id of a user.');
}

/** The rules of the site are in its options, which nobody has told here: whoever runs the command answers for it. */
function serviceOf(models: Stores, maxTokens = DEFAULT_MAX_TOKENS) {
  return createTokenService({
    settings: { impliedScopes: new Map() },
    models,
    policy: { issue: ({ scopes }) => Promise.resolve(scopes) },
    // a token is replaced by one that lives as long, whatever the site allows its users
    options: { ...DEFAULTS, scopes: [], allowNoExpiry: true, maxTtl: MAX_DAYS * DAY, maxTokens },
  });
}

async function create(
  io: Io,
  { user, owner, name, purpose, scope, days, noExpiry, maxTokens, ...options }: CreateOptions,
) {
  if ((user === undefined) === (owner === undefined))
    throw new CliError('whose token?', EXIT.usage, 'Write either --user or --owner.');
  const problem = findNameProblem(name) ?? findPurposeProblem(purpose ?? '');
  if (problem !== undefined) throw new CliError(en[problem], EXIT.usage);
  const kind = user === undefined ? 'service' : 'personal';
  const isEndless = noExpiry === true || (kind === 'service' && days === undefined);
  await useDatabase(io, options, async ({ models, emit }) => {
    const now = new Date();
    const created = await serviceOf(models, maxTokens)
      .create(
        {
          kind,
          userId: user,
          owners: owner,
          name,
          purpose,
          scopes: scope,
          expiresAt: isEndless ? NO_EXPIRY : addSeconds(now, (days ?? 30) * DAY),
        },
        { now, emit },
      )
      .catch((error: unknown) => {
        throw toOAuthError(error).reason === 'too_many_tokens' ? tooMany(maxTokens) : error;
      });
    if (options.json) return printJson(io, created);
    print(io, created.token);
    note(io, `id ${created.id}; the value is shown this once`);
  });
}

/** The options of the site are not known here. */
function tooMany(maxTokens: number): CliError {
  return new CliError(
    `there are ${maxTokens} live tokens, or more`,
    EXIT.finding,
    'The maxTokens of your site is not known here. If it is another number, write --max-tokens.',
  );
}

async function list(io: Io, { user, owner, ...options }: ListOptions) {
  if ((user === undefined) === (owner === undefined))
    throw new CliError('whose tokens?', EXIT.usage, 'Write either --user or --owner.');
  const of = owner === undefined ? { userId: user ?? '' } : { ownerId: owner };
  await useDatabase(io, options, async ({ models }) => {
    const found = (await models.grants.listNamedTokens(of, new Date(), MAX_LISTED_TOKENS)).map(toTokenInfo);
    if (options.json) printJson(io, found);
    else if (found.length === 0) print(io, 'There are no tokens.');
    else print(io, formatTable(io, ['ID', 'NAME', 'SCOPES', 'MADE', 'ENDS', 'LAST USED'], found.map(rowOf)));
  });
}

function rowOf(token: PersonalAccessToken): string[] {
  const { id, name, scopes, createdAt, expiresAt, lastUsedOn, blocked } = token;
  return [
    id,
    blocked === undefined ? name : `${name} (blocked)`,
    scopes.join(' '),
    formatDate(createdAt),
    expiresAt === null ? 'never' : formatDate(expiresAt),
    lastUsedOn === undefined ? '-' : formatDate(lastUsedOn),
  ];
}

async function rotate(io: Io, id: string, { overlap, ...options }: RotateOptions) {
  await useDatabase(io, options, async ({ models, emit }) => {
    const rotated = await serviceOf(models).rotate(id, undefined, { overlap, now: new Date(), emit });
    if (options.json) return printJson(io, rotated);
    print(io, rotated.token);
    note(io, `the former value works until ${(rotated.formerExpiresAt ?? new Date()).toISOString()}`);
  });
}

async function block(io: Io, id: string, { reason, ...options }: BlockOptions) {
  await useDatabase(io, options, async ({ models, emit }) => {
    await serviceOf(models).block(id, { reason, now: new Date(), emit });
    await show(io, models, { id, json: options.json });
  });
}

async function unblock(io: Io, id: string, options: DatabaseOptions) {
  await useDatabase(io, options, async ({ models, emit }) => {
    await serviceOf(models).unblock(id, { now: new Date(), emit });
    await show(io, models, { id, json: options.json });
  });
}

/** What has become of a token. */
async function show(
  io: Io,
  models: Stores,
  { id, json }: { readonly id: string; readonly json: boolean | undefined },
) {
  const token = toTokenInfo(await serviceOf(models).find(id, undefined, new Date()));
  if (json) printJson(io, token);
  else print(io, `${token.name} is ${token.blocked === undefined ? 'not blocked any more' : 'blocked'}.`);
}

async function revoke(io: Io, given: string, options: DatabaseOptions) {
  await useDatabase(io, options, async ({ models: { grants }, emit }) => {
    const presented = parseScannableToken(given);
    const now = new Date();
    const ended =
      presented === null
        ? await grants.revokeNamedToken(given, undefined, now)
        : await grants.revokeLeakedToken(presented, now);
    if (ended === null) throw new CliError('there is no such live token', EXIT.finding);
    await emit('grant.revoked', { ...dataOf(ended), reason: presented === null ? 'host' : 'token_leaked' });
    if (options.json) printJson(io, { id: ended.grantId, revoked: true });
    else print(io, `${ended.namedToken?.name ?? ended.grantId} has ended.`);
  });
}
