import type { NamedTokenKind } from '../../core/grants/named-token.js';
import type { PersonalAccessTokenSettings } from '../../settings/features/personal-access-token-options.js';
import { after } from '../../shared/date.js';
import { NO_EXPIRY } from './token-info.js';

/** When somebody wants a token to end. */
export interface WantedExpiry {
  readonly expiresIn?: number | undefined;
  /** Null: never. */
  readonly expiresAt?: Date | null | undefined;
}

/** Why a token cannot end then. */
export type ExpiryProblem = 'past' | 'late' | 'never' | 'both';

/**
 * When a token ends. A personal one ends within `maxTtl`; a service token lives as long as its owners want.
 */
export function findExpiry(
  { expiresIn, expiresAt }: WantedExpiry,
  {
    kind,
    options,
    now,
  }: { readonly kind: NamedTokenKind; readonly options: PersonalAccessTokenSettings; readonly now: Date },
): Date | ExpiryProblem {
  const { ttl, maxTtl, allowNoExpiry } = options;
  const isService = kind === 'service';
  if (expiresIn !== undefined && expiresAt !== undefined) return 'both';
  if (expiresAt === null) return isService || allowNoExpiry ? NO_EXPIRY : 'never';
  if (expiresIn === undefined && expiresAt === undefined) return isService ? NO_EXPIRY : after(now, ttl);
  const end = expiresAt ?? after(now, expiresIn ?? ttl);
  // too late for a date at all, too
  if (!(end < NO_EXPIRY)) return 'late';
  if (end <= now) return 'past';
  return !isService && end > after(now, maxTtl) ? 'late' : end;
}
