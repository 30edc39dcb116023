import type { Settings } from '../../../settings/settings.js';
import { addSeconds } from '../../../shared/date.js';
import { OAuthError } from '../../../shared/errors.js';
import { lifetimeOf } from '../../clients/client-lifetimes.js';
import type { IssuePlan } from './token-context.js';

/**
 * The lifetime of an access token, in seconds: it ends with the access.
 *
 * @throws OAuthError invalid_grant if the lifetime that the person has picked is over
 */
export function accessTokenLife(ttl: number, { authorization: { endsAt }, now }: IssuePlan): number {
  if (endsAt === undefined) return ttl;
  const left = Math.floor((endsAt.getTime() - now.getTime()) / 1000);
  if (left > 0) return Math.min(ttl, left);
  throw new OAuthError('invalid_grant', 'the access has ended', { reason: 'access_ended' });
}

/**
 * When a refresh token ends: unused for its lifetime, at the absolute end of refreshing, or at the end that the person
 * has picked, whichever is first.
 */
export function refreshTokenEnd(
  { refreshTokenTtl, refreshTokenMaxTtl }: Pick<Settings, 'refreshTokenTtl' | 'refreshTokenMaxTtl'>,
  { client, authorizedAt, authorization }: IssuePlan,
  now: Date,
): Date {
  const ends = [
    addSeconds(now, lifetimeOf(client, 'refreshTokenTtl', refreshTokenTtl)),
    refreshTokenMaxTtl === undefined ? undefined : addSeconds(authorizedAt ?? now, refreshTokenMaxTtl),
    authorization.endsAt,
  ].filter((end) => end !== undefined);
  return new Date(Math.min(...ends.map((end) => end.getTime())));
}
