import type { Client } from '../clients/client.js';
import { createGrantId } from '../crypto/secrets.js';
import type { GrantTypeDependencies } from '../grant-types/grant-type.js';
import type { Emit } from '../observability/events.js';
import type { TokenResponse } from './token-issuer.js';

export interface NewGrant {
  readonly client: Client;
  readonly emit: Emit;
  readonly grantType: string;
  readonly scopes: readonly string[];
  /** What the grant and its first token are for (RFC 8707). */
  readonly resources: readonly string[];
  readonly withRefreshToken: boolean;
  readonly userId?: string;
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** Stores a grant that begins with its tokens, in one command, and gives their response. */
export async function issueGrant(
  { models, issuer }: Pick<GrantTypeDependencies, 'models' | 'issuer'>,
  grant: NewGrant,
): Promise<TokenResponse> {
  const { client, grantType, scopes, resources, withRefreshToken, userId, extra } = grant;
  const grantId = createGrantId();
  const { write, response } = await issuer.prepare({
    grantId,
    client,
    userId,
    grantType,
    scopes,
    grantScopes: scopes,
    withRefreshToken,
    resources,
    grantResources: resources,
  });
  await models.clients.keep(client);
  await models.grants.insert({
    _id: grantId,
    clientId: client.clientId,
    ...(userId !== undefined && { userId }),
    scopes,
    ...(resources.length > 0 && { resources }),
    grantType,
    accessTokens: [write.accessToken],
    ...(write.refreshToken && { refreshToken: write.refreshToken }),
    ...(extra && { extra }),
    createdAt: write.now,
    expiresAt: write.expiresAt,
  });
  grant.emit('token.issued', {
    clientId: client.clientId,
    grantId,
    grantType,
    scopes,
    ...(userId !== undefined && { userId }),
  });
  return response;
}
