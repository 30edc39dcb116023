import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

import type { Command } from 'commander';

import type { AuthMethodInfo } from '../core/clients/auth-method-info.js';
import type { ClientField } from '../core/clients/client-field.js';
import { isOwner } from '../core/clients/client-owners.js';
import { type ClientInfo, toClientInfo } from '../core/clients/registry/client-info.js';
import type { ClientRegistry, NewClient } from '../core/clients/registry/client-registry.js';
import { createClientService } from '../core/clients/registry/client-service.js';
import { createClientRegistry } from '../core/clients/registry/create-client-registry.js';
import { allClientFields, allGrantTypes, type BuiltIn } from '../features.js';
import { clientAuthenticationRows } from '../settings/options/client-authentication-options.js';
import { withoutUndefined } from '../shared/without-undefined.js';
import { checkFlags, limitsOf, noteUncheckedScopes, withRecordedIssuer } from './client-checks.js';
import { printFailures } from './client-failures.js';
import { readFlags, withFlags } from './client-flags.js';
import { type CommandDatabase, type DatabaseOptions, useDatabase, withDatabaseOptions } from './database.js';
import { CliError, EXIT } from './exit.js';
import type { Io } from './io.js';
import { formatDate, formatTable, note, parseCount, print, printJson } from './output.js';
import { printClient } from './print-client.js';
import { promptFor } from './prompt-for.js';

/** With one more option for each flag of a field. */
interface MetadataOptions extends DatabaseOptions {
  readonly issuer?: string;
}

interface CreateOptions extends MetadataOptions {
  readonly id?: string;
  readonly secretStdin?: boolean;
}

interface ListOptions extends DatabaseOptions {
  readonly limit: number;
  readonly after?: string;
}

interface RotateOptions extends DatabaseOptions {
  readonly overlap: number;
}

interface BlockOptions extends DatabaseOptions {
  readonly reason?: string;
}

interface RemoveOptions extends DatabaseOptions {
  readonly yes?: boolean;
}

const { default: SECRET_OVERLAP } = clientAuthenticationRows.secretOverlap;

/** What the command line knows about how clients can be registered. */
interface Known {
  readonly io: Io;
  readonly fields: readonly ClientField[];
  readonly grantTypes: readonly string[];
  readonly methods: readonly AuthMethodInfo[];
}

export function addClients(program: Command, io: Io, builtIn: BuiltIn): void {
  const fields = allClientFields(builtIn);
  const known = {
    io,
    fields,
    grantTypes: allGrantTypes(builtIn).map(({ name }) => name),
    methods: builtIn.clientAuthenticationMethods,
  };
  const clients = program.command('clients').description('registers and changes clients');
  const command = (usage: string, description: string) =>
    withDatabaseOptions(clients.command(usage).description(description));

  withMetadata(command('create', 'registers a client, and shows its secret this once'), 'create', fields)
    .option('--id <id>', 'its client id (default: a random UUID)')
    .option('--secret-stdin', 'read the secret it has already from standard input')
    .action((options: CreateOptions) => create(known, options));
  command('list', 'lists the clients')
    .option('--limit <count>', 'at most so many', parseCount, 100)
    .option('--after <id>', 'those after this one')
    .action((options: ListOptions) => list(io, options));
  command('show <id>', 'shows a client, without its secrets, and why it was refused in the last day').action(
    (id: string, options: DatabaseOptions) => show(known, id, options),
  );
  withMetadata(command('update <id>', 'changes a client; what is not named stays'), 'update', fields).action(
    (id: string, options: MetadataOptions) => update(known, id, options),
  );
  command('rotate-secret <id>', 'makes a new secret, and shows it this once')
    .option('--overlap <seconds>', 'how long the old one still works', parseCount, SECRET_OVERLAP)
    .action((id: string, options: RotateOptions) => rotateSecret(known, id, options));
  command('block <id>', 'blocks a client: it gets nothing until it is unblocked, and loses nothing')
    .option('--reason <text>', 'what its owner is told')
    .action((id: string, options: BlockOptions) => block(known, id, options));
  command('unblock <id>', 'unblocks a client, with all that users have allowed it').action(
    changeStanding(known, (registry, id) => registry.unblock(id)),
  );
  command('approve <id>', 'approves a client that waits for it (applications.approval)').action(
    changeStanding(known, (registry, id) => registry.approve(id)),
  );
  command('add-owner <id> <user>', 'makes a user one more owner of a client').action(
    (id: string, user: string, options: DatabaseOptions) =>
      changeOwners(known, id, options, (registry) => registry.addOwner(id, user)),
  );
  command('remove-owner <id> <user>', 'takes an owner of a client away, unless it is the last one').action(
    (id: string, user: string, options: DatabaseOptions) => removeOwner(known, { id, user }, options),
  );
  command('delete <id>', 'deletes a client; all its tokens end at once')
    .option('--yes', 'do not ask')
    .action((id: string, options: RemoveOptions) => remove(known, id, options));
}

function withMetadata(command: Command, kind: 'create' | 'update', fields: readonly ClientField[]): Command {
  return withFlags(command, kind, fields).option(
    '--issuer <url>',
    'checks scopes and grant types against the metadata of the running site',
  );
}

async function create(known: Known, { id, secretStdin, ...options }: CreateOptions): Promise<void> {
  const { io, fields } = known;
  const clientSecret = secretStdin === true ? (await text(io.stdin)).replace(/\r?\n$/, '') : undefined;
  const metadata = readFlags({ ...options }, fields);
  const limits = await limitsOf(known, options.issuer, metadata);
  checkFlags(metadata, limits, options.issuer);
  await useDatabase(known.io, { ...options, clientFields: known.fields }, async (database) => {
    const given = withoutUndefined({ clientId: id, clientSecret, ...metadata });
    const registry = registryOf(known, database, await withRecordedIssuer(limits, database.models));
    if (id !== undefined && (await registry.find(id)) !== null)
      throw new CliError(
        `there is a client ${id} already`,
        EXIT.usage,
        '`clients update` changes it; a new client needs another --id.',
      );
    const client = await registry.create(given as NewClient);
    printClient(known, client, { json: options.json, isSecretNew: clientSecret === undefined });
    if (client.scopes.length === 0) note(io, 'it may ask for no scope; write --scopes photos:read …');
    noteUncheckedScopes(io, options.issuer, metadata);
  });
}

async function list(io: Io, { limit, after, ...options }: ListOptions): Promise<void> {
  await useDatabase(io, options, async ({ models }) => {
    const found = await models.clients.list(limit + 1, after);
    const now = new Date();
    const displayed = found.slice(0, limit).map((client) => toClientInfo(client, now));
    if (options.json) printJson(io, displayed);
    else if (displayed.length === 0) print(io, 'There are no clients.');
    else
      print(
        io,
        formatTable(
          io,
          ['CLIENT ID', 'NAME', 'TYPE', 'GRANT TYPES', 'SCOPES', 'CREATED'],
          displayed.map((client) => [
            client.clientId,
            client.blocked ? `${client.name} (blocked)` : client.name,
            client.type,
            client.grantTypes.join(' '),
            client.scopes.join(' '),
            formatDate(client.createdAt),
          ]),
        ),
      );
    if (found.length > limit) note(io, `there are more: --after ${displayed.at(-1)?.clientId}`);
  });
}

async function show(known: Known, id: string, options: DatabaseOptions): Promise<void> {
  const { io } = known;
  await useDatabase(io, { ...options, clientFields: known.fields }, async (database) => {
    const client = found(id, await registryOf(known, database).find(id));
    const failures = await database.models.clientFailures.find(id, new Date());
    if (options.json) return printJson(io, { ...client, failures: Object.fromEntries(failures) });
    printClient(known, client, { json: false });
    printFailures(io, failures);
  });
}

async function update(known: Known, id: string, options: MetadataOptions): Promise<void> {
  const { fields } = known;
  const changes = readFlags({ ...options }, fields);
  const given = await limitsOf(known, options.issuer, changes);
  if (Object.keys(changes).length === 0)
    throw new CliError(
      'nothing to change',
      EXIT.usage,
      'Name what changes, such as --name or --redirect-uri.',
    );
  await useDatabase(known.io, { ...options, clientFields: known.fields }, async (database) => {
    const current = found(id, await registryOf(known, database).find(id));
    const limits = await withRecordedIssuer(given, database.models);
    // it may keep what it was registered for, even if the site no longer has it
    const possible = {
      scopes: [...limits.scopes, ...current.scopes],
      grantTypes: [...limits.grantTypes, ...current.grantTypes],
      tokenEndpointAuthMethods: [
        ...(limits.tokenEndpointAuthMethods ?? []),
        ...[current.tokenEndpointAuthMethod ?? []].flat(),
      ],
      methods: limits.methods,
      ...(limits.isLoopbackIssuer !== undefined && { isLoopbackIssuer: limits.isLoopbackIssuer }),
      ...(limits.redirectUriRules && { redirectUriRules: limits.redirectUriRules }),
    };
    checkFlags(changes, possible, options.issuer);
    printClient(known, found(id, await registryOf(known, database, possible).update(id, changes)), {
      json: options.json,
    });
    noteUncheckedScopes(known.io, options.issuer, changes);
  });
}

async function rotateSecret(known: Known, id: string, { overlap, ...options }: RotateOptions): Promise<void> {
  const { io } = known;
  await useDatabase(known.io, { ...options, clientFields: known.fields }, async (database) => {
    const client = found(id, await registryOf(known, database, undefined, overlap).rotateSecret(id));
    printClient(known, client, { json: options.json, isSecretNew: true });
    note(
      io,
      overlap === 0 ? 'the old secret works no more' : `the old secret works ${formatSpan(overlap)} more`,
    );
  });
}

/** Milliseconds after which no request is still running that had read the client before. */
const REQUESTS_END = 1000;

async function block(known: Known, id: string, { reason, ...options }: BlockOptions): Promise<void> {
  const { io } = known;
  await useDatabase(io, { ...options, clientFields: known.fields }, async (database) => {
    const registry = registryOf(known, database);
    const client = found(id, await registry.block(id, { reason }));
    // a site marks the grants again later, but here that would end with the process
    await delay(REQUESTS_END);
    await registry.block(id);
    printClient(known, client, { json: options.json });
    note(io, 'JWTs that other servers verify by the keys alone are valid until they expire');
  });
}

/** A command that changes how the users of the site regard a client. */
function changeStanding(
  known: Known,
  change: (registry: ClientRegistry, id: string) => Promise<ClientInfo | null>,
) {
  return (id: string, options: DatabaseOptions): Promise<void> =>
    useDatabase(known.io, { ...options, clientFields: known.fields }, async (database) =>
      printClient(known, found(id, await change(registryOf(known, database), id)), { json: options.json }),
    );
}

async function changeOwners(
  known: Known,
  id: string,
  options: DatabaseOptions,
  change: (registry: ClientRegistry) => Promise<ClientInfo | null>,
): Promise<void> {
  await useDatabase(known.io, { ...options, clientFields: known.fields }, async (database) =>
    printClient(known, found(id, await change(registryOf(known, database))), { json: options.json }),
  );
}

async function removeOwner(
  known: Known,
  { id, user }: { readonly id: string; readonly user: string },
  options: DatabaseOptions,
): Promise<void> {
  await changeOwners(known, id, options, async (registry) => {
    const client = found(id, await registry.find(id));
    if (!isOwner(client, user))
      throw new CliError(`${user} is no owner of ${id}`, EXIT.finding, '`clients show` names its owners.');
    return registry.removeOwner(id, user);
  });
  note(known.io, 'if they know a secret of the client, make a new one: clients rotate-secret');
}

async function remove(known: Known, id: string, { yes, ...options }: RemoveOptions): Promise<void> {
  const { io } = known;
  await useDatabase(known.io, { ...options, clientFields: known.fields }, async (database) => {
    const registry = registryOf(known, database);
    const client = found(id, await registry.find(id));
    if (yes !== true) await confirm(io, `Delete ${client.name} (${id})? All its tokens end at once. [y/N] `);
    await registry.delete(id);
    await database.models.clientLogos.delete(id);
    if (options.json) printJson(io, { clientId: id, deleted: true });
    else print(io, `Deleted ${client.name} (${id}); its tokens have ended.`);
  });
}

/** A registry that knows no site: it accepts what the command line has checked. */
function registryOf(
  { fields, methods }: Known,
  { models, emit }: CommandDatabase,
  limits: ClientRegistry['limits'] = { scopes: [], grantTypes: [], methods },
  secretOverlap = SECRET_OVERLAP,
): ClientRegistry {
  return createClientRegistry(
    createClientService({ models, limits, defaultScopes: [], secretOverlap, fields }),
    emit,
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

async function confirm(io: Io, question: string): Promise<void> {
  if (!io.stdin.isTTY)
    throw new CliError('deleting needs a yes', EXIT.usage, 'Write --yes where nobody can be asked.');
  if (!/^y(es)?$/i.test(await promptFor(io, question)))
    throw new CliError('nothing was deleted', EXIT.finding);
}

/** In the largest unit that expresses it exactly. */
function formatSpan(seconds: number): string {
  const units = [
    [86_400, 'day'],
    [3600, 'hour'],
    [60, 'minute'],
    [1, 'second'],
  ] as const;
  const [size, name] = units.find(([unit]) => seconds % unit === 0) ?? units[3];
  return `${seconds / size} ${name}${seconds === size ? '' : 's'}`;
}
