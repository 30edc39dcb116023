import { createHash } from 'node:crypto';

import type { Client } from '../../core/clients/client.js';
import { decideClient } from './clients.js';
import { LeftOut, orLeftOut } from './report.js';
import { isMarkedHash } from './secrets.js';
import type { Migration, OldClient, Source } from './source.js';
import { textOf } from './values.js';

/** Takes clients over one by one, for the tokens that refer to them. */
export async function takeClients(all: readonly OldClient[], migration: Migration): Promise<void> {
  const { report, clients, options } = migration;
  const seen = new Set<string>();
  for (const old of all) {
    report.count('clients', 'found');
    const clientId = textOf(old.id);
    const isSecond = clientId !== undefined && seen.has(clientId);
    if (clientId !== undefined) seen.add(clientId);
    const taken = isSecond
      ? new LeftOut('there is another one by the same id before it')
      : await orLeftOut(() => takeClient(old, clientId, migration));
    if (taken instanceof LeftOut) report.leftOut('clients', clientId ?? 'a client', taken);
    if (!isSecond) clients.add(old, taken instanceof LeftOut ? undefined : taken);
  }
  // secrets in clear and hashes look alike, and a wrong assumption would lock out all clients
  const secrets = all.map(({ secret }) => (typeof secret === 'string' ? secret : ''));
  const isSha256 = options.secretsAre === 'sha256';
  const hexadecimal = secrets.filter((secret) => /^[0-9a-f]{64}$/i.test(secret)).length;
  if (hexadecimal > 0 && !isSha256)
    report.notes.push(
      `${hexadecimal} secrets have 64 hexadecimal digits and are taken for secrets in clear; if they are SHA-256 hashes, write --secrets-are sha256`,
    );
  // a hashed secret may have + or %, which clients may send unencoded
  const hashed = all.filter(
    ({ secret }) => typeof secret === 'string' && (isSha256 || isMarkedHash(secret)),
  ).length;
  if (hashed > 0)
    report.notes.push(
      `${hashed} secrets are hashes: if one has + or %, which HTTP Basic has form-urlencoded (RFC 6749 §2.3.1), its client may send it as it is until it has come encoded once`,
    );
}

/** Takes over a client; returns the resulting client. @throws LeftOut */
async function takeClient(
  old: OldClient,
  clientId: string | undefined,
  migration: Migration,
): Promise<Client | undefined> {
  const { source, models, report, options, now } = migration;
  const id = idOfThing(source, ['client', clientId ?? '']);
  if (clientId !== undefined) {
    const [recorded] = await models.migrated.findAll([id]);
    const here = await models.clients.find(clientId);
    if (recorded?.takenAt !== undefined) {
      report.count('clients', 'already');
      return here ?? undefined;
    }
    if (here !== null && recorded === undefined) return keepExisting(here, migration);
    if (here !== null) {
      // an earlier run was interrupted after storing it
      if (!options.dryRun) await models.migrated.finish(id, now);
      report.count('clients', 'taken');
      return here;
    }
  }
  const { client, differences } = await decideClient(old, migration);
  if (!options.dryRun) {
    await models.migrated.note([{ _id: id, kind: 'client' }]);
    if ((await models.clients.insert(client)) === null) return keepExisting(client, migration);
    await models.migrated.finish(id, now);
  }
  report.count('clients', 'taken');
  for (const difference of differences) report.changed('clients', client.clientId, difference);
  return client;
}

/** Keeps a client that was registered here with the same id. @throws LeftOut */
function keepExisting(client: Client, { report, options }: Migration): Client {
  if (options.existing === 'refuse')
    throw new LeftOut('there is a client by its id here, which was not taken over', '--existing');
  report.count('clients', 'already');
  const reason = 'the client that is here by its id stays as it is';
  report.changed('clients', client.clientId, { reason, option: '--existing' });
  return client;
}

/** The id of a thing of the old server in this database, whatever happens to the result. */
export function idOfThing({ name }: Source, of: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([name, ...of]))
    .digest('base64url');
}
