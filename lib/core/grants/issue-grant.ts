import { createGrantId } from '../../shared/crypto/secrets.js';
import type { Client } from '../clients/client.js';
import type { ClientStore } from '../clients/client-store.js';
import { refuseUnapproved } from '../clients/status/pending-client.js';
import type { Emit } from '../observability/events.js';
import type { Proof } from '../proof-of-possession/binding.js';
import { type Authorization, createGrant, factsOf } from './grant.js';
import type { GrantStore } from './grant-store.js';
import type { TokenIssuer, TokenResponse } from './tokens/token-issuer.js';

export interface GrantIssue {
  readonly client: Client;
  readonly grantType: string;
  readonly authorization: Authorization;
  readonly withRefreshToken: boolean;
  /** Whether the access token is all it gives. Then it is not stored if its resource is `stateless`. */
  readonly isTokenAll?: boolean;
  readonly proof?: Proof | undefined;
  readonly now: Date;
  readonly emit: Emit;
}

export interface GrantIssueDependencies {
  readonly clients: Pick<ClientStore, 'find' | 'keep'>;
  readonly grants: Pick<GrantStore, 'insert'>;
  readonly issuer: TokenIssuer;
}

/** Stores a grant that begins with its tokens, in one command if there is anything to store, and gives the response. */
export async function issueGrant(
  { clients, grants, issuer }: GrantIssueDependencies,
  { client, grantType, authorization, withRefreshToken, isTokenAll = false, proof, now, emit }: GrantIssue,
): Promise<TokenResponse> {
  refuseUnapproved(client, authorization.userId);
  const grantId = createGrantId();
  const { write, response, scopes, isStateless } = await issuer.prepare({
    grantId,
    client,
    grantType,
    authorization,
    resources: authorization.resources,
    withRefreshToken,
    isTokenAll,
    proof,
    now,
  });
  await clients.keep(client, now);
  const grant = createGrant({
    grantId,
    clientId: client.clientId,
    grantType,
    authorization,
    accessTokens: [write.accessToken],
    ...(write.refreshToken && { refreshToken: write.refreshToken }),
    now: write.now,
    expiresAt: write.expiresAt,
  });
  if (!isStateless) await grants.insert(grant);
  emit('token.issued', { ...factsOf(grant), scopes, grantType });
  return response;
}
