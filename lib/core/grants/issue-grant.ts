import { createGrantId } from '../../shared/crypto/secrets.js';
import type { ClientStore } from '../clients/client-store.js';
import { refuseUnapproved } from '../clients/status/pending-client.js';
import { type Grant, grantEventData } from './grant.js';
import type { GrantStore } from './grant-store.js';
import type { TokenIssuer, TokenResponse } from './tokens/token-issuer.js';
import type { IssueContext, TokenSpec } from './tokens/token-plan.js';

export interface GrantIssueDependencies {
  readonly clients: Pick<ClientStore, 'find' | 'prolong'>;
  readonly grants: GrantStore;
  readonly issuer: TokenIssuer;
}

/** Issues the first tokens of a grant, stores the grant in one command unless it is stateless, returns the response. */
export async function issueGrant(
  { clients, grants, issuer }: GrantIssueDependencies,
  context: IssueContext,
  spec: Omit<TokenSpec, 'grantId'>,
): Promise<TokenResponse> {
  const { client, now, emit } = context;
  const { grantType, authorization } = spec;
  refuseUnapproved(client, authorization.userId);
  const grantId = createGrantId();
  const { write, response, scopes, isStateless } = await issuer.generate(context, { grantId, ...spec });
  await clients.prolong(client, now);
  const grant: Grant = {
    grantId,
    clientId: client.clientId,
    grantType,
    authorization,
    accessTokens: [write.accessToken],
    refreshToken: write.refreshToken,
    createdAt: write.now,
    expiresAt: write.expiresAt,
  };
  if (!isStateless) await grants.insert(grant);
  emit('token.issued', { ...grantEventData(grant), scopes, grantType });
  return response;
}
