import { JWTClaimValidationFailed, JWTExpired } from 'jose/errors';

/** Seconds that somebody else's clock and ours may be apart, unless the host says otherwise. */
export const CLOCK_TOLERANCE = 30;

/** The most that FAPI 2.0 Security Profile §5.3.2.1-13 lets a server take. */
export const MAX_CLOCK_TOLERANCE = 60;

/** How far a moment that somebody else has written down lies from ours, for the detail of a refusal. */
export function clockDetail(
  claim: string,
  seconds: number,
  { now, clockTolerance }: { readonly now: Date; readonly clockTolerance: number },
): string {
  const ahead = Math.round(seconds - now.getTime() / 1000);
  const place = ahead > 0 ? `${ahead} seconds ahead of` : `${-ahead} seconds behind`;
  return `${claim} is ${place} the clock of this server, which tolerates ${clockTolerance} (clockTolerance)`;
}

/** The same for what jose has refused; undefined if that had nothing to do with a clock. */
export function clockDetailOf(
  error: unknown,
  present: { readonly now: Date; readonly clockTolerance: number },
): string | undefined {
  if (!(error instanceof JWTExpired || error instanceof JWTClaimValidationFailed)) return undefined;
  const { claim, payload } = error;
  const seconds = payload[claim];
  if (!['exp', 'nbf', 'iat'].includes(claim) || typeof seconds !== 'number') return undefined;
  return clockDetail(claim, seconds, present);
}
