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
import { type Grant, grantEventData, type StoredResend } from '../grants/grant.js';
import { createResends, requestFingerprint } from '../grants/tokens/resends.js';
import type { TokenResponse } from '../grants/tokens/token-issuer.js';
import { matchesBinding, missingProof } from '../proof-of-possession/binding.js';
import { generateTokens, type GrantType } from './grant-type.js';

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
    const { settings, clients, grants, readRefreshToken, reportChange } = dependencies;
    const resends = createResends('refreshToken', dependencies);

    return async (context) => {
      const { client, parameters, proof, resources, now, emit } = context;

      // RFC 6749 §6: the refresh token is bound to the client to which it was issued
      const secret = requireParameter(parameters, 'refresh_token');
      const presented = await readRefreshToken(secret);
      const grant = presented && (await grants.find(presented.grantId));
      if (presented === null || !grant || grant.clientId !== client.clientId)
        throw invalidRefreshToken(
          grant === null ? 'refresh_token_unknown' : 'token_of_other_client',
          'unknown, or of another client',
        );
      const { grantId, authorization, refreshToken: storedToken } = grant;
      refuseBlockedGrant(grant, client);

      // RFC 9449 §5, RFC 8705 §4: whoever has the token without its key gets nothing, and cannot harm the grant either
      if (storedToken !== undefined && !matchesBinding(storedToken, proof))
        throw storedToken.jkt !== undefined && proof?.jkt === undefined
          ? missingProof('the refresh token is bound to a key')
          : invalidRefreshToken('key_mismatch', 'bound to another key');

      // a request that names all scopes, in whatever order, is the same as one that names none
      const scopeNames = [...new Set(parameters.scope?.split(' ') ?? authorization.scopes)].sort();
      const resourceNames = resources.length > 0 ? resources : authorization.resources;
      const request = {
        ...presented,
        secret,
        fingerprint: requestFingerprint([...scopeNames, ...resourceNames], context),
        grace: settings.tokens.reuseGrace,
      };

      /** Whether the presented token is the refresh token of the grant, and was not replaced yet. */
      const isCurrent = ({ refreshToken: current }: Grant) =>
        current !== undefined && equalText(current.hash, presented.hash);

      /**
       * Generates tokens, and stores them in one atomic step. Undefined if the token is expired or revoked, or if another
       * request was faster.
       *
       * @param unusedResponse the response to an earlier refresh by the presented token, if the client never used that
       *   response and the access token in it has expired. The client keeps the refresh token of that response, and gets
       *   a new access token.
       */
      const refresh = async (current: Grant, unusedResponse?: TokenResponse) => {
        const { refreshToken: currentToken } = current;
        // `storeRefresh` has the same condition. Checked first: a dead token costs no hook, no quota and no DPoP proof.
        if (current.revokedAt !== undefined || currentToken === undefined || currentToken.expiresAt <= now)
          return undefined;

        // a choice of the consent page that is no longer the user's to give, such as a workspace that they have left
        const { userId } = authorization;
        const lostChoice =
          userId === undefined
            ? undefined
            : await findLostChoice(current.authorization, { userId, clientId: client.clientId }, settings);
        if (lostChoice !== undefined) {
          await reportChange(
            { type: 'grant.revoked', ...grantEventData(current), reason: 'choice_lost' },
            context,
            () => grants.revokeByRefreshToken({ ...presented, clientId: client.clientId }, now),
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
        // `lifetimes.refreshTokenMax` may have been lowered since the refresh token was made
        if (newToken.expiresAt <= now)
          throw invalidRefreshToken('refresh_token_expired', 'lifetimes.refreshTokenMax is over');

        // RFC 9700 §4.14.2: a public client keeps its refresh token only if that is bound to a key. FAPI 2.0 Security
        // Profile §5.3.2.1-9: rotation gains nothing for a client that authenticates, and a lost response would cost it
        // the token; tokens of another server, which have no family, are replaced
        const isConfidential = client.type === 'confidential';
        const mustRotate =
          client.refreshTokens === 'keep'
            ? !isConfidential && currentToken.jkt === undefined
            : presented.family === undefined || !isConfidential || !requiresFapi(settings, client);

        // Which refresh token the grant has from now on, and the client gets: a new one; or that of the unused response,
        // or the presented one, which lives for as long as a new one would
        const isRotated = unusedResponse === undefined && mustRotate;
        const refreshToken = isRotated ? newToken : { ...currentToken, expiresAt: newToken.expiresAt };
        const response = isRotated
          ? tokens.response
          : { ...tokens.response, refresh_token: unusedResponse?.refresh_token };

        // What is stored to send the response again: nothing if the client keeps the presented token, since it repeats
        // the refresh. The client may have the unused refresh token already, so its rotation must not be undone:
        // `isAnswered` says so
        let resend: StoredResend | undefined;
        if (isRotated || unusedResponse !== undefined)
          resend = await resends.prepare(request, context, {
            response,
            ...tokens.write,
            previous: current.resend,
          });
        if (resend !== undefined && unusedResponse !== undefined) resend = { ...resend, isAnswered: true };

        // one conditional update: false if the current refresh token is no longer the one that was read
        const tokenBefore = isRotated ? presented : currentToken;
        if (!(await grants.storeRefresh(current, tokenBefore, { ...tokens.write, refreshToken, resend })))
          return undefined;
        const data = { ...grantEventData(current), scopes: tokens.scopes };
        if (isRotated) emit('refresh.rotated', data);
        emit('token.issued', { ...data, grantType: 'refresh_token' });
        return response;
      };

      let response = isCurrent(grant)
        ? ((await refresh(grant)) ?? (await resends.find(request, context)))
        : await resends.find(request, context, grant);
      // The client never used the response, and its access token has expired since. A grace in seconds is not prolonged
      // that way.
      const isExpired = response?.expires_in === 0 && settings.tokens.reuseGrace === 'untilUsed';
      if (isExpired && !isCurrent(grant)) {
        response = await refresh(grant, response);
        // another request was faster, and its access token is good
        response ??= await resends.find(request, context);
        if (response?.expires_in === 0) response = undefined;
      }
      if (response !== undefined) return response;

      // RFC 9700 §4.14.2: a token that was used before was stolen, or its successor was; nobody can tell which
      const isReused = await reportChange(
        { type: 'grant.revoked', ...grantEventData(grant), reason: 'refresh_reused' },
        context,
        () => grants.revokeReusedRefreshToken(grantId, presented, now),
      );
      if (isReused)
        throw invalidRefreshToken('refresh_token_reused', 'used before: the grant is revoked now');

      // The database did not answer the rotation, so it was undone (`undo-unacknowledged-writes.ts`). Nobody got the new
      // tokens: the old refresh token is good again.
      const reread = isCurrent(grant) ? null : await grants.find(grantId);
      if (reread !== null && isCurrent(reread)) {
        const second = (await refresh(reread)) ?? (await resends.find(request, context));
        if (second !== undefined) return second;
      }

      if (grant.revokedAt !== undefined)
        throw invalidRefreshToken('refresh_token_revoked', 'unknown, expired or revoked');
      throw invalidRefreshToken(
        storedToken !== undefined && storedToken.expiresAt <= now
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
