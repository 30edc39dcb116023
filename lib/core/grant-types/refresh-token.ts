import { equalText, type PresentedRefreshToken } from '../../shared/crypto/secrets.js';
import { OAuthError } from '../../shared/errors.js';
import type { FailureReason } from '../../shared/failure-reasons.js';
import { withImplied } from '../../shared/protocol/implied-scopes.js';
import { requireParameter } from '../../shared/protocol/parameters.js';
import { isSubset, parseScope } from '../../shared/protocol/scope.js';
import { heldDetails, narrowDetails } from '../authorization-details/compare-details.js';
import { findLostChoice } from '../authorization-details/find-lost-choice.js';
import { unusedDetails, usableOf } from '../authorization-details/single-use.js';
import { isHeldToFapi } from '../clients/fapi-profile.js';
import { heldScopes } from '../clients/resolve-scopes.js';
import { refuseBlockedGrant } from '../clients/status/blocked-client.js';
import { factsOf, type Grant } from '../grants/grant.js';
import { createResends, type Resends } from '../grants/tokens/idempotent-response.js';
import type { PreparedTokens, TokenResponse } from '../grants/tokens/token-issuer.js';
import { grantTakenBack } from '../grants/undo-unacknowledged-writes.js';
import { isHeld, missingProof, namesOfBinding, type Proof } from '../proof-of-possession/binding.js';
import type { GrantType, GrantTypeDependencies, TokenRequest } from './grant-type.js';
import { createResending, type Repeated, type Resending } from './retried-requests.js';

/** A refresh request whose grant was found, and what it asks for. */
interface Refresh
  extends
    Repeated,
    PresentedRefreshToken,
    Pick<TokenRequest, 'resources' | 'authorizationDetails' | 'proof' | 'now' | 'emit'> {
  readonly grant: Grant;
}

/**
 * Replaces a refresh token with a new one. If the old one is presented again later, the grant ends: either it or the
 * new one was stolen, and nobody can tell which. Within `reuseGrace` the same request gets the same response once more.
 *
 * @see RFC 6749 §6, §10.4, RFC 9700 §4.14.2
 */
export const refreshToken: GrantType<'refresh_token'> = {
  name: 'refresh_token',
  isDefault: true,
  takesDetails: true,
  parameters: ['refresh_token', 'scope'],
  redeemsGrant: true,
  allowsCachedClient: true,
  create(dependencies) {
    const { settings, grants, readRefreshToken } = dependencies;
    const resends = createResends('refreshToken', () => settings.reuseGrace);
    const resending = createResending(dependencies, resends);
    const rotate = createRotation(dependencies, { resends, resending });
    return async ({ client, parameters, ...request }) => {
      const { proof, now, emit } = request;
      const given = requireParameter(parameters, 'refresh_token');
      const presented = await readRefreshToken(given);
      const grant = presented && (await grants.find(presented.grantId));
      // RFC 6749 §6: the refresh token is bound to the client to which it was issued
      if (presented === null || !grant || grant.clientId !== client.clientId) throw notOfClient(grant);
      refuseBlockedGrant(grant, client);
      checkKey(grant, proof);
      const asked = formatAsked(grant, parameters.scope, request);
      const refresh = { ...presented, ...request, secret: given, asked, grant, client };
      const response = isCurrent(grant, presented.hash)
        ? await rotate(refresh, parameters.scope)
        : await resending.from(refresh, grant);
      if (response !== undefined) return response;
      const isReuse = await grants.revokeReusedRefreshToken(grant.grantId, presented, now);
      if (!isReuse) {
        const isReplaced = (each: Grant) => !isCurrent(each, presented.hash);
        const again = await grantTakenBack(grants, grant, isReplaced);
        const late = again && (await rotate({ ...refresh, grant: again }, parameters.scope));
        if (late !== undefined) return late;
        throw invalidRefreshToken(overBy(grant, now), 'unknown, expired or revoked');
      }
      const facts = factsOf(grant);
      emit('refresh.reused', facts);
      emit('grant.revoked', { ...facts, reason: 'refresh_reused' });
      throw invalidRefreshToken('refresh_token_reused', 'used before: the grant is revoked now');
    };
  },
};

function notOfClient(grant: Grant | null): OAuthError {
  const reason = grant === null ? 'refresh_token_unknown' : 'token_of_other_client';
  return invalidRefreshToken(reason, 'unknown, or of another client');
}

/** Why a refresh token that is not one of the used ones is refused. */
function overBy({ refreshToken: current, revokedAt }: Grant, now: Date): FailureReason {
  if (revokedAt !== undefined) return 'refresh_token_revoked';
  return current !== undefined && current.expiresAt <= now
    ? 'refresh_token_expired'
    : 'refresh_token_unknown';
}

function isCurrent({ refreshToken: current }: Grant, hash: string): boolean {
  return current !== undefined && equalText(current.hash, hash);
}

/** RFC 9449 §5, RFC 8705 §4: whoever has the token without its key gets nothing, and cannot harm the grant either. */
function checkKey({ refreshToken: current }: Grant, proof: Proof | undefined): void {
  if (current === undefined || isHeld(current, proof)) return;
  if (current.jkt !== undefined && proof?.jkt === undefined)
    throw missingProof('the refresh token is bound to a key');
  throw invalidRefreshToken('key_mismatch', 'bound to another key');
}

/** Replaces the current refresh token with new tokens; undefined if another request was faster. */
function createRotation(
  { settings, clients, grants, issuer }: GrantTypeDependencies,
  { resends, resending }: { readonly resends: Resends; readonly resending: Resending },
) {
  /** Ends the grant if a choice is no longer the person's to give. */
  const endIfLost = async ({ grantId, authorization }: Grant, { client, now, emit, ...token }: Refresh) => {
    const { userId } = authorization;
    if (userId === undefined) return;
    const { clientId } = client;
    const lost = await findLostChoice(authorization, { userId, clientId }, settings);
    if (lost === undefined) return;
    await grants.revokeByRefreshToken({ ...token, grantId, clientId }, now);
    emit('grant.revoked', { ...factsOf(token.grant), reason: 'choice_lost' });
    throw invalidRefreshToken('choice_lost', `the choice ${lost} does not hold any more`);
  };

  return async (refresh: Refresh, scope: string | undefined): Promise<TokenResponse | undefined> => {
    const { grant, client, resources, authorizationDetails, proof, now, emit } = refresh;
    await endIfLost(grant, refresh);
    // a client that registered itself must not be removed while it refreshes
    await clients.keep(client, now);
    const scopes = heldScopes(
      requestedScopes(withImplied(grant.authorization.scopes, settings.impliedScopes), grant, scope),
      client,
      settings,
    );
    const prepared = await issuer.prepare({
      grantId: grant.grantId,
      client,
      grantType: 'refresh_token',
      authorization: grant.authorization,
      scopes,
      authorizationDetails: narrowDetails(
        authorizationDetails,
        heldDetails(
          unusedDetails(grant.authorization.authorizationDetails ?? [], usableOf(grant), settings),
          client,
          settings,
        ),
        settings,
      ),
      resources,
      withRefreshToken: true,
      proof,
      ...(refresh.family !== undefined && { refreshTokenFamily: refresh.family }),
      authorizedAt: grant.createdAt,
      now,
    });
    const { write, response } = prepared;
    // the absolute end may have come nearer since the refresh token was made, because the host may change the option
    if (write.refreshToken !== undefined && write.refreshToken.expiresAt <= now)
      throw invalidRefreshToken('refresh_token_expired', 'refreshTokenMaxTtl is over');
    if (isKept(settings, refresh)) return keepToken({ grants }, refresh, prepared);
    const resend = await resends.prepare(refresh, response, grant.resend);
    if (await grants.rotateRefreshToken(grant, refresh, { ...write, ...(resend && { resend }) })) {
      const facts = { ...factsOf(grant), scopes: prepared.scopes };
      emit('refresh.rotated', facts);
      emit('token.issued', { ...facts, grantType: 'refresh_token' });
      return response;
    }
    return resending.afresh(refresh);
  };
}

/**
 * FAPI 2.0 Security Profile §5.3.2.1-9: a client that authenticates and whose tokens are bound to it gains nothing from
 * a new refresh token, but can lose it. One that was taken over from another server is replaced with one of ours.
 */
function isKept(settings: GrantTypeDependencies['settings'], { client, family }: Refresh): boolean {
  return family !== undefined && client.type === 'confidential' && isHeldToFapi(settings, client);
}

/** Gives a new access token and keeps the refresh token, which lives for as long as a new one would. */
async function keepToken(
  { grants }: Pick<GrantTypeDependencies, 'grants'>,
  refresh: Refresh,
  { write, response, scopes }: PreparedTokens,
): Promise<TokenResponse | undefined> {
  const { grant, emit } = refresh;
  const { refreshToken: current } = grant;
  if (current === undefined || write.refreshToken === undefined) return undefined;
  const kept = { ...current, expiresAt: write.refreshToken.expiresAt };
  if (!(await grants.rotateRefreshToken(grant, refresh, { ...write, refreshToken: kept }))) return undefined;
  emit('token.issued', { ...factsOf(grant), scopes, grantType: 'refresh_token' });
  const { refresh_token: _unused, ...answer } = response;
  return answer;
}

/**
 * RFC 6749 §6: the scope MUST NOT include any scope not originally granted; if omitted, it is the same. Scopes that a
 * granted one includes count as granted, so that a client can ask for less.
 */
function requestedScopes(
  includable: readonly string[],
  { authorization }: Grant,
  scope: string | undefined,
): readonly string[] {
  const requested = scope === undefined ? authorization.scopes : parseScope(scope);
  if (!isSubset(requested, includable))
    throw new OAuthError('invalid_scope', 'the scope exceeds what the resource owner granted', {
      reason: 'scope_not_granted',
    });
  return requested;
}

/**
 * The same scopes and details at the same resource for the same key are the same request, in any order, and whether
 * named or not.
 */
function formatAsked(
  grant: Grant,
  scope: string | undefined,
  {
    resources,
    authorizationDetails,
    proof,
  }: Pick<TokenRequest, 'resources' | 'authorizationDetails' | 'proof'>,
): string {
  const scopes = [...new Set(scope?.split(' ') ?? grant.authorization.scopes)].sort();
  const asked = [...scopes, ...(resources.length > 0 ? resources : grant.authorization.resources)];
  const details = authorizationDetails === undefined ? [] : [JSON.stringify(authorizationDetails)];
  return [...asked, ...namesOfBinding(proof), ...details].join(' ');
}

function invalidRefreshToken(reason: FailureReason, detail: string): OAuthError {
  return new OAuthError(
    'invalid_grant',
    'the refresh token is invalid, expired, revoked, or was issued to another client',
    { reason, detail },
  );
}
