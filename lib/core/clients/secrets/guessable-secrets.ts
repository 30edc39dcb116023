import type { Client } from '../client.js';

/** If a user thought of a shorter one, it can be found with 60 tries a minute for each address. */
export const MIN_SECRET_LENGTH = 16;
/** What users think of first, and what is in examples. */
const DEFAULT_SECRETS = [
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

/** What somebody who guesses secrets of this client tries first. */
export function countGuessableSecrets({ clientId, name }: Pick<Client, 'clientId' | 'name'>): string[] {
  return [...DEFAULT_SECRETS, clientId, name, name.toLowerCase()];
}

/**
 * Why a secret of the site's would be guessed, in words for the site; undefined if there seems to be nothing wrong.
 *
 * @see RFC 6749 §10.10
 */
export function findGuessableSecret(
  secret: string,
  client: Pick<Client, 'clientId' | 'name'>,
): string | undefined {
  if (secret.length < MIN_SECRET_LENGTH) return `it has fewer than ${MIN_SECRET_LENGTH} characters`;
  const same = (guess: string) => guess.toLowerCase() === secret.toLowerCase();
  if (countGuessableSecrets(client).some(same)) return 'it is one of the first that are tried';
  return /^(.{1,8})\1+$/.test(secret) ? 'it is one short text again and again' : undefined;
}
