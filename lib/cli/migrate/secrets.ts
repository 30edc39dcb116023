import type { ClientSecret } from '../../core/clients/client.js';
import { BCRYPT_MAX_BYTES, importClientSecret } from '../../core/clients/secrets/client-secrets.js';
import { findGuessableSecret } from '../../core/clients/secrets/issue-client-secret.js';
import { hashSecret } from '../../shared/crypto/secrets.js';
import { type Difference, LeftOut } from './report.js';
import type { Migration } from './source.js';

/** `$2y$` of PHP and others equals `$2b$`; `$2x$` and `$2$` mark hashes with a known fault. */
const BCRYPT_HASH = /^\$2[aby]\$(\d\d)(\$[./A-Za-z0-9]{53})$/;
/** The minimum of bcrypt. */
const MIN_ROUNDS = 4;
/** Each round doubles the time; 15 already takes seconds per check. */
const MAX_ROUNDS = 15;

/** Whether a text is marked as a hash, of bcrypt or another algorithm ($argon2id$…). */
export function isMarkedHash(text: string): boolean {
  return /^\$[a-z0-9][a-z0-9-]{0,31}\$/i.test(text);
}

/** A SHA-256 hash in hex or base64; otherwise undefined. */
export function readSha256(text: string): string | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex').toString('base64url');
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? Buffer.from(text, 'base64').toString('base64url') : undefined;
}

/** Takes over a hash of another program; a bcrypt hash is verified like those of this package. @throws LeftOut */
function takeOverHash(
  text: string,
  secretsAre: Migration['options']['secretsAre'],
  createdAt: Date,
): ClientSecret {
  if (secretsAre === 'sha256') {
    const hash = readSha256(text);
    if (hash === undefined) throw new LeftOut('its secret is no SHA-256 hash');
    return { hash, algorithm: 'sha256', createdAt };
  }
  const [, rounds, rest] = BCRYPT_HASH.exec(text) ?? [];
  if (rounds === undefined || rest === undefined)
    throw new LeftOut(
      'its secret is stored as a hash that is not one by bcrypt, which cannot be verified here',
    );
  if (Number(rounds) < MIN_ROUNDS || Number(rounds) > MAX_ROUNDS)
    throw new LeftOut(
      `its secret is hashed by bcrypt at a cost of ${rounds}; it must be ${MIN_ROUNDS} to ${MAX_ROUNDS}`,
    );
  return { hash: `$2b$${rounds}${rest}`, algorithm: 'bcrypt', createdAt };
}

/** The stored form of a client's secret; empty if it has none. @throws LeftOut */
export async function decideSecret(
  value: unknown,
  client: { readonly clientId: string; readonly name: string },
  { options: { secretsAre, shortSecrets }, now }: Migration,
): Promise<{ readonly secrets: readonly ClientSecret[]; readonly differences: readonly Difference[] }> {
  if (value === undefined || value === '') return { secrets: [], differences: [] };
  if (typeof value !== 'string') throw new LeftOut('its secret is no text (clients.secret)');
  const isHash = secretsAre === 'sha256' || isMarkedHash(value);
  const differences: Difference[] = [];
  const guessable = isHash ? undefined : findGuessableSecret(value, client);
  if (guessable !== undefined) {
    const reason = `its secret can be guessed: ${guessable}`;
    if (shortSecrets === 'refuse') throw new LeftOut(reason, '--short-secrets');
    differences.push({ reason: `taken: ${reason}`, option: '--short-secrets' });
  }
  if (!isHash && !/^[\x20-\x7e]+$/.test(value))
    throw new LeftOut('its secret has characters that cannot be sent (RFC 6749 Appendix A.2)');
  // a secret beyond bcrypt's limit is random, so SHA-256 suffices
  const isLong = Buffer.byteLength(value) > BCRYPT_MAX_BYTES;
  const stored: ClientSecret = isHash
    ? takeOverHash(value, secretsAre, now)
    : isLong
      ? { hash: hashSecret(value), algorithm: 'sha256', createdAt: now }
      : (await importClientSecret(value, now)).stored;
  // HTTP Basic form-urlencodes + and % (RFC 6749 §2.3.1, Appendix B), but the old server may have read the secret
  // unchanged; whether a hashed secret has them is unknown
  const isEncoded = !isHash && /[+%]/.test(value);
  if (isEncoded)
    differences.push({
      reason:
        'its secret has + or %, which HTTP Basic has form-urlencoded (RFC 6749 §2.3.1): as it is, it works until it has come so once',
    });
  return { secrets: [isHash || isEncoded ? { ...stored, isRawInBasic: true } : stored], differences };
}
