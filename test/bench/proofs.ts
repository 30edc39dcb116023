import { createHash, randomUUID } from 'node:crypto';

import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

/** Proofs of one key, of the client under load (RFC 9449 §4). */
export function createProver() {
  let key: ReturnType<typeof makeKey> | undefined;
  return {
    async prove(method: 'GET' | 'POST', url: string, accessToken?: string) {
      const { privateKey, jwk } = await (key ??= makeKey());
      return sign(
        { privateKey, jwk },
        { htm: method, htu: url, ...(accessToken && { ath: hashOf(accessToken) }) },
      );
    },
  };
}

async function makeKey() {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  return { privateKey, jwk: await exportJWK(publicKey) };
}

function sign(
  { privateKey, jwk }: { readonly privateKey: Parameters<SignJWT['sign']>[0]; readonly jwk: JWK },
  claims: Readonly<Record<string, string>>,
): Promise<string> {
  return new SignJWT({ jti: randomUUID(), ...claims })
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk })
    .setIssuedAt()
    .sign(privateKey);
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url');
