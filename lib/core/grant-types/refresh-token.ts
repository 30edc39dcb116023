import { equalText, type PresentedRefreshToken } from '../../shared/crypto/secrets.js';
import { OAuthError } from '../../shared/errors.js';
import type { FailureReason } from '../../shared/failure-reasons.js';
import { withImplied } from '../../shared/protocol/implied-scopes.js';
import { requireParameter } from '../../shared/protocol/parameters.js';
import { isSubset, parseGrantedScope } from '../../shared/protocol/scope.js';
import { findLostChoice } from '../authorization-details/find-lost-choice.js';
import { requiresFapi } from '../clients/fapi-profile.js';
import { refuseBlockedGrant } from '../clients/status/blocked-client.js';
import { type Grant, grantEventData } from '../grants/grant.js';
import type { GrantStore } from '../grants/grant-store.js';
import { createResends, requestFingerprint, type Resends } from '../grants/tokens/resends.js';
import type { GeneratedTokens, TokenResponse } from '../grants/tokens/token-issuer.js';
import { matchesBinding, missingProof, type Proof } from '../proof-of-possession/binding.js';
import {
  generateTokens,
  type GrantType,
  type GrantTypeDependencies,
  type TokenContext,
} from './grant-type.js';
import { type PresentedSecret, redeemOnce } from './redeem-once.js';

/** A refresh token with its grant, as a client presents it. */
interface Presented extends PresentedSecret, PresentedRefreshToken {}

/** The tokens that a refresh gives, before they are stored. */
interface RefreshedTokens {
  readonly context: TokenContext;
  readonly tokens: GeneratedTokens;
}

/**
 * Replaces a refresh token with a new one. If the old one is presented again later, the grant ends: either it or the
 * new one was stolen, and nobody can tell which. Within `tokens.reuseGrace` the same request gets the same response,
 * however often it comes.
 *
 * @see RFC 6749 §6, §10.4, RFC 9700 §4.14.2
 */
export const refreshToken: GrantType<'refresh_token'> = {
  name: 'refresh_token',
  isDefault: true,
  takesDetails: true,
  parameters: ['refresh_token', 'scope'],
  mayOmitResource: true,
  allowsCachedClient: true,
  create(dependencies) {
    const { settings, grants } = dependencies;
    const resends = createResends({
      of: 'refreshToken',
      graceFor: () => settings.tokens.reuseGrace,
      settings,
      grants,
    });

    return async (context) => {
      const presented = await findRefreshToken(dependencies, context);
      refuseBlockedGrant(presented.grant, context.client);
      checkKey(presented.grant, context.proof);
      return redeemOnce(grants, presented, context, {
        // as far as the hash tells: `revokeIfReused` tells an invented token from one that was used
        isRedeemed: (grant) => !isCurrent(grant, presented.hash),
        redeem: (read) => refresh(dependencies, read, { context, resends }),
        resends,
        revokeIfReused: (read) => revokeIfReused(grants, read, context),
        refusal: (grant) =>
          invalidRefreshToken(explainRejection(grant, context.now), 'unknown, expired or revoked'),
      });
    };
  },
};

/**
 * RFC 6749 §6: the refresh token is bound to the client to which it was issued.
 *
 * @throws OAuthError invalid_grant if there is no such token, or it belongs to another client
 */
async function findRefreshToken(
  { grants, readRefreshToken }: Pick<GrantTypeDependencies, 'grants' | 'readRefreshToken'>,
  context: TokenContext,
): Promise<Presented> {
  const { client, parameters, resources } = context;
  const secret = requireParameter(parameters, 'refresh_token');
  const token = await readRefreshToken(secret);
  const grant = token && (await grants.find(token.grantId));
  if (token === null || !grant || grant.clientId !== client.clientId) throw notOfClient(grant);
  const { authorization } = grant;
  // a request that names all scopes, in whatever order, is the same as one that names none
  const scopes = [...new Set(parameters.scope?.split(' ') ?? authorization.scopes)].sort();
  const at = resources.length > 0 ? resources : authorization.resources;
  return { ...token, secret, fingerprint: requestFingerprint([...scopes, ...at], context), grant };
}

/**
 * RFC 9700 §4.14.2: a refresh token that was used before was stolen, or its successor was; nobody can tell which.
 *
 * @throws OAuthError invalid_grant if the token was used before
 */
async function revokeIfReused(
  grants: Pick<GrantStore, 'revokeReusedRefreshToken'>,
  presented: Presented,
  { now, emit }: TokenContext,
): Promise<void> {
  const { grant } = presented;
  if (!(await grants.revokeReusedRefreshToken(grant.grantId, presented, now))) return;
  const data = grantEventData(grant);
  emit('refresh.reused', data);
  emit('grant.revoked', { ...data, reason: 'refresh_reused' });
  throw invalidRefreshToken('refresh_token_reused', 'used before: the grant is revoked now');
}

function notOfClient(grant: Grant | null): OAuthError {
  const reason = grant === null ? 'refresh_token_unknown' : 'token_of_other_client';
  return invalidRefreshToken(reason, 'unknown, or of another client');
}

/** Why a refresh token that is not one of the used ones is refused. */
function explainRejection({ refreshToken: current, revokedAt }: Grant, now: Date): FailureReason {
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
  if (current === undefined || matchesBinding(current, proof)) return;
  if (current.jkt !== undefined && proof?.jkt === undefined)
    throw missingProof('the refresh token is bound to a key');
  throw invalidRefreshToken('key_mismatch', 'bound to another key');
}

/**
 * Gives new tokens for the current refresh token; undefined if it is expired, revoked or blocked, or another request
 * was faster.
 */
async function refresh(
  dependencies: GrantTypeDependencies,
  presented: Presented,
  { context, resends }: { readonly context: TokenContext; readonly resends: Resends },
): Promise<TokenResponse | undefined> {
  const { settings, clients } = dependencies;
  const { grant, family } = presented;
  const { client, parameters, now } = context;
  // the same is a condition of the step below; here it comes before the site's hooks, quotas and the proof of a key
  if (isOver(grant, now)) return undefined;
  await endIfChoiceLost(dependencies, presented, context);
  // a client that registered itself must not be removed while it refreshes
  await clients.prolong(client, now);
  const tokens = await generateTokens(dependencies, grant, context, {
    grantType: 'refresh_token',
    scopes: requestedScopes(settings, grant, parameters.scope),
    withRefreshToken: true,
    refreshTokenFamily: family,
  });
  // the absolute end may have come nearer since the refresh token was made, because the site may change the option
  if (tokens.write.refreshToken !== undefined && tokens.write.refreshToken.expiresAt <= now)
    throw invalidRefreshToken('refresh_token_expired', 'lifetimes.refreshTokenMax is over');
  return keepsRefreshToken(settings, presented, context)
    ? storeWithoutRotation(dependencies, presented, { context, tokens })
    : rotate(dependencies, presented, { context, tokens, resends });
}

function isOver({ refreshToken: current, revokedAt }: Grant, now: Date): boolean {
  return revokedAt !== undefined || current === undefined || current.expiresAt <= now;
}

/** Replaces the refresh token with the new one. */
async function rotate(
  { grants }: Pick<GrantTypeDependencies, 'grants'>,
  presented: Presented,
  { context, tokens, resends }: RefreshedTokens & { readonly resends: Resends },
): Promise<TokenResponse | undefined> {
  const { grant } = presented;
  const { write, response, scopes } = tokens;
  const resend = await resends.prepare(presented, context, { response, previous: grant.resend });
  if (!(await grants.storeRefresh(grant, presented, { ...write, ...(resend && { resend }) })))
    return undefined;
  const data = { ...grantEventData(grant), scopes };
  context.emit('refresh.rotated', data);
  context.emit('token.issued', { ...data, grantType: 'refresh_token' });
  return response;
}

/**
 * Ends the grant if a choice of the consent page (the option `choices`) is no longer the user's to give, such as a
 * workspace that the user has left.
 */
async function endIfChoiceLost(
  { settings, grants }: Pick<GrantTypeDependencies, 'settings' | 'grants'>,
  presented: Presented,
  { client: { clientId }, now, emit }: TokenContext,
): Promise<void> {
  const { grant } = presented;
  const { userId } = grant.authorization;
  if (userId === undefined) return;
  const lost = await findLostChoice(grant.authorization, { userId, clientId }, settings);
  if (lost === undefined) return;
  const hasEnded = await grants.revokeByRefreshToken({ ...presented, grantId: grant.grantId, clientId }, now);
  if (hasEnded) emit('grant.revoked', { ...grantEventData(grant), reason: 'choice_lost' });
  throw invalidRefreshToken('choice_lost', `the choice ${lost} does not hold any more`);
}

/** Whether the client goes on with the refresh token that it has presented. */
function keepsRefreshToken(
  settings: GrantTypeDependencies['settings'],
  { family, grant }: Presented,
  { client }: TokenContext,
): boolean {
  const isConfidential = client.type === 'confidential';
  // RFC 9700 §4.14.2: a public client only if the token is bound to its key
  if (client.refreshTokens === 'keep') return isConfidential || grant.refreshToken?.jkt !== undefined;
  // FAPI 2.0 Security Profile §5.3.2.1-9: rotation gains nothing for a client that authenticates and whose tokens are
  // bound to it, and a lost response would cost it the token. Tokens of another server, which have no family, are
  // replaced
  return family !== undefined && isConfidential && requiresFapi(settings, client);
}

/** Stores the access token alone; the refresh token stays, and lives for as long as a new one would. */
async function storeWithoutRotation(
  { grants }: Pick<GrantTypeDependencies, 'grants'>,
  presented: Presented,
  { context, tokens }: RefreshedTokens,
): Promise<TokenResponse | undefined> {
  const { grant } = presented;
  const { write, response, scopes } = tokens;
  const { refreshToken: current } = grant;
  if (current === undefined || write.refreshToken === undefined) return undefined;
  const refreshToken = { ...current, expiresAt: write.refreshToken.expiresAt };
  if (!(await grants.storeRefresh(grant, presented, { ...write, refreshToken }))) return undefined;
  context.emit('token.issued', { ...grantEventData(grant), scopes, grantType: 'refresh_token' });
  const { refresh_token: _unused, ...responseWithoutIt } = response;
  return responseWithoutIt;
}

/**
 * RFC 6749 §6: the scope MUST NOT include any scope not originally granted; if omitted, it is the same. Scopes that a
 * granted one includes count as granted, so that a client can ask for less. Scopes that the server does not have are
 * left out, as they were when the grant was made.
 */
function requestedScopes(
  { scopes, impliedScopes }: Pick<GrantTypeDependencies['settings'], 'scopes' | 'impliedScopes'>,
  { authorization }: Grant,
  scope: string | undefined,
): readonly string[] {
  if (scope === undefined) return authorization.scopes;
  const includable = withImplied(authorization.scopes, impliedScopes);
  const requested = parseGrantedScope(scope, includable, (name) => Object.hasOwn(scopes, name));
  if (requested.length === 0 || !isSubset(requested, includable))
    throw new OAuthError('invalid_scope', 'the scope exceeds what the resource owner granted', {
      reason: 'scope_not_granted',
    });
  return requested;
}

function invalidRefreshToken(reason: FailureReason, detail: string): OAuthError {
  return new OAuthError(
    'invalid_grant',
    'the refresh token is invalid, expired, revoked, or was issued to another client',
    { reason, detail },
  );
}
