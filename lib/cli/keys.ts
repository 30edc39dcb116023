import { type Command, Option } from 'commander';

import { createKeyVault, SIGNING_ALGORITHMS, type SigningAlgorithm } from '../crypto/key-material.js';
import { describeKeys, type SigningKeyInfo } from '../keys/key-registry.js';
import type { KeptSigningKey } from '../keys/signing-key-store.js';
import { createStoredKeys } from '../keys/stored-keys.js';
import type { Stores } from '../models/stores.js';
import { signingKeyOptions } from '../settings/signing-key-options.js';
import { type DatabaseOptions, useDatabase, withDatabaseOptions } from './database.js';
import { CliError, EXIT } from './exit.js';
import type { Io } from './io.js';
import { formatTable, print, printJson } from './output.js';

interface RotateOptions extends DatabaseOptions {
  readonly algorithm?: SigningAlgorithm;
  readonly publishAhead: number;
  readonly longestToken: number;
}

const DAY = 86_400;

export function addKeys(program: Command, io: Io): void {
  const keys = program.command('keys').description('the keys that JWT access tokens are signed with');
  withDatabaseOptions(
    keys.command('list').description('lists the keys that are published, the newest first'),
  ).action((options: DatabaseOptions) => list(io, options));
  withDatabaseOptions(
    keys
      .command('rotate')
      .description(
        'makes a new key: published at once, it signs a little later; KEY_SECRET is the site’s signingKeys.encryptionSecret, where it has one',
      ),
  )
    .addOption(
      new Option('--algorithm <name>', 'of the new key (default: as the key before)').choices(
        SIGNING_ALGORITHMS,
      ),
    )
    .option(
      '--publish-ahead <seconds>',
      'how long it is published before it signs, as signingKeys.publishAhead',
      seconds,
      signingKeyOptions.publishAhead.default,
    )
    .option(
      '--longest-token <seconds>',
      'the longest life of a JWT, so long the key before stays published',
      seconds,
      DAY,
    )
    .action((options: RotateOptions) => rotate(io, options));
}

async function list(io: Io, options: DatabaseOptions): Promise<void> {
  await useDatabase(io, options, async ({ models }) => {
    const keys = describeKeys(await models.signingKeys.findLive(new Date()));
    if (options.json) printJson(io, keys);
    else
      print(
        io,
        keys.length === 0
          ? 'There is no key yet: the site makes its first one when it needs it.'
          : formatKeys(io, keys),
      );
  });
}

async function rotate(
  io: Io,
  { algorithm, publishAhead, longestToken, ...options }: RotateOptions,
): Promise<void> {
  const { KEY_SECRET: encryptionSecret } = io.env;
  await useDatabase(io, options, async ({ models }) => {
    const [newest] = await models.signingKeys.findLive(new Date());
    if (newest === undefined)
      throw new CliError(
        'there is no key yet',
        EXIT.finding,
        'The site makes its first one when it needs it.',
      );
    await checkSecret(newest, encryptionSecret);
    await createStoredKeys({
      store: models.signingKeys,
      algorithm: algorithm ?? newest.algorithm,
      encryptionSecret,
      rotationInterval: undefined,
      publishAhead,
      longestToken: async () => Math.max(longestToken, await models.clients.longestAccessTokenTtl()),
    }).rotate();
    await tellNext(io, models, options);
  });
}

/**
 * A key that the site could not read would stop it from issuing and verifying: what it uses is seen by its
 * newest key.
 */
async function checkSecret({ privateKey }: KeptSigningKey, secret: string | undefined): Promise<void> {
  const isEncrypted = !privateKey.startsWith('{');
  if (isEncrypted && secret === undefined)
    throw new CliError(
      'the keys of this site are encrypted',
      EXIT.usage,
      'Set KEY_SECRET to its signingKeys.encryptionSecret.',
    );
  if (!isEncrypted && secret !== undefined)
    throw new CliError(
      'the keys of this site are not encrypted, it could not read the new one',
      EXIT.usage,
      'Leave KEY_SECRET out.',
    );
  await createKeyVault(secret)
    .unseal(privateKey)
    .catch(() => {
      throw new CliError(
        'KEY_SECRET is not the secret that the keys of this site are encrypted with',
        EXIT.usage,
        'It is the site’s signingKeys.encryptionSecret.',
      );
    });
}

async function tellNext(io: Io, models: Stores, { json }: DatabaseOptions): Promise<void> {
  const [next] = describeKeys(await models.signingKeys.findLive(new Date()));
  if (next === undefined) throw new CliError('the new key is not there', EXIT.database);
  if (json) printJson(io, next);
  else
    print(
      io,
      `The key ${next.kid} (${next.algorithm}) signs from ${next.activatesAt?.toISOString() ?? 'now'} on.`,
    );
}

function formatKeys(io: Io, keys: readonly SigningKeyInfo[]): string {
  const rows = keys.map(({ kid, algorithm, status, activatesAt, expiresAt }) => [
    kid,
    algorithm,
    status,
    activatesAt?.toISOString() ?? '',
    expiresAt?.toISOString() ?? '',
  ]);
  return formatTable(io, ['KEY', 'ALGORITHM', 'STATUS', 'SIGNS FROM', 'PUBLISHED UNTIL'], rows);
}

function seconds(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value <= 0)
    throw new CliError(`'${text}' is not a number of seconds`, EXIT.usage, 'Write whole seconds, as 300.');
  return value;
}
