import { z } from 'zod';

/** What the JWTs are held to by which clients authenticate. */
export interface ClientAssertionOptions {
  /**
   * What `aud` may be: the issuer alone, or the token endpoint's URL as well, for clients that know no better: one
   * that is registered at several servers can then be tricked into an assertion for this one. Default: `issuer`.
   */
  readonly audience?: 'issuer' | 'issuer_or_token_endpoint';
  /** Seconds from now that `exp` may lie ahead. Default: 600. */
  readonly maxTtl?: number;
}

/** How the keys of clients are fetched that are registered with a `jwksUri`. */
export interface ClientKeysOptions {
  /** Lets a `jwksUri` lie in the server's own network, and be `http:` on loopback. Default: false. */
  readonly allowPrivateAddresses?: boolean;
  /** Milliseconds for the whole of a fetch, name look-up included. Default: 3000. */
  readonly timeout?: number;
  /** Bytes that the answer may have. Default: 65536. */
  readonly maxBytes?: number;
  /** Seconds that fetched keys are used: a key that the client takes away works this long at most. Default: 600. */
  readonly cacheTtl?: number;
  /** Seconds between two fetches for an unknown `kid`, or after a fetch that failed. Default: 30. */
  readonly cooldown?: number;
}

export const DEFAULT_CLIENT_ASSERTIONS: Required<ClientAssertionOptions> = {
  audience: 'issuer',
  maxTtl: 600,
};
export const DEFAULT_CLIENT_KEYS: Required<ClientKeysOptions> = {
  allowPrivateAddresses: false,
  timeout: 3000,
  maxBytes: 65_536,
  cacheTtl: 600,
  cooldown: 30,
};

const positive = z.number('must be a number').int('must be a whole number').positive('must be more than 0');
const secretKey = z
  .string('must be text')
  .min(32, 'must be at least 32 random characters, such as those that `openssl rand -base64 32` prints');

export const clientAssertionsShape = z.strictObject({
  audience: z
    .enum(['issuer', 'issuer_or_token_endpoint'], "must be 'issuer' or 'issuer_or_token_endpoint'")
    .optional(),
  maxTtl: positive
    .max(86_400, 'must be at most 86400 seconds: the id of each assertion is kept as long')
    .optional(),
});
export const clientKeysShape = z.strictObject({
  allowPrivateAddresses: z.boolean().optional(),
  timeout: positive.max(60_000, 'must be at most 60000 milliseconds').optional(),
  maxBytes: positive.max(1_048_576, 'must be at most 1048576 bytes').optional(),
  cacheTtl: positive.optional(),
  cooldown: positive.optional(),
});
export const clientSecretKeyShape = z.union(
  [secretKey, z.array(secretKey).min(1)],
  'must be at least 32 random characters, or a list of such texts of which the first encrypts',
);
