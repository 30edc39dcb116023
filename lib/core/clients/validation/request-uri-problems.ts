import type { ClientMetadata } from '../client.js';
import type { ClientProblem } from '../validation-error.js';
import { isHttpsUrl } from './https-url.js';

/** RFC 9101 §5.2 */
const MAX_LENGTH = 512;
const MAX = 20;

/**
 * What is wrong with the addresses of the request objects of a client (RFC 9101 §5.2, OpenID Connect Registration §2).
 */
export function requestUriProblems({ requestUris = [] }: ClientMetadata): ClientProblem[] {
  const problem = (text: string): ClientProblem[] => [{ field: 'requestUris', problem: text }];
  if (requestUris.length > MAX) return problem(`There can be ${MAX} request URIs at most.`);
  const wrong = requestUris.find((uri) => uri.length > MAX_LENGTH || !isHttpsUrl(uri));
  return wrong === undefined
    ? []
    : problem(
        `${wrong.slice(0, 80)} is no https: URL of ${MAX_LENGTH} ASCII characters at most, without a user.`,
      );
}
