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
import { createResends, requestFingerprint } from '../grants/tokens/resends.js';
import type { TokenResponse } from '../grants/tokens/token-issuer.js';
import { matchesBinding, missingProof } from '../proof-of-possession/binding.js';
import { generateTokens, type GrantType, type GrantTypeDependencies } from './grant-type.js';

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
    const { settings, clients, grants, readRefreshToken } = dependencies;
    const resends = createResends({
      of: 'refreshToken',
      graceFor: () => settings.tokens.reuseGrace,
      settings,
      grants,
    });

    return async (context) => {
      const { client, parameters, proof, resources, now, emit } = context;

      // RFC 6749 §6: the refresh token is bound to the client to which it was issued
      const secret = requireParameter(parameters, 'refresh_token');
      const token = await readRefreshToken(secret);
      const grant = token && (await grants.find(token.grantId));
      if (token === null || !grant || grant.clientId !== client.clientId)
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
      const names = [...new Set(parameters.scope?.split(' ') ?? authorization.scopes)].sort();
      const resourcesOfRequest = resources.length > 0 ? resources : authorization.resources;
      const request = {
        ...token,
        secret,
        fingerprint: requestFingerprint([...names, ...resourcesOfRequest], context),
      };

      const isCurrent = ({ refreshToken: current }: Grant) =>
        current !== undefined && equalText(current.hash, token.hash);

      /**
       * One atomic step; undefined if the token is expired or revoked, or another request was faster.
       *
       * @param unused the response to an earlier refresh by this token, if the client never used that response and the
       *   access token in it has expired. The client keeps the refresh token of that response, and gets a new access
       *   token.
       */
      const refresh = async (read: Grant, unused?: TokenResponse) => {
        const { refreshToken: current } = read;
        // `storeRefresh` has the same condition. Checked first: a dead token costs no hook, no quota and no DPoP proof.
        if (read.revokedAt !== undefined || current === undefined || current.expiresAt <= now)
          return undefined;

        // a choice of the consent page that is no longer the user's to give, such as a workspace that they have left
        const { userId } = authorization;
        const lost =
          userId &&
          (await findLostChoice(read.authorization, { userId, clientId: client.clientId }, settings));
        if (userId !== undefined && lost !== undefined) {
          if (await grants.revokeByRefreshToken({ ...token, grantId, clientId: client.clientId }, now))
            await emit('grant.revoked', { ...grantEventData(read), reason: 'choice_lost' });
          throw invalidRefreshToken('choice_lost', `the choice ${lost} does not hold any more`);
        }

        // a client that registered itself must not be removed while it refreshes
        await clients.prolong(client, now);
        const { write, response, scopes } = await generateTokens(dependencies, read, context, {
          grantType: 'refresh_token',
          scopes: requestedScopes(settings, read, parameters.scope),
          withRefreshToken: true,
          refreshTokenFamily: token.family,
        });
        const { refreshToken: next } = write;
        // `lifetimes.refreshTokenMax` may have been lowered since the refresh token was made
        if (next !== undefined && next.expiresAt <= now)
          throw invalidRefreshToken('refresh_token_expired', 'lifetimes.refreshTokenMax is over');

        const data = { ...grantEventData(read), scopes };
        // RFC 9700 §4.14.2: a public client keeps its refresh token only if that is bound to a key. FAPI 2.0 Security
        // Profile §5.3.2.1-9: rotation gains nothing for a client that authenticates, and a lost response would cost it
        // the token; tokens of another server, which have no family, are replaced
        const isConfidential = client.type === 'confidential';
        const isRemaining =
          client.refreshTokens === 'keep'
            ? isConfidential || current.jkt !== undefined
            : token.family !== undefined && isConfidential && requiresFapi(settings, client);
        if ((isRemaining || unused !== undefined) && next !== undefined) {
          // the token lives for as long as a new one would
          const remaining = { ...write, refreshToken: { ...current, expiresAt: next.expiresAt } };
          const { refresh_token: _replaced, ...withoutRefreshToken } = response;
          const again = unused && { ...response, refresh_token: unused.refresh_token };
          const prepared = again && (await resends.prepare(request, context, { response: again, ...write }));
          // the client may have this refresh token already: `isAnswered` keeps its rotation from being undone
          const resend = prepared && { ...prepared, isAnswered: true };
          if (!(await grants.storeRefresh(read, current, { ...remaining, resend }))) return undefined;
          emit('token.issued', { ...data, grantType: 'refresh_token' });
          return again ?? withoutRefreshToken;
        }
        const resend = await resends.prepare(request, context, {
          response,
          ...write,
          previous: read.resend,
        });
        if (!(await grants.storeRefresh(read, token, { ...write, resend }))) return undefined;
        emit('refresh.rotated', data);
        emit('token.issued', { ...data, grantType: 'refresh_token' });
        return response;
      };

      let response = isCurrent(grant)
        ? ((await refresh(grant)) ?? (await resends.find(request, context)))
        : await resends.find(request, context, grant);
      // a client that never used the response has waited for longer than its access token lives; a grace in seconds is
      // not prolonged that way
      const isExpired = response?.expires_in === 0 && settings.tokens.reuseGrace === 'untilUsed';
      if (isExpired && !isCurrent(grant)) {
        response = await refresh(grant, response);
        // another request was faster, and its access token is good
        response ??= await resends.find(request, context);
        if (response?.expires_in === 0) response = undefined;
      }
      if (response !== undefined) return response;

      // RFC 9700 §4.14.2: a token that was used before was stolen, or its successor was; nobody can tell which
      if (await grants.revokeReusedRefreshToken(grantId, token, now)) {
        const data = grantEventData(grant);
        await Promise.all([
          emit('refresh.reused', data),
          emit('grant.revoked', { ...data, reason: 'refresh_reused' }),
        ]);
        throw invalidRefreshToken('refresh_token_reused', 'used before: the grant is revoked now');
      }

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
