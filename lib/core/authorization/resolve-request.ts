import { LoginNeeded } from '../../shared/outbound/limit-untrusted-fetch.js';
import type { Form } from '../../shared/protocol/parameters.js';
import { parseAuthorizationParameters } from './authorization-parameters.js';
import type { ResolveDependencies, ResolvedRequest } from './authorization-request.js';
import { type Hints, parseHints } from './hints.js';
import { isSilent } from './prompt.js';
import { checkRequestParameters } from './request-parameters.js';
import { findSource, querySource, RequestNeedsLogin } from './request-source.js';
import { checkRequestTarget } from './request-target.js';
import type { SerializableRequest } from './serialize-request.js';

/** A request that can be read only once somebody has logged in; nothing of it is checked yet. */
export interface DeferredRequest extends Hints, SerializableRequest {
  readonly kind: 'deferred';
}

/**
 * Resolves a request. If something has to be fetched for it and nobody is logged in, the request is deferred: the code
 * that would fetch throws `LoginNeeded`, and this is the one place that turns it into a value.
 *
 * @throws OAuthError as `resolveRequest`. A silent request is never deferred, and nobody has checked where its response
 *   would go (RFC 9700 §4.11.2): the user sees a page with login_required (OpenID Connect Core §3.1.2.6)
 */
export async function resolveOrDefer(
  query: Form,
  dependencies: ResolveDependencies,
  now: Date,
): Promise<ResolvedRequest | DeferredRequest> {
  const { getCaller, findClient } = dependencies;
  if (isSilent(query) && getCaller !== undefined) {
    // a client must not learn from what this server fetches whether somebody is logged in
    const getSilentCaller = () => ({ ...getCaller(), isSilent: true as const });
    const silent = {
      getCaller: getSilentCaller,
      findClient: (id: string) => findClient(id, getSilentCaller),
    };
    return resolveRequest(query, { ...dependencies, ...silent }, now);
  }
  try {
    return await resolveRequest(query, dependencies, now);
  } catch (error) {
    if (!(error instanceof LoginNeeded)) throw error;
    // the document of the client, or the request at an address of the client
    const unchecked = error instanceof RequestNeedsLogin ? error.unchecked : querySource.read(query);
    return { kind: 'deferred', ...parseHints(query), unchecked };
  }
}

/**
 * Reads a request from its source and parses its parameters once. Then checks where the response may go
 * (`request-target.ts`), and the rest (`request-parameters.ts`).
 *
 * @param query of GET /authorize
 * @throws OAuthError which must be shown to the user, never sent anywhere (RFC 6749 §4.1.2.1)
 */
export async function resolveRequest(
  query: Form,
  dependencies: ResolveDependencies,
  now: Date,
): Promise<ResolvedRequest> {
  const unchecked = await findSource(dependencies.sources, query).read(query, now, dependencies);
  const parsed = parseAuthorizationParameters(unchecked.parameters);
  const target = await checkRequestTarget(unchecked, parsed, dependencies);
  try {
    return { kind: 'valid', ...target, ...(await checkRequestParameters(target, parsed, dependencies)) };
  } catch (error) {
    return { kind: 'refused', ...target, error };
  }
}
