import type { Grant } from './grant.js';

/** What the events of a grant say about it. */
export interface GrantFacts {
  readonly clientId: string;
  readonly grantId: string;
  readonly userId?: string;
  readonly scopes: readonly string[];
}

export function factsOf({ grantId, clientId, authorization }: Grant): GrantFacts {
  const { scopes, userId } = authorization;
  return { clientId, grantId, scopes, ...(userId !== undefined && { userId }) };
}
