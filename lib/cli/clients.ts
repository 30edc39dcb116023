import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';

import { type Command, Option } from 'commander';

import type { ClientMetadata, ClientType } from '../clients/client.js';
import { type ClientInfo, toClientInfo } from '../clients/client-info.js';
import { createClientRegistry } from '../clients/client-operations.js';
import { createClientOperations } from '../clients/client-operations.js';
import type { ClientRegistry, ClientWithSecret } from '../clients/client-registry.js';
import type { Stores } from '../models/stores.js';
import { isScopeToken } from '../protocol/scope.js';
import { type DatabaseOptions, useDatabase, withDatabaseOptions } from './database.js';
import { CliError, EXIT } from './exit.js';
import type { Io } from './io.js';
import { fetchMetadata } from './metadata.js';
import { formatRecord, formatTable, note, paint, print, printJson } from './output.js';

interface MetadataOptions extends DatabaseOptions {
  readonly name?: string;
  readonly type?: ClientType;
  readonly redirectUri?: string[];
  readonly scopes?: string[];
  readonly grantTypes?: string[];
  readonly trusted?: boolean;
  readonly introspection?: boolean;
  readonly resources?: string[];
  readonly issuer?: string;
}

interface CreateOptions extends MetadataOptions {
  readonly name: string;
  readonly id?: string;
  readonly owner?: string;
  readonly secretStdin?: boolean;
}

interface ListOptions extends DatabaseOptions {
  readonly limit: number;
  readonly after?: string;
}

interface RotateOptions extends DatabaseOptions {
  readonly overlap: number;
}

interface RemoveOptions extends DatabaseOptions {
  readonly yes?: boolean;
}

const DAY = 86_400;
const BUILT_IN_GRANT_TYPES = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'implicit',
  'password',
  'urn:ietf:params:oauth:grant-type:device_code',
];

export function addClients(program: Command, io: Io): void {
  const clients = program.command('clients').description('registers and changes clients');
  const command = (usage: string, description: string) =>
    withDatabaseOptions(clients.command(usage).description(description));

  withMetadata(command('create', 'registers a client, and shows its secret this once'))
    .requiredOption('--name <name>', 'as the consent page shows it')
    .addOption(
      new Option('--type <type>', 'whether it can keep a secret')
        .choices(['confidential', 'public'])
        .default('confidential'),
    )
    .option('--id <id>', 'its client id (default: a random UUID)')
    .option('--owner <user>', 'the user who may change it on the applications page')
    .option('--secret-stdin', 'read the secret it has already from standard input')
    .action((options: CreateOptions) => create(io, options));
  command('list', 'lists the clients')
    .option('--limit <count>', 'at most so many', parseCount, 100)
    .option('--after <id>', 'those after this one')
    .action((options: ListOptions) => list(io, options));
  command('show <id>', 'shows a client, without its secrets').action((id: string, options: DatabaseOptions) =>
    show(io, id, options),
  );
  withMetadata(command('update <id>', 'changes a client; what is not named stays'))
    .option('--name <name>', 'as the consent page shows it')
    .action((id: string, options: MetadataOptions) => update(io, id, options));
  command('rotate-secret <id>', 'makes a new secret, and shows it this once')
    .option('--overlap <seconds>', 'how long the old one still works', parseCount, DAY)
    .action((id: string, options: RotateOptions) => rotateSecret(io, id, options));
  command('delete <id>', 'deletes a client; all its tokens end at once')
    .option('--yes', 'do not ask')
    .action((id: string, options: RemoveOptions) => remove(io, id, options));
}

function withMetadata(command: Command): Command {
  return command
    .option('--redirect-uri <uri...>', 'where codes may go')
    .option('--scopes <scopes...>', 'what it may ask for', parseList)
    .option('--grant-types <grant types...>', 'such as authorization_code refresh_token', parseList)
    .option('--trusted', 'skips the consent page: your own applications only')
    .option('--no-trusted', 'asks the person')
    .option('--introspection', 'a resource server that may ask about tokens')
    .option(
      '--resources <urls...>',
      'the resource servers that it is: it is told about tokens for these only',
    )
    .option('--issuer <url>', 'checks scopes and grant types against the metadata of the running site');
}

async function create(
  io: Io,
  { name, id, type, owner, secretStdin, ...options }: CreateOptions,
): Promise<void> {
  const clientSecret = secretStdin === true ? (await text(io.stdin)).replace(/\r?\n$/, '') : undefined;
  const limits = await limitsOf(io, options);
  await useDatabase(io, options, async ({ models }) => {
    const registry = registryOf(models, limits);
    const given = { name, type, ownerId: owner, clientId: id, clientSecret, ...metadataOf(options) };
    const client = await registry.create(withoutUndefined(given) as typeof given & { name: string });
    printClient(io, client, { json: options.json, isSecretNew: clientSecret === undefined });
    if (client.scopes.length === 0) note(io, 'it may ask for no scope; write --scopes photos:read …');
  });
}

async function list(io: Io, { limit, after, ...options }: ListOptions): Promise<void> {
  await useDatabase(io, options, async ({ models }) => {
    const found = await models.clients.list(limit + 1, after);
    const shown = found.slice(0, limit).map(toClientInfo);
    if (options.json) printJson(io, shown);
    else if (shown.length === 0) print(io, 'There are no clients.');
    else
      print(
        io,
        formatTable(
          io,
          ['CLIENT ID', 'NAME', 'TYPE', 'GRANT TYPES', 'SCOPES', 'CREATED'],
          shown.map((client) => [
            client.clientId,
            client.name,
            client.type,
            client.grantTypes.join(' '),
            client.scopes.join(' '),
            formatDate(client.createdAt),
          ]),
        ),
      );
    if (found.length > limit) note(io, `there are more: --after ${shown.at(-1)?.clientId}`);
  });
}

async function show(io: Io, id: string, options: DatabaseOptions): Promise<void> {
  await useDatabase(io, options, async ({ models }) =>
    printClient(io, found(id, await registryOf(models).find(id)), { json: options.json }),
  );
}

async function update(io: Io, id: string, options: MetadataOptions): Promise<void> {
  const limits = await limitsOf(io, options);
  const changes = metadataOf(options);
  if (Object.keys(changes).length === 0)
    throw new CliError(
      'nothing to change',
      EXIT.usage,
      'Name what changes, such as --name or --redirect-uri.',
    );
  await useDatabase(io, options, async ({ models }) => {
    const current = found(id, await registryOf(models).find(id));
    // what it was registered for stays possible, whatever the site has been changed to
    const known = {
      scopes: [...limits.scopes, ...current.scopes],
      grantTypes: [...limits.grantTypes, ...current.grantTypes],
    };
    printClient(io, found(id, await registryOf(models, known).update(id, changes)), { json: options.json });
  });
}

async function rotateSecret(io: Io, id: string, { overlap, ...options }: RotateOptions): Promise<void> {
  await useDatabase(io, options, async ({ models }) => {
    const client = found(id, await registryOf(models, undefined, overlap).rotateSecret(id));
    printClient(io, client, { json: options.json, isSecretNew: true });
    note(io, overlap === 0 ? 'the old secret works no more' : `the old secret works ${overlap} seconds more`);
  });
}

async function remove(io: Io, id: string, { yes, ...options }: RemoveOptions): Promise<void> {
  await useDatabase(io, options, async ({ models }) => {
    const registry = registryOf(models);
    const client = found(id, await registry.find(id));
    if (yes !== true) await confirm(io, `Delete ${client.name} (${id})? All its tokens end at once. [y/N] `);
    await registry.delete(id);
    if (options.json) printJson(io, { clientId: id, deleted: true });
    else print(io, `Deleted ${client.name} (${id}); its tokens have ended.`);
  });
}

/** A registry that knows no site: what it lets through is what the command line has checked. */
function registryOf(
  models: Stores,
  limits: ClientRegistry['limits'] = { scopes: [], grantTypes: [] },
  secretOverlap = DAY,
): ClientRegistry {
  return createClientRegistry(createClientOperations({ models, limits, defaultScopes: [], secretOverlap }));
}

/** The scopes and grant types that can be registered: those of the running site, or all that are named. */
async function limitsOf(
  io: Io,
  { issuer, scopes = [], grantTypes = [] }: MetadataOptions,
): Promise<ClientRegistry['limits']> {
  const malformed = scopes.find((scope) => !isScopeToken(scope));
  if (malformed !== undefined)
    throw new CliError(
      `'${malformed}' is not a scope`,
      EXIT.usage,
      'A scope is printable ASCII without space, " and \\ (RFC 6749 §3.3).',
    );
  if (issuer !== undefined) {
    const { metadata } = await fetchMetadata(io, issuer);
    return { scopes: listOf(metadata.scopes_supported), grantTypes: listOf(metadata.grant_types_supported) };
  }
  if (scopes.length > 0)
    note(
      io,
      "the scopes are not checked: a scope that the site doesn't have is never granted (--issuer https://your.site checks them)",
    );
  return { scopes, grantTypes: [...BUILT_IN_GRANT_TYPES, ...grantTypes] };
}

function metadataOf({
  name,
  redirectUri,
  scopes,
  grantTypes,
  trusted,
  introspection,
  resources,
}: MetadataOptions): Partial<ClientMetadata> {
  return withoutUndefined({
    name,
    redirectUris: redirectUri,
    scopes,
    grantTypes,
    trusted,
    introspection,
    resources,
  });
}

function printClient(
  io: Io,
  { clientSecret, ...client }: ClientInfo & Pick<ClientWithSecret, 'clientSecret'>,
  { json, isSecretNew = false }: { json: boolean | undefined; isSecretNew?: boolean },
): void {
  const newSecret = isSecretNew ? clientSecret : undefined;
  if (json) printJson(io, withoutUndefined({ ...client, clientSecret: newSecret }));
  else printRecord(io, client, newSecret);
  if (newSecret !== undefined)
    io.stderr.write(
      paint(io, 'yellow', 'Keep the secret now: it is stored as a hash and cannot be shown again.\n'),
    );
}

function printRecord(io: Io, client: ClientInfo, newSecret: string | undefined): void {
  const {
    clientId,
    name,
    type,
    redirectUris,
    scopes,
    grantTypes,
    trusted,
    introspection,
    resources,
    ownerId,
    createdAt,
    secrets,
  } = client;
  print(
    io,
    formatRecord(io, {
      'client id': clientId,
      ...(newSecret !== undefined && { 'client secret': newSecret }),
      name,
      type,
      'redirect URIs': redirectUris.join(' ') || '-',
      scopes: scopes.join(' ') || '-',
      'grant types': grantTypes.join(' '),
      ...(trusted && { trusted: 'yes, the consent page is skipped' }),
      ...(introspection === true && { introspection: 'yes' }),
      resources: resources?.join(' '),
      owner: ownerId,
      created: formatDate(createdAt),
      secrets: secrets.map(formatSecret).join(', ') || undefined,
    }),
  );
}

function found<T>(id: string, client: T | null): T {
  if (client === null)
    throw new CliError(
      `there is no client ${id}`,
      EXIT.finding,
      '`clients list` shows those that there are; is it the right database?',
    );
  return client;
}

async function confirm({ stdin, stderr }: Io, question: string): Promise<void> {
  if (!stdin.isTTY)
    throw new CliError('deleting needs a yes', EXIT.usage, 'Write --yes where nobody can be asked.');
  const prompt = createInterface({ input: stdin, output: stderr });
  const answer = await prompt.question(question);
  prompt.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new CliError('nothing was deleted', EXIT.finding);
}

/** `--scopes a b`, `--scopes "a b"` and `--scopes a,b` mean the same. */
function parseList(value: string, previous: string[] = []): string[] {
  return [...previous, ...value.split(/[\s,]+/).filter(Boolean)];
}

export function parseCount(value: string): number {
  const count = Number(value);
  if (!/^\d{1,9}$/.test(value)) throw new CliError(`'${value}' is not a whole number`, EXIT.usage);
  return count;
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

function formatSecret({ createdAt, expiresAt }: ClientInfo['secrets'][number]): string {
  return `of ${formatDate(createdAt)}${expiresAt ? ` until ${formatDate(expiresAt)}` : ''}`;
}

function formatDate(date: Date): string {
  return date.toISOString().slice(0, 16).replace('T', ' ');
}

function withoutUndefined<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Partial<T>;
}
