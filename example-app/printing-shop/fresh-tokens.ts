import * as client from 'openid-client';

import type { PhotoSiteClient, Tokens } from './photo-site-client.js';

/** A token this near its end is refreshed before it is used. */
const MARGIN = 10_000;
/** How long the answer to a refresh is kept for requests that began with the old token. */
const KEEP = 10_000;

/** What a piece of work with tokens gave, and the tokens that are good now. */
export interface Used<T> {
  readonly tokens: Tokens;
  readonly result: T;
}

/** Does work with tokens that are good, refreshing them before or, where the photo site refuses them, meanwhile. */
export type WithFreshTokens = <T>(tokens: Tokens, work: (tokens: Tokens) => Promise<T>) => Promise<Used<T>>;

export function createWithFreshTokens(photoSite: Pick<PhotoSiteClient, 'refresh'>): WithFreshTokens {
  const refresh = shareRefreshes(photoSite);
  return async (given, work) => {
    const isFresh = given.expiresAt - MARGIN > Date.now();
    const tokens = isFresh ? given : await refresh(given);
    try {
      return { tokens, result: await work(tokens) };
    } catch (error) {
      if (!isFresh || !isRefusal(error)) throw error;
      const renewed = await refresh(given);
      return { tokens: renewed, result: await work(renewed) };
    }
  };
}

/** Whether the photo site does not accept the token, or what would have renewed it, any more. */
export function isRefusal(error: unknown): boolean {
  if (error instanceof client.ResponseBodyError) return error.error === 'invalid_grant';
  return error instanceof client.WWWAuthenticateChallengeError && error.status === 401;
}

/**
 * Refreshes once for each refresh token: to the photo site a second use of one would look like a theft, and end
 * all tokens of the visitor. Two tabs of one visitor therefore share the answer.
 */
function shareRefreshes(photoSite: Pick<PhotoSiteClient, 'refresh'>): (tokens: Tokens) => Promise<Tokens> {
  const refreshes = new Map<string, Promise<Tokens>>();
  return (tokens) => {
    const key = tokens.refreshToken ?? '';
    const running = refreshes.get(key);
    if (running !== undefined) return running;
    const refresh = photoSite.refresh(tokens);
    refreshes.set(key, refresh);
    const forget = () => setTimeout(() => refreshes.delete(key), KEEP).unref();
    refresh.then(forget, () => refreshes.delete(key));
    return refresh;
  };
}
