import { narrowDetails, stillRegisteredDetails } from '../../core/authorization-details/compare-details.js';
import { stillRegisteredScopes } from '../../core/clients/resolve-scopes.js';
import type { GrantType, TokenContext } from '../../core/grant-types/grant-type.js';
import { grantEventData, type StoredExchangedToken } from '../../core/grants/grant.js';
import { scopesOfToken } from '../../core/grants/stored-access-token.js';
import type { TokenResponse } from '../../core/grants/tokens/token-issuer.js';
import { matchesBinding } from '../../core/proof-of-possession/binding.js';
import { invalidRequest, OAuthError } from '../../shared/errors.js';
import { type ActorClaim, actorNames, parseActor } from '../../shared/protocol/actor.js';
import { withImplied } from '../../shared/protocol/implied-scopes.js';
import { isSubset, parseGrantedScope } from '../../shared/protocol/scope.js';
import { exchangeForeignToken } from './exchange-foreign-token.js';
import { createReadForeignToken } from './foreign-token.js';
import { invalidSubjectToken, readLiveToken } from './live-token.js';
import { findTarget, isResourceOf } from './target.js';
import { ACCESS_TOKEN, NOT_HANDED_ON, readTokenTypes, TOKEN_EXCHANGE } from './token-types.js';

/** Maximum number of successive exchanges: a gateway, a service behind it, and one more. */
const MAX_DEPTH = 3;

/**
 * Exchanges an access token of this server for one of the requesting client. The new token belongs to the grant of the
 * subject token, so that both end with it in one step. Scopes, details, resource and lifetime are the same or less. A
 * trusted token of another server gets its own grant.
 *
 * @see RFC 8693 §2
 */
export const tokenExchangeGrant: GrantType<typeof TOKEN_EXCHANGE> = {
  name: TOKEN_EXCHANGE,
  switchedOnBy: 'tokenExchange',
  takesDetails: true,
  parameters: [
    'subject_token',
    'subject_token_type',
    'actor_token',
    'actor_token_type',
    'requested_token_type',
    'scope',
  ],
  repeatable: ['audience'],
  mayOmitResource: true,
  create(dependencies) {
    const { settings, clients, grants, issuer } = dependencies;
    const { impliedScopes } = settings;
    const readForeign = createReadForeignToken(dependencies);

    const exchangeOwn = async (
      request: TokenContext,
      { subjectToken, actorToken }: ReturnType<typeof readTokenTypes>,
    ): Promise<TokenResponse> => {
      const { client, parameters, proof, now, emit } = request;
      const subject = await readLiveToken(dependencies, subjectToken, now);
      const { stored, grant } = subject;
      const actor = actorToken === undefined ? undefined : await readLiveToken(dependencies, actorToken, now);
      const actingId = actor?.clientId ?? client.clientId;

      // RFC 8693 §4.4: the requesting client and the actor each need a right to the token: the token was issued to
      // them, its resource is theirs, or the user has allowed the token's client to hand it on to them. A resource that
      // was called needs no permission
      const parties = isResourceOf(client, subject, settings) ? [] : [client.clientId];
      if (actingId !== client.clientId) parties.push(actingId);
      const unnamed = parties.filter((clientId) => clientId !== subject.clientId);
      const { mayAct = [] } = grant.authorization;
      // a `mayAct` that the client has lost since the user's consent is lost for the grant, too
      const isRead = unnamed.length > 0 && mayAct.length > 0;
      const registered = isRead ? ((await clients.find(grant.clientId))?.mayAct ?? []) : [];
      const refused = unnamed.find(
        (clientId) => !mayAct.includes(clientId) || !registered.includes(clientId),
      );
      if (refused !== undefined)
        throw invalidRequest('the token may not be handed on to this client', 'exchange_not_allowed', {
          detail: `the token was not issued to ${refused}, is not for a resource of it, and may_act does not name it`,
        });

      // RFC 9449 §5, RFC 8705 §3: a bound token is only exchanged for a bound one. The client of the subject token
      // proves the same key or certificate; other clients prove their own.
      const isBound = stored.jkt !== undefined || stored.x5tS256 !== undefined;
      if (isBound && proof === undefined)
        throw invalidRequest('the subject token is bound, so the new one has to be', 'dpop_proof_missing');
      if (isBound && subject.clientId === client.clientId && !matchesBinding(stored, proof))
        throw invalidSubjectToken('bound to another key', 'key_mismatch');

      // RFC 8693 §2.1: the actor token belongs to the acting party, not to a user; a bound one needs a proof of its key
      if (actor !== undefined && actor.grant.authorization.userId !== undefined)
        throw invalidSubjectToken('the actor token is that of a user');
      if (actor !== undefined && !matchesBinding(actor.stored, proof))
        throw invalidSubjectToken('the actor token is bound to another key', 'key_mismatch');

      const target = findTarget(settings, request, subject);

      // RFC 8693 §4.1: the latest actor is the outermost. A client that narrows its own token is no new actor.
      const act: ActorClaim | undefined =
        actingId === subject.clientId ? subject.actor : { sub: actingId, act: subject.actor };
      if (subject.lineage.length > MAX_DEPTH)
        throw tooDeep(`no more than ${MAX_DEPTH} exchanges may follow one another`);
      checkActors(act);

      // RFC 8693 §2.1: the requested scopes, which the subject token must have; without the parameter, all its scopes
      const { scope } = parameters;
      const granted = scopesOfToken(stored, grant.authorization, impliedScopes);
      const includable = withImplied(granted, impliedScopes);
      const isHere = (name: string) => Object.hasOwn(settings.scopes, name);
      const requested = scope === undefined ? granted : parseGrantedScope(scope, includable, isHere);
      if ((scope !== undefined && requested.length === 0) || !isSubset(requested, includable))
        throw new OAuthError('invalid_scope', 'the scope exceeds that of the subject token', {
          reason: 'scope_not_granted',
        });
      const scopes = requested.filter((name) => !NOT_HANDED_ON.includes(name));

      const { openid: _signIn, ...authorization } = grant.authorization;
      const details = stored.authorizationDetails ?? authorization.authorizationDetails;
      const tokens = await issuer.generate(
        { ...request, resources: target.resources },
        {
          grantId: grant.grantId,
          grantType: TOKEN_EXCHANGE,
          authorization: {
            ...authorization,
            resources: target.allowed,
            // the new token expires no later than the subject token
            endsAt: stored.expiresAt,
            actor: act,
          },
          scopes: stillRegisteredScopes(scopes, client, settings),
          authorizationDetails: narrowDetails(
            request.authorizationDetails,
            stillRegisteredDetails(details, client, settings),
            settings,
          ),
          withRefreshToken: false,
          grantCreatedAt: grant.createdAt,
        },
      );
      const exchanged: StoredExchangedToken = {
        ...tokens.write.accessToken,
        clientId: client.clientId,
        act,
        lineage: [...subject.lineage, tokens.write.accessToken.hash],
        through: [...new Set([...subject.through, client.clientId, ...actorNames(act)])],
        issuedAt: now,
      };
      if (!(await grants.exchangeToken(subject.presented, exchanged, now)))
        throw invalidSubjectToken('the subject token or its grant has ended meanwhile');
      const data = { ...grantEventData(grant), clientId: client.clientId, scopes: tokens.scopes };
      emit('token.issued', { ...data, grantType: TOKEN_EXCHANGE, actors: act && actorNames(act) });
      return tokens.response;
    };

    return async (request) => {
      // RFC 8693 §5: only authenticated clients with the permission of the site
      const { client } = request;
      if (client.type !== 'confidential' || client.mayExchange !== true)
        throw new OAuthError('unauthorized_client', 'the client may not exchange tokens', {
          reason: 'exchange_not_allowed',
        });
      const tokens = readTokenTypes(request.parameters);
      const foreign = await readForeign(tokens.subjectToken, request.now);
      const response =
        foreign === undefined
          ? await exchangeOwn(request, tokens)
          : await exchangeForeignToken(dependencies, request, foreign, checkActors);
      // RFC 8693 §2.2.1
      return { ...response, issued_token_type: ACCESS_TOKEN };
    };
  },
};

/** An assertion may already have actors, and guards refuse a longer chain. */
function checkActors(act: ActorClaim | undefined): void {
  if (act !== undefined && parseActor(act) === undefined) throw tooDeep('there are too many actors');
}

function tooDeep(detail: string): OAuthError {
  return invalidRequest('the token was exchanged too often', 'exchange_too_deep', { detail });
}
