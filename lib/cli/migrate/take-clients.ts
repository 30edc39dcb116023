import { createHash } from 'node:crypto';

import type { Client } from '../../core/clients/client.js';
import { isMarkedHash } from '../../core/clients/secrets/imported-secret-hashes.js';
import type { Stores } from '../../storage/stores.js';
import { type ClientRules, decideClient } from './clients.js';
import { outcomeOf } from './left-out.js';
import type { MigratedClients } from './migrated-clients.js';
import type { MigrationReport } from './report.js';
import type { OldClient, Source } from './source.js';
import { textOf } from './values.js';

export interface TakeClients {
  readonly source: Pick<Source, 'name'>;
  readonly models: Stores;
  readonly report: MigrationReport;
  readonly dryRun: boolean;
  readonly directory: MigratedClients;
  readonly rules: ClientRules;
}

/** Takes clients over one by one, and fills the directory in which their tokens find them. */
export async function takeClients(all: readonly OldClient[], context: TakeClients): Promise<void> {
  const { report, directory } = context;
  const seen = new Set<string>();
  for (const old of all) {
    report.found('clients');
    const clientId = textOf(old.id);
    if (clientId !== undefined && seen.has(clientId)) {
      report.leftOut({
        kind: 'clients',
        name: clientId,
        reason: 'there is another one by the same id before it',
      });
      continue;
    }
    if (clientId !== undefined) seen.add(clientId);
    const client = await takeClient(old, clientId, context);
    directory.add(old, client);
  }
  noteHexadecimal(all, context);
  noteHashed(all, context);
}

/** The client as it is here afterwards; undefined if it was left out. */
async function takeClient(
  old: OldClient,
  clientId: string | undefined,
  context: TakeClients,
): Promise<Client | undefined> {
  const { source, models, report, dryRun, rules } = context;
  if (clientId === undefined) return takeNew(old, { name: 'a client' }, context);
  const id = idOfThing(source, ['client', clientId]);
  const [recorded] = await models.migrated.findAll([id]);
  const here = await models.clients.find(clientId);
  if (recorded?.takenAt !== undefined) {
    report.already('clients');
    return here ?? undefined;
  }
  if (here === null) return takeNew(old, { name: clientId, id }, context);
  if (recorded === undefined) return keepExisting(here, context);
  // an earlier run was interrupted just after storing it
  if (!dryRun) await models.migrated.finish(id, rules.now);
  report.taken('clients');
  return here;
}

/** @param name as in the report; `id` is that of the note that it was taken over */
async function takeNew(
  old: OldClient,
  { name, id = '' }: { readonly name: string; readonly id?: string },
  context: TakeClients,
): Promise<Client | undefined> {
  const { models, report, dryRun, rules } = context;
  const decided = await outcomeOf(() => decideClient(old, rules));
  if ('problem' in decided) {
    report.leftOut({ kind: 'clients', name, ...decided.problem });
    return undefined;
  }
  const { client, differences } = decided.value;
  if (!dryRun) {
    await models.migrated.note([{ _id: id, kind: 'client' }]);
    if ((await models.clients.insert(client)) === null) return keepExisting(client, context);
    await models.migrated.finish(id, rules.now);
  }
  report.taken('clients');
  for (const difference of differences) report.changed({ kind: 'clients', name, ...difference });
  return client;
}

/** Handles a client that somebody else has registered here with this id. */
function keepExisting(client: Client, { report, rules: { options } }: TakeClients): Client | undefined {
  const remark = { kind: 'clients', name: client.clientId, option: '--existing' } as const;
  if (options.existing === 'refuse') {
    report.leftOut({ ...remark, reason: 'there is a client by its id here, which was not taken over' });
    return undefined;
  }
  report.already('clients');
  report.changed({ ...remark, reason: 'the client that is here by its id stays as it is' });
  return client;
}

/** The id by which a thing of the old server is recognized, whatever has become of it here. */
export function idOfThing({ name }: Pick<Source, 'name'>, of: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([name, ...of]))
    .digest('base64url');
}

/** In clear or hashed they look the same, and if the wrong one is assumed, no client gets in. */
function noteHexadecimal(all: readonly OldClient[], { report, rules: { options } }: TakeClients): void {
  const count = all.filter(
    ({ secret }) => typeof secret === 'string' && /^[0-9a-f]{64}$/i.test(secret),
  ).length;
  if (count > 0 && options.secretsAre === 'auto')
    report.notes.push(
      `${count} secrets have 64 hexadecimal digits and are taken for secrets in clear; if they are SHA-256 hashes, write --secrets-are sha256`,
    );
}

/** Whether such a secret has + or %, which clients may send as it is, nobody can tell. */
function noteHashed(all: readonly OldClient[], { report, rules: { options } }: TakeClients): void {
  const count = all.filter(
    ({ secret }) => typeof secret === 'string' && (options.secretsAre === 'sha256' || isMarkedHash(secret)),
  ).length;
  if (count > 0)
    report.notes.push(
      `${count} secrets are hashes: if one has + or %, which HTTP Basic has form-urlencoded (RFC 6749 §2.3.1), its client may send it as it is until it has come encoded once`,
    );
}
