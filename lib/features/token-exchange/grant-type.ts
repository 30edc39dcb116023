import { narrowDetails, stillRegisteredDetails } from '../../core/authorization-details/compare-details.js';
import { stillRegisteredScopes } from '../../core/clients/resolve-scopes.js';
import type { GrantType, GrantTypeDependencies, TokenContext } from '../../core/grant-types/grant-type.js';
import { grantEventData, type StoredExchangedToken } from '../../core/grants/grant.js';
import { scopesOfToken } from '../../core/grants/stored-access-token.js';
import type { TokenResponse } from '../../core/grants/tokens/token-issuer.js';
import { matchesBinding } from '../../core/proof-of-possession/binding.js';
import type { Settings } from '../../settings/settings.js';
import { switchedOn } from '../../settings/table/switched-on.js';
import { OAuthError } from '../../shared/errors.js';
import { type ActorClaim, actorNames, parseActor } from '../../shared/protocol/actor.js';
import { withImplied } from '../../shared/protocol/implied-scopes.js';
import { isSubset, parseGrantedScope } from '../../shared/protocol/scope.js';
import { exchangeForeignToken } from './exchange-foreign-token.js';
import { createReadForeignToken } from './foreign-token.js';
import { invalidSubjectToken, type LiveToken, readLiveToken } from './live-token.js';
import { NOT_HANDED_ON } from './not-handed-on.js';
import { findTarget, isResourceOf } from './target.js';
import { ACCESS_TOKEN, type GivenTokens, readTokenTypes, TOKEN_EXCHANGE } from './token-types.js';

/**
 * Exchanges an access token of this server for one of the client that asks. The new token lives in the grant that the
 * old one is of, so that everything that came of a grant ends with it in one step. It never has more than the old one:
 * scopes, details, resource and lifetime are the same or less. A token of another server that the options trust gives a
 * grant of its own.
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
    const { settings, grants, issuer } = dependencies;
    const { maxDepth } = switchedOn(settings.tokenExchange, 'tokenExchange');

    const readForeign = createReadForeignToken(dependencies);

    const exchangeOwn = async (
      request: TokenContext,
      { subjectToken, actorToken }: GivenTokens,
    ): Promise<TokenResponse> => {
      const { client, parameters, resources, repeated, now, emit } = request;
      const subject = await readLiveToken(dependencies, subjectToken, now);
      const actor = actorToken === undefined ? undefined : await readLiveToken(dependencies, actorToken, now);
      await checkParties(request, { subject, actor }, dependencies);
      checkBinding(request, subject);
      if (actor !== undefined) checkActorToken(request, actor);
      const target = findTarget({ settings, client, subject, resources, audiences: repeated.audience });
      const { openid: _signIn, ...authorization } = subject.grant.authorization;
      const act = actAfter(subject, actor?.clientId ?? client.clientId);
      if (subject.lineage.length > maxDepth)
        throw tooDeep(`${maxDepth} exchanges is the limit of tokenExchange.maxDepth`);
      checkActors(act);
      const tokens = await issuer.generate(
        { ...request, resources: target.resources },
        {
          grantId: subject.grant.grantId,
          grantType: TOKEN_EXCHANGE,
          authorization: {
            ...authorization,
            resources: target.allowed,
            // no longer-lived than the token that it came of
            endsAt: subject.stored.expiresAt,
            ...(act && { actor: act }),
          },
          scopes: stillRegisteredScopes(scopesFor(parameters.scope, subject, settings), client, settings),
          authorizationDetails: narrowDetails(
            request.authorizationDetails,
            stillRegisteredDetails(detailsOf(subject), client, settings),
            settings,
          ),
          withRefreshToken: false,
          grantCreatedAt: subject.grant.createdAt,
        },
      );
      const exchanged: StoredExchangedToken = {
        ...tokens.write.accessToken,
        clientId: client.clientId,
        ...(act && { act }),
        lineage: [...subject.lineage, tokens.write.accessToken.hash],
        through: [...new Set([...subject.through, client.clientId, ...actorNames(act)])],
        issuedAt: now,
      };
      if (!(await grants.exchangeToken(subject.presented, exchanged, now)))
        throw invalidSubjectToken('the subject token or its grant has ended meanwhile');
      const data = { ...grantEventData(subject.grant), clientId: client.clientId, scopes: tokens.scopes };
      emit('token.issued', { ...data, grantType: TOKEN_EXCHANGE, ...(act && { actors: actorNames(act) }) });
      return tokens.response;
    };

    return async (request) => {
      requireMayExchange(request);
      const tokens = readTokenTypes(request.parameters);
      const foreign = await readForeign(tokens.subjectToken, request.now);
      const response =
        foreign === undefined
          ? await exchangeOwn(request, tokens)
          : await exchangeForeignToken(dependencies, request, { subject: foreign, checkActors });
      return respond(response);
    };
  },
};

/** RFC 8693 §5: only clients that the site vouches for, and that authenticate. */
function requireMayExchange({ client }: TokenContext): void {
  if (client.type === 'confidential' && client.mayExchange === true) return;
  throw new OAuthError('unauthorized_client', 'the client may not exchange tokens', {
    reason: 'exchange_not_allowed',
  });
}

/**
 * Whoever asks, and whoever acts, has the token by right: it was issued to them, it is for a resource that they are, or
 * its user has allowed its client to hand it on to them (RFC 8693 §4.4).
 */
async function checkParties(
  { client }: TokenContext,
  { subject, actor }: { readonly subject: LiveToken; readonly actor: LiveToken | undefined },
  dependencies: Pick<GrantTypeDependencies, 'clients' | 'settings'>,
): Promise<void> {
  const actingId = actor?.clientId ?? client.clientId;
  // the resource that was called has the token by right, though nobody named it
  const isCalled = isResourceOf(client, subject, dependencies.settings);
  const parties = isCalled ? [] : [client.clientId];
  if (actingId !== client.clientId) parties.push(actingId);
  const unnamed = parties.filter((clientId) => clientId !== subject.clientId);
  if (unnamed.length === 0) return;
  const mayAct = await findMayAct(subject, dependencies);
  const refused = unnamed.find((clientId) => !mayAct.includes(clientId));
  if (refused !== undefined) throw notAllowed(refused);
}

/** What the user has allowed once; what the client's registration has lost since is lost for the grant, too. */
async function findMayAct(
  { grant }: LiveToken,
  { clients }: Pick<GrantTypeDependencies, 'clients'>,
): Promise<readonly string[]> {
  const { mayAct = [] } = grant.authorization;
  if (mayAct.length === 0) return [];
  const { mayAct: registered = [] } = (await clients.find(grant.clientId)) ?? {};
  return mayAct.filter((clientId) => registered.includes(clientId));
}

/** RFC 8693 §2.1: it is of the party that acts, not of a user; one that is bound comes with a proof of its key. */
function checkActorToken({ proof }: TokenContext, { stored, grant }: LiveToken): void {
  if (grant.authorization.userId !== undefined)
    throw invalidSubjectToken('the actor token is that of a user');
  if (!matchesBinding(stored, proof))
    throw invalidSubjectToken('the actor token is bound to another key', 'key_mismatch');
}

function notAllowed(clientId: string): OAuthError {
  return new OAuthError('invalid_request', 'the token may not be handed on to this client', {
    reason: 'exchange_not_allowed',
    detail: `the token was not issued to ${clientId}, is not for a resource of it, and may_act does not name it`,
  });
}

/**
 * A token that is bound gives none that is not. Whoever it was issued to shows the same key or certificate; others show
 * their own (RFC 9449 §5, RFC 8705 §3).
 */
function checkBinding({ client, proof }: TokenContext, { stored, clientId }: LiveToken): void {
  if (stored.jkt === undefined && stored.x5tS256 === undefined) return;
  if (proof === undefined)
    throw new OAuthError('invalid_request', 'the subject token is bound, so the new one has to be', {
      reason: 'dpop_proof_missing',
    });
  if (clientId === client.clientId && !matchesBinding(stored, proof))
    throw invalidSubjectToken('bound to another key', 'key_mismatch');
}

/** RFC 8693 §4.1: the latest actor is the outermost. A client that narrows its own token is no new actor. */
function actAfter({ clientId, actor }: LiveToken, actingId: string): ActorClaim | undefined {
  if (actingId === clientId) return actor;
  return { sub: actingId, ...(actor && { act: actor }) };
}

/** An assertion can have brought actors already, and guards read no longer chain. */
function checkActors(act: ActorClaim | undefined): void {
  if (act !== undefined && parseActor(act) === undefined) throw tooDeep('there are too many actors');
}

function tooDeep(detail: string): OAuthError {
  return new OAuthError('invalid_request', 'the token was exchanged too often', {
    reason: 'exchange_too_deep',
    detail,
  });
}

/** RFC 8693 §2.1: what is asked for, if the subject token has it; without the parameter, all that it has. */
function scopesFor(
  scope: string | undefined,
  { stored, grant }: LiveToken,
  { impliedScopes, scopes: known }: Pick<Settings, 'impliedScopes' | 'scopes'>,
): readonly string[] {
  const granted = scopesOfToken(stored, grant.authorization, impliedScopes);
  const includable = withImplied(granted, impliedScopes);
  const requested =
    scope === undefined
      ? granted
      : parseGrantedScope(scope, includable, (name) => Object.hasOwn(known, name));
  const isEmptied = scope !== undefined && requested.length === 0;
  if (isEmptied || !isSubset(requested, includable))
    throw new OAuthError('invalid_scope', 'the scope exceeds that of the subject token', {
      reason: 'scope_not_granted',
    });
  return requested.filter((name) => !NOT_HANDED_ON.includes(name));
}

function detailsOf({ stored, grant }: LiveToken) {
  return stored.authorizationDetails ?? grant.authorization.authorizationDetails;
}

/** RFC 8693 §2.2.1 */
function respond(response: TokenResponse): TokenResponse {
  return { ...response, issued_token_type: ACCESS_TOKEN };
}
