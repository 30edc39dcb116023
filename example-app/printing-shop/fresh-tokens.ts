import * as client from 'openid-client';

import type { PhotoSiteClient, Tokens } from './photo-site-client.js';

/** A token that expires within this time is refreshed before its use. */
const MARGIN = 10_000;
/** Milliseconds that the result of a refresh is shared with requests that still have the old token. */
const KEEP = 10_000;

/** The result of work with tokens, and the tokens that are valid now. */
export interface Used<T> {
  readonly tokens: Tokens;
  readonly result: T;
}

/** Runs work with valid tokens: refreshes them before it, or after a refusal by the photo site. */
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

/** Whether the photo site no longer accepts the access token or the refresh token. */
export function isRefusal(error: unknown): boolean {
  if (error instanceof client.ResponseBodyError) return error.error === 'invalid_grant';
  return error instanceof client.WWWAuthenticateChallengeError && error.status === 401;
}

/**
 * Uses each refresh token only once: the photo site would treat a second use as a theft, and end all of the visitor's
 * tokens. Two tabs of one visitor therefore share the result.
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
