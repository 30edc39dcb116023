import type { UsedProofs } from '../../core/proof-of-possession/dpop-proof.js';
import { hashSecret } from '../../shared/crypto/secrets.js';
import { openCollection } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import { defineCollection, requiredType } from '../connection/model.js';

/** The id of a DPoP proof that was used, kept while the proof could be used again. */
export interface UsedProof {
  /** A hash of key and `jti`, so that its size is bounded. */
  readonly _id: string;
  readonly expiresAt: Date;
}

export const USED_PROOFS = defineCollection<UsedProof>({
  model: 'AuthorizationServerUsedProof',
  name: 'oauth_used_proofs',
  fields: () => ({ _id: requiredType(String), expiresAt: requiredType(Date) }),
  ttl: 'expiresAt',
});

/** If two processes insert at once, only one succeeds. */
export function createUsedProofStore(database: Database): UsedProofs {
  const used = openCollection(database, USED_PROOFS);
  return {
    use: (jkt, jti, expiresAt) => used.insert({ _id: hashSecret(JSON.stringify([jkt, jti])), expiresAt }),
  };
}
