import { hashSecret } from '../../../shared/crypto/secrets.js';
import type { ClientSecret } from '../client.js';
import { BCRYPT_MAX_BYTES, importClientSecret } from './client-secrets.js';

/** `$2y$` is what PHP and others write for the same as `$2b$`; `$2x$` and `$2$` mark hashes with a known fault. */
const BCRYPT_HASH = /^\$2[aby]\$(\d\d)(\$[./A-Za-z0-9]{53})$/;
/** bcrypt itself has no fewer. */
const MIN_ROUNDS = 4;
/** Each round doubles the time; 15 already takes seconds per check. */
const MAX_ROUNDS = 15;
const SHA256_HEX = /^[0-9a-f]{64}$/i;
const SHA256_BASE64 = /^[A-Za-z0-9+/_-]{43}=?$/;

export type TakenOver = { readonly stored: ClientSecret } | { readonly problem: string };

/** Whether a text says itself that it is a hash, of bcrypt or of anything else ($argon2id$…). */
export function isMarkedHash(text: string): boolean {
  return /^\$[a-z0-9][a-z0-9-]{0,31}\$/i.test(text);
}

/** A hash by bcrypt, made by another program: it is verified as our own are. */
export function takeOverBcryptHash(hash: string, now: Date): TakenOver {
  const [, rounds, rest] = BCRYPT_HASH.exec(hash) ?? [];
  if (rounds === undefined || rest === undefined)
    return {
      problem: 'its secret is stored as a hash that is not one by bcrypt, which cannot be verified here',
    };
  if (Number(rounds) < MIN_ROUNDS || Number(rounds) > MAX_ROUNDS)
    return {
      problem: `its secret is hashed by bcrypt at a cost of ${rounds}; it must be ${MIN_ROUNDS} to ${MAX_ROUNDS}`,
    };
  return { stored: { hash: `$2b$${rounds}${rest}`, algorithm: 'bcrypt', createdAt: now } };
}

/** A SHA-256 hash in hex or base64; undefined if it is none. */
export function readSha256(text: string): string | undefined {
  if (SHA256_HEX.test(text)) return Buffer.from(text, 'hex').toString('base64url');
  return SHA256_BASE64.test(text) ? Buffer.from(text, 'base64').toString('base64url') : undefined;
}

export function takeOverSha256(text: string, now: Date): TakenOver {
  const hash = readSha256(text);
  return hash === undefined
    ? { problem: 'its secret is no SHA-256 hash' }
    : { stored: { hash, algorithm: 'sha256', createdAt: now } };
}

/** A secret in clear. What bcrypt could not read to its end is random: nobody remembers so much. */
export async function importSecret(secret: string, now: Date): Promise<TakenOver> {
  if (!/^[\x20-\x7e]+$/.test(secret))
    return { problem: 'its secret has characters that cannot be sent (RFC 6749 Appendix A.2)' };
  if (Buffer.byteLength(secret) > BCRYPT_MAX_BYTES)
    return { stored: { hash: hashSecret(secret), algorithm: 'sha256', createdAt: now } };
  return { stored: (await importClientSecret(secret, now)).stored };
}
