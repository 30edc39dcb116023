import { findUnstorable } from '../../shared/protocol/storable.js';
import type { PublicJwk, PublicJwks } from './client.js';

export interface KeySetProblem {
  /** For pages in another language. */
  readonly reason: 'jwksNoSet' | 'jwksCount' | 'jwksTooLong' | keyof typeof KEY_PROBLEMS;
  /** The problem, for the user who registers the client. */
  readonly text: string;
  readonly values?: Readonly<Record<string, string | number>>;
}

const KEY_PROBLEMS = {
  jwksNoObject: 'a key is no JSON object',
  jwksPrivate:
    'it has a private or secret key, which only its owner may have: take a new one, and send the public half',
  jwksMembers:
    'a key has a member of another kind than RFC 7517 and RFC 7518 say, one that is an object, or one whose name or text cannot be stored',
  jwksKind: 'a key has a kty that is none of RSA, EC and OKP',
  jwksRsaSize: 'an RSA key has less than 2048 or more than 8192 bits',
} as const;

const MAX_KEYS = 20;
/** Members of private and secret keys (RFC 7518 §6.2.2, §6.3.2, §6.4.1). */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'];
/** RFC 7517 §4, RFC 7518 §6: Node would accept a list with one text, jose would not. */
const TEXT_MEMBERS = ['kty', 'use', 'alg', 'kid', 'x5u', 'x5t', 'x5t#S256', 'crv', 'x', 'y', 'n', 'e'];
const LIST_MEMBERS = ['key_ops', 'x5c'];
const MIN_RSA_BYTES = 256;
/** 8192 bits: the time to check a signature grows with the key, and the client chooses the key. */
const MAX_RSA_BYTES = 1024;
const MAX_RSA_EXPONENT_BYTES = 4;
/** Levels: a key has texts and lists of texts. */
const KEY_DEPTH = 2;

/**
 * The usable keys of a key set, or the problem of the set.
 *
 * RFC 7517 §5: unknown keys, or keys out of the supported range, are ignored, so that a client can add keys for other
 * servers. A private key is never ignored: its owner must learn that it was published.
 *
 * @see RFC 7517 §4, §5
 */
export function parsePublicJwks(jwks: unknown): PublicJwks | KeySetProblem {
  const keys = (jwks as { keys?: unknown } | null | undefined)?.keys;
  if (!Array.isArray(keys))
    return { reason: 'jwksNoSet', text: 'it is no key set: { "keys": [ … ] } (RFC 7517 §5)' };
  if (keys.length === 0 || keys.length > MAX_KEYS)
    return {
      reason: 'jwksCount',
      text: `it has ${keys.length} keys; there can be 1 to ${MAX_KEYS}`,
      values: { count: keys.length, max: MAX_KEYS },
    };
  const problems = keys.map(findKeyProblem);
  const usable = keys.filter((_key, index) => problems[index] === undefined) as PublicJwk[];
  const published = problems.find((each) => each === 'jwksPrivate');
  const reason = published ?? (usable.length === 0 ? problems[0] : undefined);
  return reason === undefined ? { keys: usable } : { reason, text: KEY_PROBLEMS[reason] };
}

function findKeyProblem(key: unknown): keyof typeof KEY_PROBLEMS | undefined {
  if (key === null || typeof key !== 'object') return 'jwksNoObject';
  const jwk = key as Record<string, unknown>;
  if (PRIVATE_MEMBERS.some((member) => member in jwk)) return 'jwksPrivate';
  if (!Object.entries(jwk).every(isRightMember) || findUnstorable(jwk, KEY_DEPTH) !== undefined)
    return 'jwksMembers';
  if (jwk.kty === 'EC' || jwk.kty === 'OKP') return undefined;
  if (jwk.kty !== 'RSA') return 'jwksKind';
  // RFC 7518 §3.3, §3.5: a key of size 2048 bits or larger MUST be used
  const [n, e] = [jwk.n, jwk.e].map((value) =>
    typeof value === 'string' ? Buffer.from(value, 'base64url').length : 0,
  ) as [number, number];
  return n >= MIN_RSA_BYTES && n <= MAX_RSA_BYTES && e <= MAX_RSA_EXPONENT_BYTES ? undefined : 'jwksRsaSize';
}

function isRightMember([name, value]: readonly [string, unknown]): boolean {
  if (TEXT_MEMBERS.includes(name)) return typeof value === 'string';
  if (LIST_MEMBERS.includes(name)) return isTexts(value);
  // RFC 7517 §4: unknown members are ignored
  return /^[A-Za-z0-9_#-]{1,64}$/.test(name) && (typeof value !== 'object' || isTexts(value));
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
