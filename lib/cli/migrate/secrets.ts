import type { ClientSecret } from '../../core/clients/client.js';
import { findGuessableSecret } from '../../core/clients/secrets/guessable-secrets.js';
import {
  isMarkedHash,
  type TakenOver,
  takeOverBcryptHash,
  takeOverSecret,
  takeOverSha256,
} from '../../core/clients/secrets/imported-secret-hashes.js';
import { LeftOut } from './left-out.js';
import type { MigrateOptions } from './options.js';
import type { Difference } from './report.js';

/** What is stored of a client's secret; nothing if it has none. */
export interface DecidedSecret {
  readonly secrets: readonly ClientSecret[];
  readonly differences: readonly Difference[];
}

export interface SecretOf {
  readonly options: Pick<MigrateOptions, 'secretsAre' | 'shortSecrets'>;
  readonly clientId: string;
  readonly name: string;
  readonly now: Date;
}

const NONE: DecidedSecret = { secrets: [], differences: [] };

/** @throws LeftOut */
export async function decideSecret(value: unknown, of: SecretOf): Promise<DecidedSecret> {
  const { options, now } = of;
  if (value === undefined || value === '') return NONE;
  if (typeof value !== 'string') throw new LeftOut('its secret is no text (clients.secret)');
  if (options.secretsAre === 'sha256') return storing(takeOverSha256(value, now));
  if (isMarkedHash(value)) return storing(takeOverBcryptHash(value, now));
  const guessable = findGuessableSecret(value, of);
  if (guessable === undefined) return storing(await takeOverSecret(value, now));
  const reason = `its secret can be guessed: ${guessable}`;
  if (options.shortSecrets === 'refuse') throw new LeftOut(reason, '--short-secrets');
  return storing(await takeOverSecret(value, now), [
    { reason: `taken: ${reason}`, option: '--short-secrets' },
  ]);
}

function storing(taken: TakenOver, differences: readonly Difference[] = []): DecidedSecret {
  if ('problem' in taken) throw new LeftOut(taken.problem);
  return { secrets: [taken.stored], differences };
}
