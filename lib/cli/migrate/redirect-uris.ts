import {
  findRedirectUriProblem,
  type RedirectUriProblem,
  type RedirectUriRules,
} from '../../shared/protocol/redirect-uri.js';

export const DECISIONS = ['refuse', 'take', 'leave-out'] as const;
export type RedirectUriDecision = (typeof DECISIONS)[number];

/** What to do with redirect URIs that nobody could register. */
export interface RedirectUriDecisions {
  readonly privateSchemes: RedirectUriDecision;
  readonly httpRedirects: RedirectUriDecision;
  /** For those that cannot be used at all. */
  readonly otherRedirects: Exclude<RedirectUriDecision, 'take'>;
}

/** The redirect URIs of a client that are taken over, and what is to be reported about the others. */
export interface DecidedRedirectUris {
  readonly uris: readonly string[];
  readonly decided: readonly {
    readonly decision: RedirectUriDecision;
    readonly reason: string;
    readonly option: string;
  }[];
}

/** With everything that `take` can allow. */
const WIDEST: RedirectUriRules = { privateSchemes: 'any', allowsInsecureHttp: true };

export function decideRedirectUris(
  uris: readonly string[],
  decisions: RedirectUriDecisions,
): DecidedRedirectUris {
  const looked = uris.map((uri) => ({
    uri,
    // first what nobody can allow
    problem: findRedirectUriProblem(uri, WIDEST) ?? findRedirectUriProblem(uri),
  }));
  return {
    uris: looked.flatMap(({ uri, problem }) =>
      problem === undefined || decisionOn(problem, decisions).decision === 'take' ? [uri] : [],
    ),
    decided: looked.flatMap(({ uri, problem }) => {
      if (problem === undefined) return [];
      const { decision, option } = decisionOn(problem, decisions);
      return [{ decision, option, reason: `its redirect URI ${uri.slice(0, 200)}: ${problem.text}` }];
    }),
  };
}

function decisionOn(
  { reason }: RedirectUriProblem,
  { privateSchemes, httpRedirects, otherRedirects }: RedirectUriDecisions,
): { readonly decision: RedirectUriDecision; readonly option: string } {
  if (reason === 'uriPrivateScheme') return { decision: privateSchemes, option: '--private-schemes' };
  if (reason === 'uriHttp') return { decision: httpRedirects, option: '--http-redirects' };
  return { decision: otherRedirects, option: '--other-redirects' };
}
