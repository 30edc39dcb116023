import { randomInt } from 'node:crypto';

import { hashSecret } from '../../shared/crypto/secrets.js';

/**
 * Letters that form no words, and that users do not confuse with each other or with a digit.
 *
 * @see RFC 8628 §6.1
 */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
/** 20^8 are 34.5 bits: enough, since codes are short-lived and wrong codes limited (RFC 8628 §5.1). */
const LENGTH = 8;
/** Characters that users may type for a similar letter of `ALPHABET` (RFC 8628 §6.1). */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  0: 'Q',
  O: 'Q',
  1: 'L',
  I: 'L',
  '|': 'L',
  2: 'Z',
  5: 'S',
  6: 'G',
  8: 'B',
  U: 'V',
};
/** Maximum length of the input, far above any code; a longer input is rejected unread. */
const MAX_TYPED = 64;

/** A code that a user reads on one device and types on another. */
export interface UserCode {
  /** `WDJB-MJHT` */
  readonly text: string;
  /**
   * The stored hash. A database reader can find a short code by trying all; but codes live for minutes, and only lead
   * to a consent page.
   */
  readonly hash: string;
}

export function createUserCode(): UserCode {
  return toUserCode(Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join(''));
}

/** Parses the input of a user; null if it is no code. Case, dashes, spaces and look-alike letters do not matter. */
export function parseUserCode(typed: string): UserCode | null {
  if (typed.length > MAX_TYPED) return null;
  const letters = Array.from(typed.normalize('NFKC').toUpperCase(), (letter) => LOOK_ALIKES[letter] ?? letter)
    .filter((letter) => ALPHABET.includes(letter))
    .join('');
  return letters.length === LENGTH ? toUserCode(letters) : null;
}

function toUserCode(letters: string): UserCode {
  return { text: `${letters.slice(0, LENGTH / 2)}-${letters.slice(LENGTH / 2)}`, hash: hashSecret(letters) };
}
