import type { OperationContext } from '../../core/clients/registry/update-client.js';
import { type Grant, grantEventData, type StoredAccessToken } from '../../core/grants/grant.js';
import { kindOf } from '../../core/grants/named-token.js';
import { createScannableToken } from '../../shared/crypto/scannable-tokens.js';
import { addSeconds } from '../../shared/date.js';
import { OAuthError } from '../../shared/errors.js';
import type { Grants } from '../../storage/grants/grant-collection.js';
import type { PersonalAccessTokenSettings } from './options.js';
import { type CreatedPersonalAccessToken, NO_EXPIRY, toTokenInfo } from './token-info.js';

export interface Rotation extends OperationContext {
  /** Seconds that the former value stays valid. */
  readonly overlap: number;
  /** Default: as long from now as it was from its last making. */
  readonly expiresAt?: Date | undefined;
  /** How often it was replaced when the caller looked at it. Default: as often as now. */
  readonly rotations?: number;
}

/**
 * Gives a token a new value; the former one ends in a while. What is stored is computed from the grant as it was read,
 * and stored only if the token was not replaced since.
 *
 * @throws OAuthError with status 409 if it was
 */
export async function rotateToken(
  grants: Grants,
  grant: Grant,
  { overlap, expiresAt, rotations = grant.namedToken?.rotations ?? 0, now, emit }: Rotation,
  { maxTtl }: PersonalAccessTokenSettings,
): Promise<CreatedPersonalAccessToken> {
  const { grantId, authorization, renewedAt, createdAt } = grant;
  const kind = kindOf(grant) === 'service' ? 'service' : 'personal';
  const current = grant.accessTokens.at(-1);
  const { value, hash } = createScannableToken(kind, grantId);

  // a token that was made for 30 days is replaced by one for 30 days
  const formerEnd = current?.expiresAt ?? grant.expiresAt;
  const span = formerEnd.getTime() - (renewedAt ?? createdAt).getTime();
  let end = formerEnd >= NO_EXPIRY ? NO_EXPIRY : new Date(now.getTime() + span);
  // the option may have become shorter since the token was made
  const last = maxTtl === false ? NO_EXPIRY : addSeconds(now, maxTtl);
  if (kind === 'personal' && end > last) end = last;
  end = expiresAt ?? end;
  // a lifetime that was picked ends the new value as well
  const { endsAt } = authorization;
  if (endsAt !== undefined && endsAt < end) end = endsAt;

  const [resource] = authorization.resources;
  const next: StoredAccessToken = { hash, expiresAt: end, resource };
  // the value that a program still has; the one before it ends at once
  const until = addSeconds(now, overlap);
  const former =
    current === undefined || until <= now
      ? []
      : [{ ...current, expiresAt: current.expiresAt < until ? current.expiresAt : until }];
  const accessTokens = [...former, next];
  const ends = new Date(Math.max(...accessTokens.map((token) => token.expiresAt.getTime())));
  const isDone = await grants.rotateNamedToken(
    { grantId, rotations },
    { accessTokens, expiresAt: ends, remindAt: remindAt(end, now), now },
  );
  if (!isDone)
    throw new OAuthError('invalid_request', 'the token was replaced or ended in the meantime', {
      status: 409,
    });
  await emit('token.rotated', grantEventData(grant));
  return { ...toTokenInfo({ ...grant, accessTokens, expiresAt: ends, renewedAt: now }), token: value };
}

/** Seconds before its end: a week, or a quarter of a life that is shorter than four. */
const REMINDER = 7 * 86_400;

/** When the user of a token is reminded of its end; undefined if it has none. */
export function remindAt(end: Date, now: Date): Date | undefined {
  if (end >= NO_EXPIRY) return undefined;
  const life = (end.getTime() - now.getTime()) / 1000;
  return addSeconds(end, -Math.min(REMINDER, life / 4));
}
