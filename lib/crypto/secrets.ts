import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** RFC 6749 §10.10: the chance of a guess MUST be at most 2^-128 and SHOULD be at most 2^-160; these have 256 bits. */
const SECRET_BYTES = 32;
const SECRET_LENGTH = 43;
const GRANT_ID_BYTES = 16;
const GRANT_ID_LENGTH = 22;

/** What a token says it is, in front: people, secret scanners and support read it. */
const PREFIXES = {
  authorizationCode: 'eas_ac_',
  accessToken: 'eas_at_',
  refreshToken: 'eas_rt_',
  initialAccessToken: 'eas_it_',
  deviceCode: 'eas_dc_',
} as const;
export type TokenKind = keyof typeof PREFIXES;

const BODY = new RegExp(`^[A-Za-z0-9_-]{${GRANT_ID_LENGTH + SECRET_LENGTH}}$`);

/** A token as it goes to the client, and the hash that is stored of it. */
export interface NewToken {
  readonly value: string;
  readonly hash: string;
}

/** A token as a client presents it: the grant to look in, and the hash to look for. */
export interface PresentedToken {
  readonly grantId: string;
  readonly hash: string;
}

export function createSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

export function createGrantId(): string {
  return randomBytes(GRANT_ID_BYTES).toString('base64url');
}

/** SHA-256 is enough for a secret of 256 random bits; what a person chose gets bcrypt (client-secrets.ts). */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

export function createToken(kind: TokenKind, grantId: string): NewToken {
  const secret = createSecret();
  return { value: `${PREFIXES[kind]}${grantId}${secret}`, hash: hashSecret(secret) };
}

/** A presented value taken apart, or null where it cannot be a token of this kind. */
export function parseToken(kind: TokenKind, value: string): PresentedToken | null {
  const prefix = PREFIXES[kind];
  if (!value.startsWith(prefix)) return null;
  const body = value.slice(prefix.length);
  if (!BODY.test(body)) return null;
  return { grantId: body.slice(0, GRANT_ID_LENGTH), hash: hashSecret(body.slice(GRANT_ID_LENGTH)) };
}

/** Compares in constant time; texts of different length differ at once, which tells an attacker nothing of hashes. */
export function equalText(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
