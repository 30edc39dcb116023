import { LoginNeeded } from '../../shared/outbound/login-needed.js';
import { type Form, peekParameter } from '../../shared/protocol/parameters.js';
import type {
  AuthorizationRequest,
  RefusedRequest,
  RequestRules,
  WithReference,
} from './authorization-request.js';
import { type Hints, parseHints } from './hints.js';
import { resolveRequest } from './resolve-request.js';
import { querySource } from './sources/query.js';
import { UnreadRequest } from './unread-request.js';

/** A request that can be read only once somebody has logged in; nothing of it is checked yet. */
export type UnreadName = Hints & WithReference;

/**
 * Resolves a request, or only its name if the person has to log in before anything is fetched for it.
 *
 * @throws OAuthError as `resolveRequest`. A silent request is not sent to the login, nor to an address that nobody has
 *   checked (RFC 9700 §4.11.2), so it is answered with a page: login_required (OpenID Connect Core §3.1.2.6)
 */
export async function resolveOrRefer(
  name: Form,
  rules: RequestRules,
  now: Date,
): Promise<AuthorizationRequest | RefusedRequest | UnreadName> {
  const isSilent = isSilentByName(name);
  try {
    return await resolveRequest(name, isSilent ? forSilentRequest(rules) : rules, now);
  } catch (error) {
    if (!(error instanceof LoginNeeded) || isSilent) throw error;
    const reference = error instanceof UnreadRequest ? error.reference : querySource.read(name);
    return { ...parseHints(name), reference };
  }
}

function isSilentByName(name: Form): boolean {
  return peekParameter(name, 'prompt')?.split(' ').includes('none') === true;
}

/** Whoever is logged in, a client that nobody has allowed must not learn of it by what this server fetches. */
function forSilentRequest(rules: RequestRules): RequestRules {
  const { getCaller, findClient } = rules;
  if (getCaller === undefined) return rules;
  const getSilentCaller = () => ({ ...getCaller(), isSilent: true as const });
  return { ...rules, getCaller: getSilentCaller, findClient: (id) => findClient(id, getSilentCaller) };
}
