import { narrowDetails } from '../../core/authorization-details/compare-details.js';
import { readDetails } from '../../core/authorization-details/read-details.js';
import type { GrantTypeDependencies, TokenContext } from '../../core/grant-types/grant-type.js';
import { type AssertionClaims, findAssertedUser } from '../../core/grants/asserted-user.js';
import type { Authorization } from '../../core/grants/grant.js';
import { OAuthError } from '../../shared/errors.js';
import { type ActorClaim, parseActor } from '../../shared/protocol/actor.js';
import { isSameResource, requireResource, scopesAt } from '../../shared/protocol/resource.js';
import { isSubset, parseScope } from '../../shared/protocol/scope.js';
import { invalidAssertion } from './assertion.js';
import type { TrustSettings } from './options.js';
import { notTrusted } from './trust.js';

/**
 * The authorization that an assertion grants: its scopes, resources and details, as far as this server, the entry and
 * the client have them too. A request can ask for less, never for more.
 *
 * @throws OAuthError invalid_grant, invalid_scope, invalid_target, invalid_authorization_details
 * @see ID-JAG §4.4.1, RFC 7521 §4.1
 */
export async function authorizeAssertion(
  { settings, resolveScopes }: GrantTypeDependencies,
  request: TokenContext,
  entry: TrustSettings,
  claims: AssertionClaims,
): Promise<Authorization> {
  const { client, parameters } = request;

  // ID-JAG §4.4.1: the resources of the assertion that this server has; the request can select fewer
  let { resources } = request;
  if (claims.resource !== undefined && settings.resources.size > 0) {
    const claimed = [claims.resource].flat().filter((value) => typeof value === 'string');
    const granted = [...settings.resources.keys()].filter((resource) =>
      claimed.some((value) => isSameResource(resource, value)),
    );
    if (granted.length === 0 || !isSubset(resources, granted))
      throw new OAuthError('invalid_target', 'the assertion is not for this resource', {
        reason: 'resource_not_granted',
      });
    if (resources.length === 0) resources = granted;
  }
  requireResource(resources, settings);

  // RFC 9396 §5: the details of an assertion about a user, read as those of a request. A workload has no details.
  const claimedDetails = entry.kind === 'workload' ? undefined : claims.authorization_details;
  const grantedDetails =
    claimedDetails !== undefined && (await readDetails(JSON.stringify(claimedDetails), client, settings));
  const authorizationDetails = narrowDetails(request.authorizationDetails, grantedDetails || [], settings);

  // RFC 7521 §4.1: the scope
  const allowed = (entry.scopes ?? client.scopes).filter(
    (name) => client.scopes.includes(name) && Object.hasOwn(settings.scopes, name),
  );
  let scopes: readonly string[] = allowed;
  if (entry.kind !== 'workload' && claims.scope !== undefined) {
    if (typeof claims.scope !== 'string') throw invalidAssertion('scope is no text');
    const granted = claims.scope.split(' ').filter((scope) => allowed.includes(scope));
    scopes = parameters.scope === undefined ? granted : parseScope(parameters.scope);
    if (scopes.length === 0 || !isSubset(scopes, granted))
      throw new OAuthError('invalid_scope', 'the scope exceeds what the assertion grants', {
        reason: 'scope_not_granted',
      });
    // a workload's scopes come from its entry, because the default scopes are for users' clients
  } else if (entry.kind !== 'workload' || parameters.scope !== undefined)
    scopes = resolveScopes({ ...client, scopes: allowed }, parameters.scope, authorizationDetails);

  const authorization = {
    scopes: scopesAt(scopes, resources, settings.resources),
    resources,
    authorizationDetails,
  };
  // RFC 8693 §4.1: the actor, as the issuer names it. A workload is named by its subject.
  const { sub, act, may_act: mayActClaim } = claims;
  if (entry.kind === 'workload')
    return { ...authorization, actor: readActor({ sub, iss: entry.issuer }, 'sub') };

  const userId = await findAssertedUser(claims, {
    findUser: entry.findUser,
    clientId: client.clientId,
    option: 'assertions',
  });
  if (userId === undefined) throw notTrusted(claims);
  // RFC 8693 §4.4: the `may_act` of the assertion, if it names one of the client's `mayAct`
  const allowedToAct = (mayActClaim as { readonly sub?: unknown } | null | undefined)?.sub;
  const mayAct = client.mayAct?.filter((clientId) => clientId === allowedToAct) ?? [];
  return {
    ...authorization,
    userId,
    actor: act === undefined ? undefined : { iss: entry.issuer, ...readActor(act, 'act') },
    mayAct: mayAct.length > 0 ? mayAct : undefined,
  };
}

/** @throws OAuthError invalid_grant if the guard could not read the claim, and would refuse the token */
function readActor(claim: unknown, name: string): ActorClaim {
  const actor = parseActor(claim);
  if (actor !== undefined) return actor;
  const problem = `${name} names nobody, or is too long`;
  throw invalidAssertion(problem, { description: `the assertion is not valid: ${problem}` });
}
