import { JWTClaimValidationFailed, JWTExpired } from 'jose/errors';

export function addSeconds(date: Date, seconds: number): Date {
  return new Date(date.getTime() + seconds * 1000);
}

/** Seconds by which another clock may differ, unless the site sets the option. */
export const CLOCK_TOLERANCE = 30;

/** The maximum of FAPI 2.0 Security Profile §5.3.2.1-13. */
export const MAX_CLOCK_TOLERANCE = 60;

/** The present time, and the tolerance for another clock. */
export interface PresentTime {
  readonly now: Date;
  readonly clockTolerance: number;
}

/** How far another server's time lies from the present, for the detail of a refusal. */
export function clockDetail(claim: string, seconds: number, { now, clockTolerance }: PresentTime): string {
  const ahead = Math.round(seconds - now.getTime() / 1000);
  const place = ahead > 0 ? `${ahead} seconds ahead of` : `${-ahead} seconds behind`;
  return `${claim} is ${place} the clock of this server, which tolerates ${clockTolerance} (clockTolerance)`;
}

/** The same for an error of jose; undefined if the error has nothing to do with a clock. */
export function clockDetailOf(error: unknown, present: PresentTime): string | undefined {
  if (!(error instanceof JWTExpired || error instanceof JWTClaimValidationFailed)) return undefined;
  const { claim, payload } = error;
  const seconds = payload[claim];
  if (!['exp', 'nbf', 'iat'].includes(claim) || typeof seconds !== 'number') return undefined;
  return clockDetail(claim, seconds, present);
}

/**
 * Finds an `exp` that lies further ahead than `maxTtl` seconds, or an `iat` in the future (RFC 7523 §3). jose has
 * already checked that `exp` has not passed and `nbf` has.
 */
export function findWrongTime(
  { exp = 0, iat = 0 }: { readonly exp?: number | undefined; readonly iat?: number | undefined },
  maxTtl: number,
  present: PresentTime,
): { readonly claim: 'exp' | 'iat'; readonly detail: string } | undefined {
  const latest = present.now.getTime() / 1000 + present.clockTolerance;
  if (exp > latest + maxTtl) return { claim: 'exp', detail: clockDetail('exp', exp, present) };
  if (iat > latest) return { claim: 'iat', detail: clockDetail('iat', iat, present) };
  return undefined;
}
