import { narrowDetails } from '../../core/authorization-details/compare-details.js';
import type { GrantTypeDependencies, TokenContext } from '../../core/grant-types/grant-type.js';
import { findAssertedUser } from '../../core/grants/asserted-user.js';
import { issueGrant } from '../../core/grants/issue-grant.js';
import type { TokenResponse } from '../../core/grants/tokens/token-issuer.js';
import { matchesConfirmation } from '../../core/proof-of-possession/binding.js';
import { addSeconds } from '../../shared/date.js';
import { invalidRequest, OAuthError } from '../../shared/errors.js';
import type { ActorClaim } from '../../shared/protocol/actor.js';
import { isSameResource, requireResource, scopesAt } from '../../shared/protocol/resource.js';
import { isSubset, parseGrantedScope } from '../../shared/protocol/scope.js';
import type { ForeignToken } from './foreign-token.js';
import { invalidSubjectToken } from './live-token.js';
import { resourcesNamed } from './target.js';
import { NOT_HANDED_ON, TOKEN_EXCHANGE } from './token-types.js';

/** Maximum lifetime of an access token in seconds: the site does not learn of a revocation of the exchanged token. */
const ACCESS_TOKEN_TTL = 600;

/**
 * Exchanges an access token of another server for a short-lived token of this server. The new token has its own grant,
 * which the user and the site can end. A revocation at the other server does not reach the new token, so it lives for
 * minutes, and never longer than the subject token.
 *
 * @throws OAuthError invalid_request, invalid_scope or invalid_target (RFC 8693 §2.2.2)
 */
export async function exchangeForeignToken(
  dependencies: GrantTypeDependencies,
  request: TokenContext,
  { entry, token }: ForeignToken,
  checkActors: (act: ActorClaim) => void,
): Promise<TokenResponse> {
  const { settings } = dependencies;
  const { client, now, parameters, proof } = request;
  if (parameters.actor_token !== undefined)
    throw invalidRequest('an actor_token is for subject tokens of this server', 'parameter_unsupported');

  // RFC 8693 §4.4: `may_act` of the other server excludes other actors
  const mayAct = token.extra?.may_act;
  if (mayAct !== undefined) {
    const { sub, iss = settings.issuer } = (mayAct ?? {}) as Readonly<Record<string, unknown>>;
    if (sub !== client.clientId || iss !== settings.issuer)
      throw invalidRequest('the token may not be handed on to this client', 'exchange_not_allowed', {
        detail: 'may_act names another one',
      });
  }
  if (!matchesConfirmation(token.cnf, proof))
    throw invalidSubjectToken('bound to another key', 'key_mismatch');

  const { userId: sub, expiresAt = 0 } = token;
  if (sub === undefined) throw invalidSubjectToken('it is of no user');
  const userId = await findAssertedUser(
    { ...token.extra, iss: entry.issuer, sub, client_id: token.clientId, scope: token.scopes.join(' ') },
    { findUser: entry.findUser, clientId: client.clientId, option: 'tokenExchange.trust' },
  );
  if (userId === undefined) throw invalidSubjectToken(`${sub} of ${entry.issuer} is nobody here`);

  // a token for one resource is exchanged for that resource only, a token for the issuer for any resource
  const audiences = resourcesNamed(request.repeated.audience ?? [], settings);
  let resources: readonly string[] = [...new Set([...request.resources, ...audiences])];
  const { resource } = entry;
  if (resource !== undefined && !isSameResource(resource, settings.issuer)) {
    if (!resources.every((each) => isSameResource(each, resource)))
      throw new OAuthError('invalid_target', 'the subject token is not for this resource', {
        reason: 'resource_not_granted',
      });
    resources = [resource];
  }
  requireResource(resources, settings);

  // RFC 8693 §4.1: the latest actor is the outermost
  const act = token.actor && { iss: entry.issuer, ...token.actor };
  const actor = { sub: client.clientId, act };
  checkActors(actor);

  // RFC 8693 §2.1: the scopes that the token, the entry, the client and this server have in common, or fewer
  const isHere = (name: string) => Object.hasOwn(settings.scopes, name);
  const granted = token.scopes.filter(
    (name) =>
      entry.scopes.includes(name) &&
      client.scopes.includes(name) &&
      isHere(name) &&
      !NOT_HANDED_ON.includes(name),
  );
  const { scope } = parameters;
  const scopes = scope === undefined ? granted : parseGrantedScope(scope, granted, isHere);
  if (scopes.length === 0 || !isSubset(scopes, granted))
    throw new OAuthError('invalid_scope', 'the scope exceeds that of the subject token', {
      reason: 'scope_not_granted',
    });

  return issueGrant(
    dependencies,
    { ...request, resources },
    {
      grantType: TOKEN_EXCHANGE,
      authorization: {
        userId,
        scopes: scopesAt(scopes, resources, settings.resources),
        resources,
        // the other server defines the types of its details
        authorizationDetails: narrowDetails(request.authorizationDetails, [], settings),
        actor,
        endsAt: new Date(Math.min(expiresAt * 1000, addSeconds(now, ACCESS_TOKEN_TTL).getTime())),
      },
      withRefreshToken: false,
    },
  );
}
