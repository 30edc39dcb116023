import { setTimeout as delay } from 'node:timers/promises';

import type { Command } from 'commander';

import { isOwner } from '../core/clients/client-owners.js';
import { type ClientInfo, toClientInfo } from '../core/clients/registry/client-info.js';
import type { ClientRegistry, NewClient } from '../core/clients/registry/client-registry.js';
import { createClientService } from '../core/clients/registry/client-service.js';
import { createClientRegistry } from '../core/clients/registry/create-client-registry.js';
import { SECRET_OVERLAP } from '../core/clients/secrets/client-secrets.js';
import { allClientFields, allGrantTypes, type BuiltIn } from '../features.js';
import { FAILURE_MEANINGS } from '../shared/failure-reasons.js';
import { withoutUndefined } from '../shared/without-undefined.js';
import {
  checkFlags,
  type Known,
  limitsOf,
  noteUncheckedScopes,
  withRecordedIssuer,
} from './client-checks.js';
import { readFlags, withFlags } from './client-flags.js';
import { addCommand, type CommandDatabase, type DatabaseOptions, useDatabase } from './database.js';
import { CliError, notFound } from './exit.js';
import type { Io } from './io.js';
import {
  formatDate,
  formatTable,
  note,
  parseCount,
  print,
  printAnswer,
  printJson,
  printList,
} from './output.js';
import { printClient } from './print-client.js';
import { confirm, readStdin } from './prompt.js';

/** The flags of fields are further members. */
interface MetadataOptions extends DatabaseOptions {
  readonly issuer?: string;
}

/** Units of time, in seconds. */
const UNITS = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;
/** Milliseconds after which no running request still has the old client. */
const REQUESTS_END = 1000;

export function addClients(program: Command, io: Io, builtIn: BuiltIn): void {
  const fields = allClientFields(builtIn);
  const context = {
    io,
    fields,
    grantTypes: allGrantTypes(builtIn).map(({ name }) => name),
    methods: builtIn.clientAuthenticationMethods,
  };
  const clients = program.command('clients').description('registers and changes clients');
  const command = (usage: string, description: string) => addCommand(clients, usage, description);
  const withMetadata = (command: Command, kind: 'create' | 'update') =>
    withFlags(command, kind, fields).option(
      '--issuer <url>',
      'checks scopes and grant types against the metadata of the running site',
    );
  /** Runs a command that changes one client, and prints the client. */
  const change = (
    id: string,
    options: DatabaseOptions & { readonly overlap?: number },
    work: (registry: ClientRegistry) => Promise<ClientInfo | null>,
  ) =>
    useDatabase(io, { ...options, clientFields: fields }, async (database) => {
      const client = await work(createRegistry(context, database, undefined, options.overlap));
      printClient(context, requireClient(id, client), { json: options.json, isSecretNew: true });
    });

  withMetadata(command('create', 'registers a client, and shows its secret this once'), 'create')
    .option('--id <id>', 'its client id (default: a random UUID)')
    .option('--secret-stdin', 'read the secret it has already from standard input')
    .action((options: MetadataOptions & { id?: string; secretStdin?: true }) => create(context, options));
  command('list', 'lists the clients')
    .option('--limit <count>', 'at most so many', parseCount, 100)
    .option('--after <id>', 'those after this one')
    .action((options: DatabaseOptions & { limit: number; after?: string }) =>
      useDatabase(io, options, async ({ models }) => {
        const listed = await models.clients.list(options.limit + 1, options.after);
        const now = new Date();
        const described = listed.map((client) => toClientInfo(client, now));
        printList(io, options, described, {
          empty: 'There are no clients.',
          more: (last) => `--after ${last?.clientId}`,
          columns: {
            'CLIENT ID': ({ clientId }) => clientId,
            NAME: ({ name, blocked }) => (blocked ? `${name} (blocked)` : name),
            TYPE: ({ type }) => type,
            'GRANT TYPES': ({ grantTypes }) => grantTypes.join(' '),
            SCOPES: ({ scopes }) => scopes.join(' '),
            CREATED: ({ createdAt }) => formatDate(createdAt),
          },
        });
      }),
    );
  command('show <id>', 'shows a client, without its secrets, and why it was refused in the last day').action(
    (id: string, options: DatabaseOptions) =>
      useDatabase(io, { ...options, clientFields: fields }, async (database) => {
        const client = requireClient(id, await createRegistry(context, database).find(id));
        const failures = await database.models.clientFailures.find(id, new Date());
        if (options.json) return printJson(io, { ...client, failures: Object.fromEntries(failures) });
        printClient(context, client, { json: false });
        if (failures.size === 0) return;
        const rows = [...failures].map(([reason, count]) => [
          String(count),
          reason,
          FAILURE_MEANINGS[reason],
        ]);
        print(io, `\n${formatTable(io, ['REFUSED', 'REASON', 'IN THE LAST DAY'], rows)}`);
      }),
  );
  withMetadata(command('update <id>', 'changes a client; what is not named stays'), 'update').action(
    (id: string, options: MetadataOptions) => update(context, id, options),
  );
  command('rotate-secret <id>', 'makes a new secret, and shows it this once')
    .option('--overlap <seconds>', 'how long the old one still works', parseCount, SECRET_OVERLAP)
    .action(async (id: string, options: DatabaseOptions & { overlap: number }) => {
      await change(id, options, (registry) => registry.rotateSecret(id));
      const { overlap } = options;
      // in the largest unit that expresses it exactly
      const [size, name] = UNITS.find(([unit]) => overlap % unit === 0)!;
      const span = `${overlap / size} ${name}${overlap === size ? '' : 's'}`;
      note(io, overlap === 0 ? 'the old secret works no more' : `the old secret works ${span} more`);
    });
  command('block <id>', 'blocks a client: it gets nothing until it is unblocked, and loses nothing')
    .option('--reason <text>', 'what its owner is told')
    .action(async (id: string, options: DatabaseOptions & { reason?: string }) => {
      await change(id, options, async (registry) => {
        const client = requireClient(id, await registry.block(id, { reason: options.reason }));
        // a site would mark new grants later, but this process ends: it repeats the block
        await delay(REQUESTS_END);
        await registry.block(id);
        return client;
      });
      note(io, 'JWTs that other servers verify by the keys alone are valid until they expire');
    });
  command('unblock <id>', 'unblocks a client, with all that users have allowed it').action(
    (id: string, options: DatabaseOptions) => change(id, options, (registry) => registry.unblock(id)),
  );
  command('approve <id>', 'approves a client that waits for it (applications.approval)').action(
    (id: string, options: DatabaseOptions) => change(id, options, (registry) => registry.approve(id)),
  );
  command('add-owner <id> <user>', 'makes a user one more owner of a client').action(
    (id: string, user: string, options: DatabaseOptions) =>
      change(id, options, (registry) => registry.addOwner(id, user)),
  );
  command('remove-owner <id> <user>', 'takes an owner of a client away, unless it is the last one').action(
    async (id: string, user: string, options: DatabaseOptions) => {
      await change(id, options, async (registry) => {
        if (!isOwner(requireClient(id, await registry.find(id)), user))
          throw notFound(`${user} is no owner of ${id}`, '`clients show` names its owners.');
        return registry.removeOwner(id, user);
      });
      note(io, 'if they know a secret of the client, make a new one: clients rotate-secret');
    },
  );
  command('delete <id>', 'deletes a client; all its tokens end at once')
    .option('--yes', 'do not ask')
    .action((id: string, options: DatabaseOptions & { yes?: true }) =>
      useDatabase(io, { ...options, clientFields: fields }, async (database) => {
        const registry = createRegistry(context, database);
        const client = requireClient(id, await registry.find(id));
        const question = `Delete ${client.name} (${id})? All its tokens end at once. [y/N] `;
        if (!options.yes)
          await confirm(io, question, (answer) => /^y(es)?$/i.test(answer), ['deleting', 'deleted']);
        await registry.delete(id);
        const text = `Deleted ${client.name} (${id}); its tokens have ended.`;
        printAnswer(io, options, { clientId: id, deleted: true }, text);
      }),
    );
}

async function create(
  context: Known,
  { id, secretStdin, ...options }: MetadataOptions & { readonly id?: string; readonly secretStdin?: true },
): Promise<void> {
  const { io, fields } = context;
  const clientSecret = secretStdin === true ? await readStdin(io) : undefined;
  const metadata = readFlags({ ...options }, fields);
  const limits = await limitsOf(context, options.issuer, metadata);
  checkFlags(metadata, limits, options.issuer);
  await useDatabase(context.io, { ...options, clientFields: context.fields }, async (database) => {
    const newClient = withoutUndefined({ clientId: id, clientSecret, ...metadata });
    const registry = createRegistry(context, database, await withRecordedIssuer(limits, database.models));
    if (id !== undefined && (await registry.find(id)) !== null)
      throw new CliError(
        `there is a client ${id} already`,
        '`clients update` changes it; a new client needs another --id.',
      );
    const client = await registry.create(newClient as NewClient);
    printClient(context, client, { json: options.json, isSecretNew: clientSecret === undefined });
    if (client.scopes.length === 0) note(io, 'it may ask for no scope; write --scopes photos:read …');
    await noteUncheckedScopes(io, options.issuer, metadata, database.models);
  });
}

async function update(context: Known, id: string, options: MetadataOptions): Promise<void> {
  const { fields } = context;
  const changes = readFlags({ ...options }, fields);
  const limitsOfSite = await limitsOf(context, options.issuer, changes);
  if (Object.keys(changes).length === 0)
    throw new CliError('nothing to change', 'Name what changes, such as --name or --redirect-uri.');
  await useDatabase(context.io, { ...options, clientFields: context.fields }, async (database) => {
    const current = requireClient(id, await createRegistry(context, database).find(id));
    const limits = await withRecordedIssuer(limitsOfSite, database.models);
    // a client keeps its registered values, even if the site no longer has them
    const possible = {
      ...limits,
      scopes: [...limits.scopes, ...current.scopes],
      grantTypes: [...limits.grantTypes, ...current.grantTypes],
      tokenEndpointAuthMethods: [
        ...(limits.tokenEndpointAuthMethods ?? []),
        ...[current.tokenEndpointAuthMethod ?? []].flat(),
      ],
      reservedNames: undefined,
    };
    checkFlags(changes, possible, options.issuer);
    const changed = await createRegistry(context, database, possible).update(id, changes);
    printClient(context, requireClient(id, changed), { json: options.json });
    await noteUncheckedScopes(context.io, options.issuer, changes, database.models);
  });
}

/** A registry without a site: it accepts values that the command line has checked. */
function createRegistry(
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

function requireClient<T>(id: string, client: T | null): T {
  if (client === null)
    throw notFound(
      `there is no client ${id}`,
      '`clients list` shows those that there are; is it the right database?',
    );
  return client;
}
