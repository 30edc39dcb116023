import type { SealedSecrets } from '../../../shared/crypto/seal.js';
import { OAuthError } from '../../../shared/errors.js';
import { type AuthMethodInfo, credentialOf } from '../auth-method-info.js';
import type { ClientMetadata } from '../client.js';
import { createClientSecret, importClientSecret, type NewClientSecret } from './client-secrets.js';

/** A shorter secret of a user's choice can be guessed by 60 tries a minute for each address. */
export const MIN_SECRET_LENGTH = 16;
/** Secrets that users think of first, and secrets of examples. */
const DEFAULT_SECRETS = (
  'secret password changeme client_secret test 123456 1234567890123456 0123456789abcdef ' +
  'my-client-secret your-client-secret'
).split(' ');

/** The secrets that an attacker would try first for this client. */
export function guessableSecrets({ clientId, name }: Record<'clientId' | 'name', string>): string[] {
  return [...DEFAULT_SECRETS, clientId, name, name.toLowerCase()];
}

/**
 * Why a secret of the site's choice is guessable, for the site; undefined if it seems not to be.
 *
 * @see RFC 6749 §10.10
 */
export function findGuessableSecret(
  secret: string,
  client: Record<'clientId' | 'name', string>,
): string | undefined {
  if (secret.length < MIN_SECRET_LENGTH) return `it has fewer than ${MIN_SECRET_LENGTH} characters`;
  if (guessableSecrets(client).some((guess) => guess.toLowerCase() === secret.toLowerCase()))
    return 'it is one of the first that are tried';
  return /^(.{1,8})\1+$/.test(secret) ? 'it is one short text again and again' : undefined;
}

/** RFC 7518 §3.2: for HS256 a key of 256 bits or larger MUST be used. */
const MIN_HMAC_BYTES = 32;

export interface SecretOf {
  readonly clientId: string;
  readonly metadata: ClientMetadata;
  readonly sealedSecrets: SealedSecrets | undefined;
  readonly methods: readonly AuthMethodInfo[];
}

/**
 * The secret of a new client: the site's, or a new one; undefined if the client has none.
 *
 * @throws OAuthError invalid_client_metadata
 */
export async function issueClientSecret(of: SecretOf, clientSecret: string | undefined, now: Date) {
  const { type } = of.metadata;
  if (credentialOf(of.metadata, of.methods) !== 'secret') {
    // RFC 6749 §2.3.1: a client with an empty secret may omit it, which is a public client here
    if (clientSecret === undefined || (clientSecret === '' && type === 'public')) return undefined;
    const why =
      type === 'public'
        ? 'a public client cannot keep a secret: leave clientSecret out or register it as confidential'
        : 'a client that authenticates by its keys has no secret: leave clientSecret out';
    throw new OAuthError('invalid_client_metadata', why);
  }
  if (clientSecret === '')
    throw new OAuthError(
      'invalid_client_metadata',
      'an empty secret authenticates nobody: leave clientSecret out and one is made, or register the client as public',
    );
  if (clientSecret === undefined) return keepSecret(createClientSecret(now), of);
  const guessable = findGuessableSecret(clientSecret, { clientId: of.clientId, name: of.metadata.name });
  if (guessable !== undefined)
    throw new OAuthError(
      'invalid_client_metadata',
      `clientSecret: ${guessable}; leave it out and one of 256 random bits is made`,
    );
  return keepSecret(await importClientSecret(clientSecret, now), of);
}

/** Stores the secret readable only if the client's method needs it. */
export async function keepSecret(
  { secret, stored }: NewClientSecret,
  { clientId, metadata, sealedSecrets, methods }: SecretOf,
): Promise<NewClientSecret> {
  const { tokenEndpointAuthMethod: name } = metadata;
  const isRead = methods.some((method) => method.name === name && method.readsSecret === true);
  if (!isRead || sealedSecrets === undefined) return { secret, stored };
  if (Buffer.byteLength(secret) < MIN_HMAC_BYTES)
    throw new OAuthError(
      'invalid_client_metadata',
      `the secret of ${name} must have at least ${MIN_HMAC_BYTES} bytes: leave clientSecret out and one is made`,
    );
  return { secret, stored: { ...stored, sealed: await sealedSecrets.keep(clientId, secret) } };
}
