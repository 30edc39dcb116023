import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** RFC 6749 §10.10: the chance of a guess MUST be at most 2^-128 and SHOULD be at most 2^-160; these have 256 bits. */
const SECRET_BYTES = 32;
const GRANT_ID_BYTES = 16;
const FAMILY_BYTES = 16;

/** The prefix of a token names its kind, for users, secret scanners and support. */
const PREFIXES = {
  authorizationCode: 'eas_ac_',
  accessToken: 'eas_at_',
  refreshToken: 'eas_rt_',
  initialAccessToken: 'eas_it_',
  deviceCode: 'eas_dc_',
} as const;
export type SecretKind = keyof typeof PREFIXES;

/** Prefix, grant id (22 characters) and secret (43); in a refresh token the secret begins with its family (22). */
const TOKEN = /^(eas_[a-z]{2}_)([A-Za-z0-9_-]{22})([A-Za-z0-9_-]{43})$/;
const REFRESH_TOKEN = /^eas_rt_([A-Za-z0-9_-]{22})(([A-Za-z0-9_-]{22})[A-Za-z0-9_-]{43})$/;

/** A token for the client, and its hash for the database. */
export interface NewToken {
  readonly value: string;
  readonly hash: string;
}

/** A refresh token with the hash of its family, which all refresh tokens of a grant share. */
export interface NewRefreshToken extends NewToken {
  readonly familyHash: string;
}

/** A presented token, parsed: the id of its grant, and its hash. */
export interface PresentedToken {
  readonly grantId: string;
  readonly hash: string;
}

export interface PresentedRefreshToken extends PresentedToken {
  /** Absent in tokens of another server. */
  readonly family?: string;
  readonly familyHash?: string;
}

export function createSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

export function createGrantId(): string {
  return randomBytes(GRANT_ID_BYTES).toString('base64url');
}

/**
 * The id of a client that registers itself, from a UUID: version 8 (RFC 9562 §5.8), with a checksum at its end. So the
 * id alone proves that the client was once registered, here or at another server of this package, even after its
 * deletion: a TTL index deletes expired clients without any notice. The function leaves such an id unchanged.
 */
export function toRegisteredId(uuid: string): string {
  const start = `${uuid.slice(0, 14)}8${uuid.slice(15, 28)}`;
  return start + hash('sha256', start, 'hex').slice(0, 8);
}

/** SHA-256 is enough for a secret of 256 random bits; a secret that a user chose gets bcrypt (client-secrets.ts). */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

export function createToken(kind: Exclude<SecretKind, 'refreshToken'>, grantId: string): NewToken {
  const secret = createSecret();
  return { value: `${PREFIXES[kind]}${grantId}${secret}`, hash: hashSecret(secret) };
}

/**
 * A refresh token that contains a secret of its own and the family of its grant. A value with the right family and a
 * wrong secret was an earlier token of the grant, so used tokens need not be stored. Only hashes are stored, so that a
 * copy of the database neither gives tokens nor looks like their reuse.
 *
 * @param family of the token that this one replaces. Default: a new one
 */
export function createRefreshToken(
  grantId: string,
  family: string = randomBytes(FAMILY_BYTES).toString('base64url'),
): NewRefreshToken {
  const secret = `${family}${createSecret()}`;
  return {
    value: `${PREFIXES.refreshToken}${grantId}${secret}`,
    hash: hashSecret(secret),
    familyHash: hashSecret(family),
  };
}

/** Parses a presented value; null if it cannot be a token of this kind. */
export function parseToken(kind: Exclude<SecretKind, 'refreshToken'>, value: string): PresentedToken | null {
  const [, prefix, grantId = '', secret = ''] = TOKEN.exec(value) ?? [];
  return prefix === PREFIXES[kind] ? { grantId, hash: hashSecret(secret) } : null;
}

/** Parses a presented refresh token. */
export function parseRefreshToken(value: string): PresentedRefreshToken | null {
  const [, grantId, secret = '', family = ''] = REFRESH_TOKEN.exec(value) ?? [];
  if (grantId === undefined) return null;
  return { grantId, hash: hashSecret(secret), family, familyHash: hashSecret(family) };
}

/** Whether a text has the prefix of all tokens of this package. */
export function hasOwnTokenPrefix(value: string): boolean {
  return value.startsWith('eas_');
}

/** Compares in constant time; texts of different length fail at once, which reveals nothing about hashes. */
export function equalText(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

/** An HMAC-SHA-256 of a text, which only the holder of the key can make. */
export function tagOf(text: string, key: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}
