import { createHash } from 'node:crypto';

import type { OpenidSettings, UserClaims } from '../../settings/options/openid-options.js';
import type { Settings } from '../../settings/settings.js';
import { addSeconds } from '../../shared/date.js';
import { OAuthError, unexpectedCondition } from '../../shared/errors.js';
import type { Client } from '../clients/client.js';
import type { SigningKeys } from '../keys/signing-keys.js';
import { storedClaims } from './claims-request.js';
import type { OpenidAuthorization } from './openid-authorization.js';
import { hearsOfLogout, type SignInStore } from './session-store.js';
import type { SidOf, SubjectOf } from './subjects.js';
import { findUserClaims } from './user-claims.js';

const MAX_SUBJECT_LENGTH = 255;

export interface IdTokenPlan {
  readonly client: Client;
  readonly userId: string;
  readonly openid: OpenidAuthorization;
  readonly scopes: readonly string[];
  readonly accessToken?: string;
  readonly code?: string;
  readonly isRefreshed: boolean;
  readonly now: Date;
}

/** Tell a client who has logged in. @see OpenID Connect Core §2 */
export interface IdTokens {
  create(plan: IdTokenPlan): Promise<string>;
}

export interface IdTokenDependencies {
  readonly issuer: string;
  readonly openid: Pick<OpenidSettings, 'claims' | 'scopeClaims'>;
  readonly lifetimes: Pick<Settings['lifetimes'], 'idToken'>;
  readonly subjectOf: SubjectOf;
  readonly sidOf: SidOf;
  readonly signingKeys: Pick<SigningKeys, 'sign'>;
  /** For clients that have registered none. */
  readonly algorithmFor: (client: Client) => string;
  /** So that only its client can read it, if that has registered how. */
  readonly encrypt: (
    jwt: string,
    client: Client,
    by: { readonly alg: string | undefined; readonly enc: string | undefined },
  ) => Promise<string>;
}

export function createIdTokens(dependencies: IdTokenDependencies): IdTokens {
  const { issuer, openid: settings, lifetimes, subjectOf, sidOf } = dependencies;
  const { signingKeys, algorithmFor, encrypt } = dependencies;
  return {
    async create(plan) {
      const { client, userId, openid, accessToken, code, isRefreshed, now } = plan;
      const { idTokenSignedResponseAlg: algorithm = algorithmFor(client) } = client;
      const { nonce, authTime, acr, amr, sid } = openid;
      const iat = Math.floor(now.getTime() / 1000);
      const claims = {
        ...(await claimsIn(settings, plan)),
        iss: issuer,
        sub: requireSubject(subjectOf(client, userId)),
        // one audience, so azp is not needed (OpenID Connect Core §2)
        aud: client.clientId,
        exp: iat + lifetimes.idToken,
        iat,
        // OpenID Connect Core §12.2: a refreshed one SHOULD NOT have it
        ...(nonce !== undefined && !isRefreshed && { nonce }),
        ...(authTime !== undefined && { auth_time: authTime }),
        ...(acr !== undefined && { acr }),
        ...(amr !== undefined && { amr: [...amr] }),
        // a logout names the session by it, so it is for clients that hear of one
        ...(sid !== undefined && hearsOfLogout(client) && { sid: sidOf(client, sid) }),
        ...(accessToken !== undefined && { at_hash: halfHash(accessToken, algorithm) }),
        // OpenID Connect Core §3.3.2.11
        ...(code !== undefined && { c_hash: halfHash(code, algorithm) }),
      };
      const { idTokenEncryptedResponseAlg: alg, idTokenEncryptedResponseEnc: enc } = client;
      // OpenID Connect Core §16.14: signed, then encrypted
      return encrypt(await signingKeys.sign('JWT', claims, { required: algorithm }), client, { alg, enc });
    },
  };
}

/** OpenID Connect Core §2: `sub` MUST NOT have more than 255 ASCII characters. */
function requireSubject(subject: string): string {
  // \P{ASCII} is what is not ASCII
  if (subject.length <= MAX_SUBJECT_LENGTH && !/\P{ASCII}/u.test(subject)) return subject;
  throw unexpectedCondition(
    'people.id gives an id that no ID token can have: at most 255 characters, all of them ASCII; openid.pairwise makes such ids',
  );
}

/**
 * OpenID Connect Core §5.4: the claims of scopes are in the ID token only if the client gets no access token to read
 * them with, now or later.
 */
async function claimsIn(
  settings: IdTokenDependencies['openid'],
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
  // RFC 6749 §5.2: the user it was granted for no longer exists
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

/**
 * Remembers the ID tokens of clients that want to hear of the logout: one command for each sign-in, none for other
 * clients, and none for a refresh. (OpenID Connect Back-Channel Logout §2.3)
 *
 * @param life seconds that a sign-in is remembered
 */
export function rememberSignIns(idTokens: IdTokens, signIns: SignInStore, life: number): IdTokens {
  const remember = async ({ client, userId, openid: { sid }, isRefreshed, now }: IdTokenPlan) => {
    if (sid === undefined || isRefreshed || !hearsOfLogout(client)) return;
    await signIns.keep({ sid, userId, clientId: client.clientId, at: now, expiresAt: addSeconds(now, life) });
  };
  return {
    async create(plan) {
      const [token] = await Promise.all([idTokens.create(plan), remember(plan)]);
      return token;
    },
  };
}
