import type { Grant } from './grant.js';

/** What differs between new grants; the rest is the same for all. */
export interface NewGrant extends Pick<
  Grant,
  'grantId' | 'clientId' | 'grantType' | 'authorization' | 'code' | 'device' | 'refreshToken' | 'expiresAt'
> {
  readonly accessTokens?: Grant['accessTokens'];
  readonly now: Date;
}

/** The only way to make a grant: whatever every grant has to remember is a line here. */
export function createGrant({ now, accessTokens = [], ...grant }: NewGrant): Grant {
  return { ...grant, accessTokens, createdAt: now };
}
