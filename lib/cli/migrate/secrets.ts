import type { ClientSecret } from '../../core/clients/client.js';
import { findGuessableSecret } from '../../core/clients/secrets/guessable-secrets.js';
import {
  importSecret,
  isMarkedHash,
  type TakenOver,
  takeOverBcryptHash,
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

export interface MigratedSecretOptions {
  readonly options: Pick<MigrateOptions, 'secretsAre' | 'shortSecrets'>;
  readonly clientId: string;
  readonly name: string;
  readonly now: Date;
}

const NONE: DecidedSecret = { secrets: [], differences: [] };

/** What HTTP Basic has another form of, once it is form-urlencoded (RFC 6749 §2.3.1, Appendix B). */
const ENCODED_OTHERWISE = /[+%]/;
/** The old server may have read HTTP Basic as it is; of a hash nobody can tell whether that would matter. */
const TWO_READINGS: Difference = {
  reason:
    'its secret has + or %, which HTTP Basic has form-urlencoded (RFC 6749 §2.3.1): as it is, it works until it has come so once',
};

/** @throws LeftOut */
export async function decideSecret(value: unknown, of: MigratedSecretOptions): Promise<DecidedSecret> {
  const { options, now } = of;
  if (value === undefined || value === '') return NONE;
  if (typeof value !== 'string') throw new LeftOut('its secret is no text (clients.secret)');
  if (options.secretsAre === 'sha256') return storing(takeOverSha256(value, now));
  if (isMarkedHash(value)) return storing(takeOverBcryptHash(value, now));
  const guessable = findGuessableSecret(value, of);
  const readings = ENCODED_OTHERWISE.test(value) ? [TWO_READINGS] : [];
  if (guessable === undefined) return storing(await importSecret(value, now), readings, value);
  const reason = `its secret can be guessed: ${guessable}`;
  if (options.shortSecrets === 'refuse') throw new LeftOut(reason, '--short-secrets');
  return storing(
    await importSecret(value, now),
    [{ reason: `taken: ${reason}`, option: '--short-secrets' }, ...readings],
    value,
  );
}

/** @param value the secret; absent if only its hash is known, which may be of one with + or % */
function storing(taken: TakenOver, differences: readonly Difference[] = [], value?: string): DecidedSecret {
  if ('problem' in taken) throw new LeftOut(taken.problem);
  const isRawInBasic = value === undefined || ENCODED_OTHERWISE.test(value);
  return { secrets: [{ ...taken.stored, ...(isRawInBasic && { isRawInBasic }) }], differences };
}
