import { narrowDetails } from '../../core/authorization-details/compare-details.js';
import { readDetails } from '../../core/authorization-details/read-details.js';
import type { Client } from '../../core/clients/client.js';
import type { GrantTypeDependencies, TokenContext } from '../../core/grant-types/grant-type.js';
import { type AssertionClaims, findAssertedUser } from '../../core/grants/asserted-user.js';
import type { Authorization } from '../../core/grants/grant.js';
import { OAuthError } from '../../shared/errors.js';
import { type ActorClaim, parseActor } from '../../shared/protocol/actor.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import { isSameResource, requireResource, scopesAt } from '../../shared/protocol/resource.js';
import { isSubset, parseScope } from '../../shared/protocol/scope.js';
import { invalidAssertion } from './assertion.js';
import type { TrustSettings, UserTrustSettings } from './options.js';
import { notTrusted } from './trust.js';

type GrantedBy = (
  entry: TrustSettings,
  claims: AssertionClaims,
  request: TokenContext,
) => Promise<Authorization>;

/**
 * What an assertion grants: to whom, by whom, and of what it names only what this server, the entry and the client have
 * too. A request can ask for less, never for more.
 *
 * @see ID-JAG §4.4.1, RFC 7521 §4.1
 */
export function createGrantedBy({ settings, resolveScopes }: GrantTypeDependencies): GrantedBy {
  const scopesFor = (
    entry: TrustSettings,
    { scope: claim }: AssertionClaims,
    { client, parameters: { scope } }: TokenContext,
    authorizationDetails: readonly AuthorizationDetail[],
  ): readonly string[] => {
    const has = (name: string) => client.scopes.includes(name) && Object.hasOwn(settings.scopes, name);
    const allowed = (entry.scopes ?? client.scopes).filter(has);
    // what it is for is in its entry: the default scopes are those of users' clients
    if (entry.kind === 'workload' && scope === undefined) return allowed;
    if (entry.kind === 'workload' || claim === undefined)
      return resolveScopes({ ...client, scopes: allowed }, scope, authorizationDetails);
    return scopesOf(claim, scope, (name) => allowed.includes(name));
  };

  return async (entry, claims, request) => {
    const { client } = request;
    const resources = resourcesFor(claims, request, settings);
    requireResource(resources, settings);
    const authorizationDetails = await detailsFor(entry, claims, request, settings);
    const scopes = scopesFor(entry, claims, request, authorizationDetails);
    const who = entry.kind === 'workload' ? {} : { userId: await findUserId(entry, claims, client.clientId) };
    return {
      ...who,
      scopes: scopesAt(scopes, resources, settings.resources),
      resources,
      authorizationDetails,
      ...actorIn(entry, claims),
      ...mayActIn(entry, claims, client),
    };
  };
}

/** ID-JAG §4.4.1: those of the assertion, as far as there are such here; the request can name fewer. */
function resourcesFor(
  { resource }: AssertionClaims,
  { resources: requested }: TokenContext,
  { resources: known }: GrantTypeDependencies['settings'],
): readonly string[] {
  if (resource === undefined || known.size === 0) return requested;
  const named = [resource].flat().filter((value) => typeof value === 'string');
  const granted = [...known.keys()].filter((each) => named.some((value) => isSameResource(each, value)));
  if (granted.length === 0 || !isSubset(requested, granted))
    throw new OAuthError('invalid_target', 'the assertion is not for this resource', {
      reason: 'resource_not_granted',
    });
  return requested.length > 0 ? requested : granted;
}

/** Of the scopes of an assertion, those that can be given; of these, the ones that are asked for. */
function scopesOf(
  claim: unknown,
  requested: string | undefined,
  isAllowed: (scope: string) => boolean,
): readonly string[] {
  if (typeof claim !== 'string') throw invalidAssertion('scope is no text');
  const granted = claim.split(' ').filter((scope) => scope !== '' && isAllowed(scope));
  const scopes = requested === undefined ? granted : parseScope(requested);
  if (scopes.length > 0 && isSubset(scopes, granted)) return scopes;
  throw new OAuthError('invalid_scope', 'the scope exceeds what the assertion grants', {
    reason: 'scope_not_granted',
  });
}

/** RFC 9396 §5: of an assertion about a user, as those of a request; a program has none of its own. */
async function detailsFor(
  { kind }: TrustSettings,
  { authorization_details: claim }: AssertionClaims,
  { client, authorizationDetails: requested }: TokenContext,
  settings: GrantTypeDependencies['settings'],
): Promise<readonly AuthorizationDetail[]> {
  const isOfUser = kind !== 'workload' && claim !== undefined;
  const granted = isOfUser ? await readDetails(JSON.stringify(claim), client, settings) : undefined;
  return narrowDetails(requested, granted ?? [], settings);
}

/** @throws OAuthError invalid_grant if the issuer's user is nobody here, or nobody any more */
async function findUserId(
  { findUser }: UserTrustSettings,
  claims: AssertionClaims,
  clientId: string,
): Promise<string> {
  const userId = await findAssertedUser(claims, { findUser, clientId, option: 'assertions' });
  if (userId === undefined) throw notTrusted(claims);
  return userId;
}

/** RFC 8693 §4.4: whom the assertion lets act as well, if the client may hand its tokens on to it. */
function mayActIn(
  { kind }: TrustSettings,
  { may_act: claim }: AssertionClaims,
  { mayAct = [] }: Client,
): { readonly mayAct?: readonly string[] } {
  const { sub } = (claim ?? {}) as { readonly sub?: unknown };
  const named = kind === 'workload' ? [] : mayAct.filter((clientId) => clientId === sub);
  return named.length === 0 ? {} : { mayAct: named };
}

/** RFC 8693 §4.1: who acts, in the names of the issuer. A program is named by its subject. */
function actorIn(
  { kind, issuer: iss }: TrustSettings,
  { sub, act }: AssertionClaims,
): { readonly actor?: ActorClaim } {
  if (kind === 'workload') return { actor: readActor({ sub, iss }, 'sub') };
  return act === undefined ? {} : { actor: { iss, ...readActor(act, 'act') } };
}

/** @throws OAuthError invalid_grant if no guard could read it: it would refuse the token */
function readActor(claim: unknown, name: string): ActorClaim {
  const actor = parseActor(claim);
  if (actor !== undefined) return actor;
  const problem = `${name} names nobody, or is too long`;
  throw invalidAssertion(problem, { description: `the assertion is not valid: ${problem}` });
}
