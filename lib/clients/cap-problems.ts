import type { ClientMetadata } from './client.js';
import type { ClientProblem } from './client-problem.js';

/** A cap is a whole number of at least 1: to give a client nothing, block it. */
export function capProblems(field: 'tokensPerHour' | 'maxGrants') {
  return (client: ClientMetadata): ClientProblem[] => {
    const value = client[field];
    if (value === undefined || (Number.isSafeInteger(value) && value > 0)) return [];
    return [
      { field, problem: `The cap ${field} is a whole number from 1 on; block a client to give it none.` },
    ];
  };
}
