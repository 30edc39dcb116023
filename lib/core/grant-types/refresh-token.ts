import type { Settings } from '../../settings/settings.js';
import { equalText } from '../../shared/crypto/secrets.js';
import { OAuthError } from '../../shared/errors.js';
import type { FailureReason } from '../../shared/failure-reasons.js';
import { withImplied } from '../../shared/protocol/implied-scopes.js';
import { requireParameter } from '../../shared/protocol/parameters.js';
import { isSubset, parseGrantedScope } from '../../shared/protocol/scope.js';
import { findLostChoice } from '../authorization-details/find-lost-choice.js';
import { requiresFapi } from '../clients/fapi-profile.js';
import { refuseBlockedGrant } from '../clients/status/blocked-client.js';
import { type Grant, grantEventData } from '../grants/grant.js';
import { createLostResponses } from '../grants/tokens/lost-responses.js';
import type { TokenResponse } from '../grants/tokens/token-issuer.js';
import { matchesBinding, missingProof } from '../proof-of-possession/binding.js';
import { generateTokens, type GrantType } from './grant-type.js';

/**
 * Issues a new access token for a refresh token. In this file:
 *
 * - the *presented* refresh token is the one in the request;
 * - the *active* refresh token is the one that the grant stores, and the only one that gives tokens;
 * - a *new* refresh token replaces the active one, unless the client keeps the active one.
 *
 * If the presented token was replaced before, the grant ends: either that token or its replacement was stolen, and
 * nobody can tell which. But the response with the replacement may have got lost. So for `tokens.reuseGrace` a client
 * that repeats its request gets that response again, however often it asks.
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
    const { settings, clients, grants, readRefreshToken, reportChange } = dependencies;
    const { reuseGrace: grace } = settings.tokens;
    const lostResponseOf = createLostResponses('refreshToken', dependencies);

    return async (context) => {
      const { client, parameters, proof, resources, now, emit } = context;

      // RFC 6749 §6: the refresh token is bound to the client to which it was issued
      const value = requireParameter(parameters, 'refresh_token');
      const presented = await readRefreshToken(value);
      const grant = presented && (await grants.find(presented.grantId));
      if (presented === null || !grant || grant.clientId !== client.clientId)
        throw invalidRefreshToken(
          grant === null ? 'refresh_token_unknown' : 'token_of_other_client',
          'unknown, or of another client',
        );
      const { grantId, authorization } = grant;
      refuseBlockedGrant(grant, client);

      // RFC 9449 §5, RFC 8705 §4: without its key the token gives nothing, and cannot harm the grant either. A rotation
      // keeps the key, so the active token has the key of the presented one
      if (grant.refreshToken !== undefined && !matchesBinding(grant.refreshToken, proof))
        throw grant.refreshToken.jkt !== undefined && proof?.jkt === undefined
          ? missingProof('the refresh token is bound to a key')
          : invalidRefreshToken('key_mismatch', 'bound to another key');

      const isPresentedActive = ({ refreshToken: active }: Grant) =>
        active !== undefined && equalText(active.hash, presented.hash);

      // The key under which the response is stored for a repeated request: a request with other names is a reuse. A
      // request with all scopes, in any order, equals a request without scopes
      const scopeNames = [...new Set(parameters.scope?.split(' ') ?? authorization.scopes)].sort();
      const resourceNames = resources.length > 0 ? resources : authorization.resources;
      const lostResponse = lostResponseOf(
        { ...presented, value, names: [...scopeNames, ...resourceNames], grace },
        context,
      );

      /**
       * Generates tokens, and stores them in one atomic step. Undefined if the active refresh token has expired or the
       * grant is revoked, or if another request was faster.
       *
       * @param current the grant, whose active refresh token is the presented one, or the one in `unused`
       * @param unused an earlier response to the presented token, with the active refresh token. The client never used
       *   that response, and its access token has expired. The client now gets a new access token, and the active
       *   refresh token once more
       */
      const refresh = async (current: Grant, unused?: TokenResponse) => {
        const { refreshToken: active } = current;
        // `storeRefresh` has the same condition. Checked first: a dead token costs no hook, no quota and no DPoP proof.
        if (current.revokedAt !== undefined || active === undefined || active.expiresAt <= now)
          return undefined;

        // a choice of the consent page that the user may no longer make, such as a workspace that they have left
        const lostChoice = await findLostChoice(current, settings);
        if (lostChoice !== undefined) {
          await reportChange(
            { type: 'grant.revoked', ...grantEventData(current), reason: 'choice_lost' },
            { emit },
            (endedAt) => grants.revokeByRefreshToken({ ...presented, clientId: client.clientId }, endedAt),
          );
          throw invalidRefreshToken('choice_lost', `the choice ${lostChoice} does not hold any more`);
        }

        // a client that registered itself must not be removed while it refreshes
        await clients.prolong(client, now);
        const tokens = await generateTokens(dependencies, current, context, {
          grantType: 'refresh_token',
          scopes: requestedScopes(parameters.scope, current, settings),
          withRefreshToken: true,
          refreshTokenFamily: presented.family,
        });
        const newToken = tokens.write.refreshToken!;
        // `lifetimes.refreshTokenMax` may have been lowered since the active refresh token was made
        if (newToken.expiresAt <= now)
          throw invalidRefreshToken('refresh_token_expired', 'lifetimes.refreshTokenMax is over');

        const isConfidential = client.type === 'confidential';
        const mayKeep =
          client.refreshTokens === 'keep'
            ? // RFC 9700 §4.14.2: a public client keeps its refresh token only if the token is bound to a key
              isConfidential || active.jkt !== undefined
            : // FAPI 2.0 Security Profile §5.3.2.1-9: a client that authenticates keeps its refresh token, unless another
              // server made the token (`migrate`): such a token has no family
              isConfidential && requiresFapi(settings, client) && presented.family !== undefined;

        // RFC 6749 §6: a new refresh token, or none. A client that keeps the active token does not get it again, unless
        // its first delivery may have got lost; the active token then lives as long as a new one would
        const isRotated = !mayKeep && unused === undefined;
        const response = isRotated
          ? tokens.response
          : { ...tokens.response, refresh_token: unused?.refresh_token };
        const write = {
          ...tokens.write,
          refreshToken: isRotated ? newToken : { ...active, expiresAt: newToken.expiresAt },
        };

        // The response is stored, in case it gets lost, if its refresh token is not the presented one. A client that keeps
        // the presented one needs no stored response: its next request is a refresh like this one.
        let resend =
          isRotated || unused !== undefined
            ? await lostResponse.seal({ write, response }, current.resend)
            : undefined;
        // The client may have the refresh token of the unused response already, so the rotation to that token must not be
        // undone. `undoTokens` passes over a grant whose stored response `isAnswered`
        if (resend !== undefined && unused !== undefined) resend = { ...resend, isAnswered: true };

        // one conditional update: false if another refresh token is active by now
        if (!(await grants.storeRefresh(current, active, { ...write, resend }))) return undefined;
        emit('token.issued', {
          ...grantEventData(current),
          scopes: tokens.scopes,
          grantType: 'refresh_token',
        });
        return response;
      };

      // RFC 6749 §6: the presented token is the active one. If another request with it was faster, or if it was
      // replaced before, the response to that request may have got lost, and is sent again. `find()` reads the grant
      // anew, `find(grant)` does not
      let response = isPresentedActive(grant)
        ? ((await refresh(grant)) ?? (await lostResponse.find()))
        : await lostResponse.find(grant);
      // With `'untilUsed'`, the access token of a stored response may have expired: `find` returns the seconds that are
      // left. A grace in seconds is not prolonged that way.
      if (response?.expires_in === 0 && grace === 'untilUsed' && !isPresentedActive(grant)) {
        // nobody has used the response, and its refresh token has expired: that is no reuse
        if (grant.refreshToken !== undefined && grant.refreshToken.expiresAt <= now)
          throw invalidRefreshToken('refresh_token_expired', 'the token that replaced it has expired unused');
        response = await refresh(grant, response);
        // another request was faster, and its access token is valid; otherwise the grant was revoked meanwhile
        response ??= await lostResponse.find();
        if (response?.expires_in === 0) response = undefined;
      }
      if (response !== undefined) return response;

      // RFC 9700 §4.14.2: the presented token was replaced before, so it or its replacement was stolen.
      // `revokeReusedRefreshToken` revokes only the grant of such a token
      const wasReused =
        grant.revokedAt === undefined &&
        (await reportChange(
          { type: 'grant.revoked', ...grantEventData(grant), reason: 'refresh_reused' },
          { emit },
          (endedAt) => grants.revokeReusedRefreshToken(grantId, presented, endedAt),
        ));
      if (wasReused)
        throw invalidRefreshToken('refresh_token_reused', 'used before: the grant is revoked now');

      // If a token was not active when the grant was read, its unacknowledged rotation may just have been undone
      // (`undo-unacknowledged-writes.ts`). Nobody got the new tokens: the token is active again.
      const reread = isPresentedActive(grant) ? null : await grants.find(grantId);
      if (reread !== null && isPresentedActive(reread)) {
        const second = (await refresh(reread)) ?? (await lostResponse.find());
        if (second !== undefined) return second;
      }

      if (grant.revokedAt !== undefined)
        throw invalidRefreshToken('refresh_token_revoked', 'unknown, expired or revoked');
      throw invalidRefreshToken(
        grant.refreshToken !== undefined && grant.refreshToken.expiresAt <= now
          ? 'refresh_token_expired'
          : 'refresh_token_unknown',
        'unknown, expired or revoked',
      );
    };
  },
};

/**
 * RFC 6749 §6: the scope MUST NOT include any scope not originally granted; if omitted, it is the same. Scopes that a
 * granted one includes count as granted, so that a client can ask for less. Scopes that the server does not have are
 * left out, as they were when the grant was made.
 */
function requestedScopes(
  scope: string | undefined,
  { authorization }: Grant,
  { scopes, impliedScopes }: Settings,
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
