import type { NamedTokenKind } from '../../core/grants/named-token.js';
import { addSeconds } from '../../shared/date.js';
import type { PersonalAccessTokenSettings } from './options.js';
import { NO_EXPIRY } from './token-info.js';

/** When somebody wants a token to end. */
export interface DesiredExpiry {
  readonly expiresIn?: number | undefined;
  /** Null: never. */
  readonly expiresAt?: Date | null | undefined;
}

/** Why a token cannot end then. */
export type ExpiryProblem = 'past' | 'late' | 'never' | 'both';

/** Seconds that a form offers at most to a token with an end. A date further away is one that nobody renews. */
export function longestOf({
  kind,
  options: { maxTtl },
}: Pick<Parameters<typeof findExpiry>[1], 'kind' | 'options'>): number {
  return kind === 'service' ? 5 * 365 * 86_400 : maxTtl;
}

/**
 * When a token ends. A personal one ends within `maxTtl`; a service token lives as long as its owners want.
 */
export function findExpiry(
  desired: DesiredExpiry,
  rules: {
    readonly kind: NamedTokenKind;
    readonly options: PersonalAccessTokenSettings;
    readonly now: Date;
  },
): Date | ExpiryProblem {
  const { expiresIn, expiresAt } = desired;
  if (expiresIn !== undefined && expiresAt !== undefined) return 'both';
  const { kind, options, now } = rules;
  const mayBeEndless = kind === 'service' || options.allowNoExpiry;
  if (expiresAt === null) return mayBeEndless ? NO_EXPIRY : 'never';
  if (expiresAt !== undefined) return bounded(expiresAt, rules);
  if (expiresIn === undefined && kind === 'service') return NO_EXPIRY;
  return bounded(addSeconds(now, expiresIn ?? options.ttl), rules);
}

function bounded(
  end: Date,
  { kind, options: { maxTtl }, now }: Parameters<typeof findExpiry>[1],
): Date | ExpiryProblem {
  // too late for a date at all, too
  if (!(end < NO_EXPIRY)) return 'late';
  if (end <= now) return 'past';
  return kind === 'personal' && end > addSeconds(now, maxTtl) ? 'late' : end;
}
