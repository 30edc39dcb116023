import { createHmac } from 'node:crypto';

/** Proves that a text was written by whoever holds the key (HMAC-SHA-256). */
export function tagOf(text: string, key: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}
