import { createHash } from 'node:crypto';

import type { Request } from 'express';
import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from 'jose';

/** Records the used proofs, with the interface of oidc-provider's model. */
export interface ProofDatabase {
  readonly ReplayDetection: {
    unique(owner: string, jti: string, expiresAt: number): Promise<boolean>;
  };
}

const MAX_AGE = 60;

/** The checks of a proof at an API (RFC 9449 §4.3, §7), if its server has none. */
export async function isProven(
  req: Request,
  boundTo: string | undefined,
  { ReplayDetection }: ProofDatabase,
): Promise<boolean> {
  const { payload, protectedHeader } = await jwtVerify(String(req.headers.dpop), EmbeddedJWK, {
    typ: 'dpop+jwt',
    algorithms: ['ES256'],
    maxTokenAge: MAX_AGE,
  });
  const { htm, htu, ath, jti, iat = 0 } = payload;
  const isForThis =
    htm === req.method &&
    htu === `${req.protocol}://${String(req.headers.host)}${req.path}` &&
    ath === createHash('sha256').update(boundTokenOf(req)).digest('base64url');
  if (!isForThis || jti === undefined || protectedHeader.jwk === undefined) return false;
  const jkt = await calculateJwkThumbprint(protectedHeader.jwk);
  return jkt === boundTo && (await ReplayDetection.unique(jkt, jti, iat + MAX_AGE));
}

export function boundTokenOf(req: Request): string {
  return (req.headers.authorization ?? '').slice('DPoP '.length);
}

/** The same in the memory of this process. */
export function createProofMemory(): ProofDatabase {
  const used = new Map<string, number>();
  return {
    ReplayDetection: {
      unique(owner, jti, expiresAt) {
        const now = Date.now() / 1000;
        for (const [name, until] of used) {
          if (until > now) break;
          used.delete(name);
        }
        const name = `${owner} ${jti}`;
        const isNew = !used.has(name);
        if (isNew) used.set(name, expiresAt);
        return Promise.resolve(isNew);
      },
    },
  };
}
