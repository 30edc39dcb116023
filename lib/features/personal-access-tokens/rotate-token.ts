import type { Grant, StoredAccessToken } from '../../core/grants/grant.js';
import type { GrantStore } from '../../core/grants/grant-store.js';
import { kindOf, type NamedTokenKind } from '../../core/grants/named-token.js';
import type { Emit } from '../../core/observability/events.js';
import type { PersonalAccessTokenSettings } from '../../settings/features/personal-access-token-options.js';
import { createScannableToken } from '../../shared/crypto/scannable-tokens.js';
import { addSeconds } from '../../shared/date.js';
import { OAuthError } from '../../shared/errors.js';
import { type CreatedPersonalAccessToken, NO_EXPIRY, toTokenInfo } from './token-info.js';

/** When a step happens, and who says that it did. */
export interface Step {
  readonly now: Date;
  readonly emit: Emit;
}

export interface Rotation extends Step {
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
  grants: Pick<GrantStore, 'rotateNamedToken'>,
  grant: Grant,
  {
    overlap,
    expiresAt,
    rotations = grant.namedToken?.rotations ?? 0,
    now,
    emit,
    options,
  }: Rotation & { readonly options: PersonalAccessTokenSettings },
): Promise<CreatedPersonalAccessToken> {
  const { grantId, authorization } = grant;
  const kind = kindOf(grant) === 'service' ? 'service' : 'personal';
  const { value, hash } = createScannableToken(kind, grantId);
  const end = boundedEnd(grant, expiresAt ?? atMax(sameSpan(grant, now), { kind, options, now }));
  const [resource] = authorization.resources;
  const next = { hash, expiresAt: end, ...(resource !== undefined && { resource }) };
  const accessTokens = [...formerOf(grant, addSeconds(now, overlap), now), next];
  const ends = latest(accessTokens);
  const isDone = await grants.rotateNamedToken(
    { grantId, rotations },
    { accessTokens, expiresAt: ends, remindAt: remindAt(end, now), now },
  );
  if (!isDone)
    throw new OAuthError('invalid_request', 'the token was replaced or ended in the meantime', {
      status: 409,
    });
  await emit('token.rotated', dataOf(grant));
  return { ...toTokenInfo({ ...grant, accessTokens, expiresAt: ends, renewedAt: now }), token: value };
}

/** What events say about a token. */
export function dataOf({ grantId, clientId, authorization: { userId, scopes } }: Grant) {
  return { grantId, clientId, scopes, ...(userId !== undefined && { userId }) };
}

/** The value that a program still has; the one before it ends at once. */
function formerOf({ accessTokens }: Grant, until: Date, now: Date): readonly StoredAccessToken[] {
  const current = accessTokens.at(-1);
  if (current === undefined || until <= now) return [];
  return [{ ...current, expiresAt: current.expiresAt < until ? current.expiresAt : until }];
}

/** A token that was made for 30 days is replaced by one for 30 days. */
function sameSpan({ accessTokens, expiresAt, renewedAt, createdAt }: Grant, now: Date): Date {
  const end = accessTokens.at(-1)?.expiresAt ?? expiresAt;
  if (end >= NO_EXPIRY) return NO_EXPIRY;
  return new Date(now.getTime() + end.getTime() - (renewedAt ?? createdAt).getTime());
}

/** The option may have become shorter since the token was made. */
function atMax(
  end: Date,
  {
    kind,
    options: { allowNoExpiry, maxTtl },
    now,
  }: {
    readonly kind: NamedTokenKind;
    readonly options: PersonalAccessTokenSettings;
    readonly now: Date;
  },
): Date {
  if (kind === 'service' || (allowNoExpiry && end >= NO_EXPIRY)) return end;
  const last = addSeconds(now, maxTtl);
  return end < last ? end : last;
}

/** A lifetime that was picked ends the new value as well. */
function boundedEnd({ authorization: { endsAt } }: Grant, expiresAt: Date): Date {
  return endsAt !== undefined && endsAt < expiresAt ? endsAt : expiresAt;
}

function latest(tokens: readonly { readonly expiresAt: Date }[]): Date {
  return new Date(Math.max(...tokens.map(({ expiresAt }) => expiresAt.getTime())));
}

/** Seconds before its end: a week, or a quarter of a life that is shorter than four. */
const REMINDER = 7 * 86_400;

function remindAt(end: Date, now: Date): Date | undefined {
  if (end >= NO_EXPIRY) return undefined;
  const life = (end.getTime() - now.getTime()) / 1000;
  return addSeconds(end, -Math.min(REMINDER, life / 4));
}

export function reminderOf(end: Date, now: Date) {
  const date = remindAt(end, now);
  return date && { remindAt: date };
}
