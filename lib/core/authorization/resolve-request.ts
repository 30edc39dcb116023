import type { Form } from '../../shared/protocol/parameters.js';
import type { AuthorizationRequest, RefusedRequest, RequestRules } from './authorization-request.js';
import { REQUEST_CHECKS } from './checks.js';
import { findSource } from './sources/index.js';
import type { RequestReference } from './sources/request-source.js';

/**
 * Resolves the request that is named: reads it from its source, then runs each check.
 *
 * @throws OAuthError which must be shown to the person, never sent anywhere (RFC 6749 §4.1.2.1)
 */
export async function resolveRequest(
  name: Form,
  rules: RequestRules,
  now: Date,
): Promise<AuthorizationRequest | RefusedRequest> {
  return checkRequest(await findSource(rules.sources, name).read(name, now, rules), rules);
}

/**
 * Runs the checks in their order.
 *
 * @throws OAuthError which must be shown to the person, never sent anywhere (RFC 6749 §4.1.2.1)
 */
export async function checkRequest(
  reference: RequestReference,
  rules: RequestRules,
): Promise<AuthorizationRequest | RefusedRequest> {
  const { parameters } = reference;
  // one object that grows: a new one for each check took 10 of 1,600 µs of CPU
  const found: Partial<AuthorizationRequest> = { reference };
  for (const { refusedBy, check } of REQUEST_CHECKS) {
    try {
      const added = check(parameters, found, rules);
      Object.assign(found, added instanceof Promise ? await added : added);
    } catch (refusal) {
      if (refusedBy === 'page') throw refusal;
      return { ...(found as AuthorizationRequest), refusal };
    }
  }
  return found as AuthorizationRequest;
}
