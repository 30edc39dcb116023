import type { ClientMetadata } from './client.js';
import type { ClientProblem } from './validation-error.js';

/** Ten years in seconds: more is a mistake in the unit. */
const MAX_TTL = 315_360_000;

/** A client's own lifetimes are whole seconds, like those of the server. */
export function lifetimeProblems(field: 'accessTokenTtl' | 'refreshTokenTtl') {
  return (client: ClientMetadata): ClientProblem[] => {
    const value = client[field];
    if (value === undefined || (Number.isInteger(value) && value > 0 && value <= MAX_TTL)) return [];
    return [{ field, problem: `The lifetime ${field} is a whole number of seconds from 1 to ${MAX_TTL}.` }];
  };
}
