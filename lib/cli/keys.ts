import { type Command, Option } from 'commander';

import { describeKeys } from '../core/keys/key-registry.js';
import { createStoredKeys, revokeKey } from '../core/keys/stored-keys.js';
import { signingKeyOptions } from '../settings/options/signing-key-options.js';
import {
  createKeyVault,
  isForEncryption,
  isSealed,
  SIGNING_ALGORITHMS,
  type SigningAlgorithm,
} from '../shared/crypto/key-material.js';
import { addCommand, type DatabaseOptions, useDatabase } from './database.js';
import { CliError, EXIT, notFound } from './exit.js';
import type { Io } from './io.js';
import { printAnswer, printList } from './output.js';

interface RotateOptions extends DatabaseOptions {
  readonly algorithm?: SigningAlgorithm;
  readonly publishAhead: number;
  readonly longestToken: number;
}

const DAY = 86_400;

export function addKeys(program: Command, io: Io): void {
  const keys = program
    .command('keys')
    .description('the keys that JWTs are signed with, and those that requests are encrypted to');
  addCommand(keys, 'list', 'lists the keys that are in use, the newest first').action(
    (options: DatabaseOptions) =>
      useDatabase(io, options, async ({ models }) => {
        const now = new Date();
        printList(io, options, describeKeys(await models.signingKeys.findLive(now), now), {
          empty: 'There is no key yet: the site makes its first one when it needs it.',
          columns: {
            KEY: ({ kid }) => kid,
            ALGORITHM: ({ algorithm }) => algorithm,
            STATUS: ({ status }) => status,
            FROM: ({ activatesAt }) => activatesAt?.toISOString() ?? '',
            UNTIL: ({ expiresAt }) => expiresAt?.toISOString() ?? '',
          },
        });
      }),
  );
  addCommand(
    keys,
    'rotate',
    'makes a new key: published at once, it signs a little later; KEY_SECRET is the site’s signingKeys.encryptionSecret',
  )
    .addOption(
      new Option('--algorithm <name>', 'of the new key (default: as the key before)').choices(
        SIGNING_ALGORITHMS,
      ),
    )
    .option(
      '--publish-ahead <seconds>',
      'how long it is published before it signs, as signingKeys.publishAhead',
      parseSeconds,
      signingKeyOptions.publishAhead.default,
    )
    .option(
      '--longest-token <seconds>',
      'the longest life of a JWT, so long the key before stays published',
      parseSeconds,
      DAY,
    )
    .action((options: RotateOptions) => rotate(io, options));
  addCommand(
    keys,
    'revoke <kid>',
    'takes a key away that others may know: what it signed is refused, and the site signs with another one',
  )
    // one in 64 thumbprints begins with a hyphen (RFC 7638 §3.1)
    .allowUnknownOption()
    .action((kid: string, options: DatabaseOptions) =>
      useDatabase(io, options, async ({ models }) => {
        if (!(await revokeKey(models.signingKeys, kid)))
          throw notFound(`there is no key '${kid}'`, '`keys list` shows those that there are.');
        const text = `The key ${kid} is revoked. Processes of the site know within a minute, bearerGuard within ten more.`;
        printAnswer(io, options, { kid, revoked: true }, text);
      }),
    );
}

async function rotate(io: Io, options: RotateOptions): Promise<void> {
  const { algorithm, publishAhead, longestToken } = options;
  const { KEY_SECRET: secret } = io.env;
  await useDatabase(io, options, async ({ models }) => {
    const live = await models.signingKeys.findLive(new Date());
    const defaultAlgorithm = live.find(({ line }) => line === undefined)?.algorithm;
    if (defaultAlgorithm === undefined || isForEncryption(defaultAlgorithm))
      throw notFound('there is no key yet', 'The site makes its first one when it needs it.');
    // New keys are stored encrypted. A key that the site cannot decrypt would stop it from issuing and verifying. The
    // newest encrypted key reveals the site's secret; older keys may be in clear.
    if (secret === undefined || secret.length < 32)
      throw new CliError(
        'new keys are stored encrypted',
        'Set KEY_SECRET to the site’s signingKeys.encryptionSecret, of 32 characters at least.',
      );
    const sealed = live.find(({ privateKey }) => isSealed(privateKey));
    const unsealed = sealed && createKeyVault(secret).unseal(sealed.privateKey);
    await unsealed?.catch(() => {
      throw new CliError(
        'KEY_SECRET is not the secret that the keys of this site are encrypted with',
        'It is the site’s signingKeys.encryptionSecret.',
      );
    });
    await createStoredKeys({
      store: models.signingKeys,
      algorithm: algorithm ?? defaultAlgorithm,
      alsoAlgorithms: [...new Set(live.flatMap(({ line }) => line ?? []))],
      encryptionSecret: secret,
      rotationInterval: undefined,
      publishAhead,
      longestToken: async () => Math.max(longestToken, await models.clients.longestAccessTokenTtl()),
    }).rotate();
    const now = new Date();
    const [next] = describeKeys(await models.signingKeys.findLive(now), now);
    if (next === undefined) throw new CliError('the new key is not there', undefined, EXIT.database);
    const text = `The key ${next.kid} (${next.algorithm}) signs from ${next.activatesAt?.toISOString() ?? 'now'} on.`;
    printAnswer(io, options, next, text);
  });
}

function parseSeconds(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value <= 0)
    throw new CliError(`'${text}' is not a number of seconds`, 'Write whole seconds, as 300.');
  return value;
}
