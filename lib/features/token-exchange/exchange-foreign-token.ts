import { narrowDetails } from '../../core/authorization-details/compare-details.js';
import type { Client } from '../../core/clients/client.js';
import type { GrantTypeDependencies, TokenContext } from '../../core/grant-types/grant-type.js';
import { findAssertedUser } from '../../core/grants/asserted-user.js';
import { issueGrant } from '../../core/grants/issue-grant.js';
import type { TokenResponse } from '../../core/grants/tokens/token-issuer.js';
import { matchesConfirmation } from '../../core/proof-of-possession/confirmation.js';
import type { Settings } from '../../settings/settings.js';
import { addSeconds } from '../../shared/date.js';
import { OAuthError } from '../../shared/errors.js';
import type { ActorClaim } from '../../shared/protocol/actor.js';
import { isSameResource, requireResource, scopesAt } from '../../shared/protocol/resource.js';
import { isSubset, parseGrantedScope } from '../../shared/protocol/scope.js';
import type { ForeignToken } from './foreign-token.js';
import { invalidSubjectToken } from './live-token.js';
import { NOT_HANDED_ON } from './not-handed-on.js';
import { resourcesNamed } from './target.js';
import { TOKEN_EXCHANGE } from './token-types.js';

/**
 * Exchanges an access token of another server for a short-lived one of this server. The new token has a grant of its
 * own, which the user and the site can end. A revocation at the other server does not reach it, so it lives for
 * minutes, and never longer than the subject token.
 *
 * @throws OAuthError invalid_request, invalid_scope or invalid_target (RFC 8693 §2.2.2)
 */
export async function exchangeForeignToken(
  dependencies: GrantTypeDependencies,
  request: TokenContext,
  {
    subject,
    checkActors,
  }: { readonly subject: ForeignToken; readonly checkActors: (act: ActorClaim) => void },
): Promise<TokenResponse> {
  const { settings } = dependencies;
  const { client, now, parameters, proof } = request;
  const { entry, token } = subject;
  if (parameters.actor_token !== undefined)
    throw new OAuthError('invalid_request', 'an actor_token is for subject tokens of this server', {
      reason: 'parameter_unsupported',
    });
  checkMayAct(subject, client, settings);
  if (!matchesConfirmation(token.cnf, proof))
    throw invalidSubjectToken('bound to another key', 'key_mismatch');
  const userId = await findUserId(subject, client);
  const resources = resourcesFor(subject, request, settings);
  requireResource(resources, settings);
  const act = { sub: client.clientId, ...(token.actor && { act: { iss: entry.issuer, ...token.actor } }) };
  checkActors(act);
  const scopes = scopesFor(subject, request, settings);
  const latest = addSeconds(now, entry.accessTokenTtl);
  const ofToken = new Date((token.expiresAt ?? 0) * 1000);
  return issueGrant(
    dependencies,
    { ...request, resources },
    {
      grantType: TOKEN_EXCHANGE,
      authorization: {
        userId,
        scopes: scopesAt(scopes, resources, settings.resources),
        resources,
        // their types mean what the other server says they mean
        authorizationDetails: narrowDetails(request.authorizationDetails, [], settings),
        actor: act,
        endsAt: ofToken < latest ? ofToken : latest,
      },
      withRefreshToken: false,
    },
  );
}

/** RFC 8693 §4.4: if the other server says who may act, it is nobody else. */
function checkMayAct({ token }: ForeignToken, { clientId }: Client, { issuer }: Settings): void {
  const claim = token.extra?.may_act;
  if (claim === undefined) return;
  const { sub, iss = issuer } = (claim ?? {}) as { readonly sub?: unknown; readonly iss?: unknown };
  if (sub === clientId && iss === issuer) return;
  throw new OAuthError('invalid_request', 'the token may not be handed on to this client', {
    reason: 'exchange_not_allowed',
    detail: 'may_act names another one',
  });
}

async function findUserId(
  { entry: { issuer, findUser }, token }: ForeignToken,
  { clientId }: Client,
): Promise<string> {
  const { userId: sub, scopes, extra } = token;
  if (sub === undefined) throw invalidSubjectToken('it is of no user');
  const claims = { ...extra, iss: issuer, sub, client_id: token.clientId, scope: scopes.join(' ') };
  const userId = await findAssertedUser(claims, { findUser, clientId, option: 'tokenExchange.trust' });
  if (userId === undefined) throw invalidSubjectToken(`${sub} of ${issuer} is nobody here`);
  return userId;
}

/** A token for one resource gives one for that alone; one for this server, whichever there are here. */
function resourcesFor(
  { entry: { resource } }: ForeignToken,
  { resources, repeated }: TokenContext,
  settings: Settings,
): readonly string[] {
  const named = [...new Set([...resources, ...resourcesNamed(repeated.audience ?? [], settings)])];
  if (resource === undefined || isSameResource(resource, settings.issuer)) return named;
  if (named.every((each) => isSameResource(each, resource))) return [resource];
  throw new OAuthError('invalid_target', 'the subject token is not for this resource', {
    reason: 'resource_not_granted',
  });
}

/**
 * The scopes that the token, the entry, the client and this server have in common; fewer if the request names fewer.
 */
function scopesFor(
  { entry, token }: ForeignToken,
  { client, parameters: { scope } }: TokenContext,
  settings: Settings,
): readonly string[] {
  const granted = token.scopes.filter(
    (name) =>
      [entry.scopes, client.scopes, Object.keys(settings.scopes)].every((list) => list.includes(name)) &&
      !NOT_HANDED_ON.includes(name),
  );
  const isKnown = (name: string) => Object.hasOwn(settings.scopes, name);
  const requested = scope === undefined ? granted : parseGrantedScope(scope, granted, isKnown);
  if (requested.length > 0 && isSubset(requested, granted)) return requested;
  throw new OAuthError('invalid_scope', 'the scope exceeds that of the subject token', {
    reason: 'scope_not_granted',
  });
}
