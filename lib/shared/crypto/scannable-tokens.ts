import { crc32 } from 'node:zlib';

import { createSecret, hashSecret, type NewToken, type PresentedToken } from './secrets.js';

/** The prefix of each kind, which secret scanners search for. */
const PREFIXES = { personal: 'eas_pat_', service: 'eas_sat_' } as const;
export type ScannableTokenKind = keyof typeof PREFIXES;

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 32 bits in base 62. */
const CHECKSUM_LENGTH = 6;
/** RFC 8959 §2: the token itself needs no escapes; the name of a scheme is case-insensitive (RFC 3986 §3.1). */
const SCHEME = /^secret-token:/i;
const VALUE = /^(eas_[ps]at_)(([A-Za-z0-9_-]{22})([A-Za-z0-9_-]{43}))([0-9A-Za-z]{6})$/;

/**
 * A token that users put into files. By its prefix and checksum a scanner can recognize the token without a request to
 * this server, and never reports a text that only looks like one.
 */
export function createScannableToken(kind: ScannableTokenKind, grantId: string): NewToken {
  const secret = createSecret();
  const body = `${PREFIXES[kind]}${grantId}${secret}`;
  return { value: `${body}${checksumOf(body)}`, hash: hashSecret(secret) };
}

/** Parses a token into its grant id and hash; null if the text is no such token, or its checksum is wrong. */
export function parseScannableToken(value: string): PresentedToken | null {
  const [, prefix = '', body = '', grantId, secret, checksum] = VALUE.exec(value.replace(SCHEME, '')) ?? [];
  if (grantId === undefined || secret === undefined || checksumOf(`${prefix}${body}`) !== checksum)
    return null;
  return { grantId, hash: hashSecret(secret) };
}

/** Whether a text contains such a token in any spelling; a text that only looks like one counts. */
export function containsScannableToken(text: string): boolean {
  return /eas_[ps]at_/.test(text);
}

/** CRC-32 in base 62, with leading zeros: it detects typing errors and lookalikes, and proves nothing. */
function checksumOf(body: string): string {
  let rest = crc32(body);
  let digits = '';
  while (rest > 0) {
    digits = `${ALPHABET[rest % 62]}${digits}`;
    rest = Math.floor(rest / 62);
  }
  return digits.padStart(CHECKSUM_LENGTH, '0');
}
