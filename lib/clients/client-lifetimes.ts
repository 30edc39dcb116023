import type { Client, ClientMetadata } from './client.js';
import type { ClientProblem } from './client-problem.js';

/** Ten years in seconds: more is a mistake in the unit. */
const MAX_TTL = 315_360_000;

/** Lifetimes of a client's own are whole seconds, as those of the server. */
export function lifetimeProblems(field: 'accessTokenTtl' | 'refreshTokenTtl') {
  return (client: ClientMetadata): ClientProblem[] => {
    const value = client[field];
    if (value === undefined || (Number.isInteger(value) && value > 0 && value <= MAX_TTL)) return [];
    return [{ field, problem: `The lifetime ${field} is a whole number of seconds from 1 to ${MAX_TTL}.` }];
  };
}

/** Seconds that its tokens are valid: its own, or those of the server, and no more than those of its host may be. */
export function lifetimeOf(
  { document, ...client }: Pick<Client, 'accessTokenTtl' | 'refreshTokenTtl' | 'document'>,
  field: 'accessTokenTtl' | 'refreshTokenTtl',
  usual: number,
): number {
  return Math.min(client[field] ?? usual, document?.caps?.[field] ?? Infinity);
}
