import { CompactEncrypt, type CompactJWEHeaderParameters, importJWK, type JWK } from 'jose';

import { fetchKeys } from './jwt.js';
import type { Site } from './site.js';

/** The published keys for encrypted requests. */
export async function encryptionKeys(site: Site): Promise<JWK[]> {
  return ((await fetchKeys(site)) as JWK[]).filter(({ use }) => use === 'enc');
}

export interface EncryptOptions extends Partial<CompactJWEHeaderParameters> {
  /** Default: the published one for the alg. */
  readonly jwk?: JWK;
}

/** Encrypted to the site as RFC 9101 §6.1 says, except for the changes in the options. */
export async function encryptTo(
  site: Site,
  text: string,
  { jwk, alg = 'ECDH-ES', enc = 'A128CBC-HS256', ...more }: EncryptOptions = {},
): Promise<string> {
  const kty = alg.startsWith('RSA') ? 'RSA' : 'EC';
  const key = jwk ?? (await encryptionKeys(site)).find((each) => each.kty === kty)!;
  const header = { alg, enc, kid: key.kid!, cty: 'JWT', ...more };
  return new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader(
      Object.fromEntries(Object.entries(header).filter(([, value]) => value !== undefined)) as never,
    )
    .encrypt(await importJWK(key, alg));
}

/** With other members in the header, as if written manually. */
export function withHeader(jwe: string, more: object): string {
  const [header = '', ...rest] = jwe.split('.');
  const members = { ...(JSON.parse(Buffer.from(header, 'base64url').toString()) as object), ...more };
  return [Buffer.from(JSON.stringify(members)).toString('base64url'), ...rest].join('.');
}
