import { findRedirectUriProblem, type RedirectUriRules } from '../../shared/protocol/redirect-uri.js';

export const DECISIONS = ['refuse', 'take', 'leave-out'] as const;
export type RedirectUriDecision = (typeof DECISIONS)[number];

/** The decisions about redirect URIs that cannot be registered. */
export interface RedirectUriDecisions {
  readonly privateSchemes: RedirectUriDecision;
  readonly httpRedirects: RedirectUriDecision;
  /** For URIs that cannot be used at all. */
  readonly otherRedirects: Exclude<RedirectUriDecision, 'take'>;
}

/** The rules that `take` can allow. */
const WIDEST: RedirectUriRules = { privateSchemes: 'any', allowsInsecureHttp: true };

/** The redirect URIs of a client that are taken over, and reports about the others. */
export function decideRedirectUris(
  all: readonly string[],
  { privateSchemes, httpRedirects, otherRedirects }: RedirectUriDecisions,
) {
  const uris: string[] = [];
  const decided: { decision: RedirectUriDecision; reason: string; option: string }[] = [];
  for (const uri of all) {
    // first the problems that no decision can allow
    const problem = findRedirectUriProblem(uri, WIDEST) ?? findRedirectUriProblem(uri);
    let [decision, option]: [RedirectUriDecision, string] = [otherRedirects, '--other-redirects'];
    if (problem?.reason === 'uriPrivateScheme') [decision, option] = [privateSchemes, '--private-schemes'];
    if (problem?.reason === 'uriHttp') [decision, option] = [httpRedirects, '--http-redirects'];
    if (problem === undefined || decision === 'take') uris.push(uri);
    if (problem !== undefined)
      decided.push({ decision, option, reason: `its redirect URI ${uri.slice(0, 200)}: ${problem.text}` });
  }
  return { uris, decided };
}
