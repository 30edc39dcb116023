import { createHash } from 'node:crypto';

import { createEncryptToClient } from '../../core/client-authentication/encrypt-to-client.js';
import type { Client } from '../../core/clients/client.js';
import { defaultAlgorithms } from '../../core/clients/fapi-profile.js';
import type { CreateIdToken, IdTokenPlan } from '../../core/openid/openid-authorization.js';
import { createSids, createSubjects } from '../../core/openid/subjects.js';
import type { LoginParts } from '../../server/server.js';
import { requireEnabled } from '../../settings/table/require-enabled.js';
import { addSeconds } from '../../shared/date.js';
import { OAuthError, unexpectedCondition } from '../../shared/errors.js';
import { storedClaims } from './claims-request.js';
import type { OpenidSettings, UserClaims } from './options.js';
import { findUserClaims } from './user-claims.js';

const MAX_SUBJECT_LENGTH = 255;

/**
 * Makes ID tokens. A sign-in of a client with a logout URI is stored, by one command; other clients and refreshes need
 * none.
 *
 * @see OpenID Connect Core §2, OpenID Connect Back-Channel Logout §2.3
 */
export function createIdTokens({ settings, models, signingKeys, clientKeys }: LoginParts): CreateIdToken {
  const openid = requireEnabled(settings.openid, 'openid');
  const [subjectOf, sidOf] = [createSubjects(openid), createSids(openid)];
  // the algorithm for clients that have registered none
  const algorithmFor = defaultAlgorithms(settings);
  const encrypt = createEncryptToClient(clientKeys);

  const sign = async (plan: IdTokenPlan): Promise<string> => {
    const { client, userId, accessToken, code, isRefreshed, now } = plan;
    const { idTokenSignedResponseAlg: algorithm = algorithmFor(client) } = client;
    const { nonce, authTime, acr, amr, sid } = plan.openid;
    const iat = Math.floor(now.getTime() / 1000);
    const claimsOfUser = await claimsIn(openid, plan);
    const sub = subjectOf(client, userId);
    // OpenID Connect Core §2: at most 255 characters, all of them ASCII
    if (sub.length > MAX_SUBJECT_LENGTH || /\P{ASCII}/u.test(sub))
      throw unexpectedCondition(
        'people.id gives an id that no ID token can have: at most 255 characters, all of them ASCII; openid.pairwiseSalt makes such ids',
      );
    // JSON leaves out members that are undefined
    const claims = {
      ...claimsOfUser,
      iss: settings.issuer,
      sub,
      // one audience, so azp is not needed (OpenID Connect Core §2)
      aud: client.clientId,
      exp: iat + settings.lifetimes.idToken,
      iat,
      // OpenID Connect Core §12.2: a refreshed ID token SHOULD NOT have a nonce
      nonce: isRefreshed ? undefined : nonce,
      auth_time: authTime,
      acr,
      amr,
      // a logout token names the session by it, so only clients with a logout URI get one
      sid: sid !== undefined && hearsOfLogout(client) ? sidOf(client, sid) : undefined,
      at_hash: accessToken === undefined ? undefined : halfHash(accessToken, algorithm),
      // OpenID Connect Core §3.3.2.11
      c_hash: code === undefined ? undefined : halfHash(code, algorithm),
    };
    const { idTokenEncryptedResponseAlg: alg, idTokenEncryptedResponseEnc: enc } = client;
    // OpenID Connect Core §16.14: signed, then encrypted
    return encrypt(await signingKeys.sign('JWT', claims, { required: algorithm }), client, { alg, enc });
  };

  return async (plan) => {
    const { client, userId, isRefreshed, now } = plan;
    const { clientId } = client;
    const { sid } = plan.openid;
    const remember = async () => {
      if (sid === undefined || isRefreshed || !hearsOfLogout(client)) return;
      const expiresAt = addSeconds(now, openid.signInTtl);
      await models.signIns.keep({ sid, userId, clientId, at: now, expiresAt });
    };
    const [token] = await Promise.all([sign(plan), remember()]);
    return token;
  };
}

/** Whether a client has a URI for logouts. */
function hearsOfLogout({ backchannelLogoutUri, frontchannelLogoutUri }: Client): boolean {
  return backchannelLogoutUri !== undefined || frontchannelLogoutUri !== undefined;
}

/**
 * OpenID Connect Core §5.4: the claims of scopes are in the ID token only if the client gets no access token to read
 * them with, now or later.
 */
async function claimsIn(
  settings: OpenidSettings,
  { userId, scopes, openid, accessToken, code }: IdTokenPlan,
): Promise<UserClaims> {
  const withScopes = (accessToken ?? code) === undefined && scopes.some((scope) => scope !== 'openid');
  const { idToken: requested } = storedClaims(openid, settings.scopeClaims);
  if (!withScopes && Object.keys(requested).length === 0) return {};
  const claims = await findUserClaims(settings, {
    userId,
    scopes,
    requested,
    withScopes,
    claimsLocales: openid.claimsLocales,
  });
  if (claims !== undefined) return claims;
  // RFC 6749 §5.2: the user of the grant no longer exists
  throw new OAuthError('invalid_grant', 'the person who has signed in is not here any more', {
    reason: 'user_unknown',
    detail: `openid.claims gave nobody for ${userId}`,
  });
}

/** OpenID Connect Core §3.1.3.6, §3.3.2.11: the left half of the hash that the signature uses. */
export function halfHash(value: string, algorithm: string): string {
  // for Ed25519 it is SHA-512 (RFC 8032 §5.1)
  const hash = createHash(algorithm === 'EdDSA' ? 'sha512' : 'sha256')
    .update(value, 'ascii')
    .digest();
  return hash.subarray(0, hash.length / 2).toString('base64url');
}
