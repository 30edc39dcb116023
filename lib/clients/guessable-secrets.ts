import type { Client } from './client.js';

/** Of a shorter one that a person thought of, too much can be tried at 60 tries a minute and address. */
export const MIN_SECRET_LENGTH = 16;
/** What people write first, and what is in examples. */
const USUAL_SECRETS = [
  'secret',
  'password',
  'changeme',
  'client_secret',
  'test',
  '123456',
  '1234567890123456',
  '0123456789abcdef',
  'my-client-secret',
  'your-client-secret',
];

/** What somebody who looks for weak secrets of this client tries first. */
export function guessesOf({ clientId, name }: Pick<Client, 'clientId' | 'name'>): string[] {
  return [...USUAL_SECRETS, clientId, name, name.toLowerCase()];
}

/**
 * Why a secret that is brought along would be guessed, in words for the host; undefined if nothing is seen.
 *
 * @see RFC 6749 §10.10
 */
export function findGuessableSecret(
  secret: string,
  client: Pick<Client, 'clientId' | 'name'>,
): string | undefined {
  if (secret.length < MIN_SECRET_LENGTH) return `it has fewer than ${MIN_SECRET_LENGTH} characters`;
  const same = (guess: string) => guess.toLowerCase() === secret.toLowerCase();
  if (guessesOf(client).some(same)) return 'it is one of the first that are tried';
  return /^(.{1,8})\1+$/.test(secret) ? 'it is one short text again and again' : undefined;
}
