import type { Client } from '../../core/clients/client.js';
import type { SigningKeys } from '../../core/keys/signing-keys.js';
import type { IdTokenDependencies } from '../../core/openid/id-tokens.js';

/** The user, and the session of theirs, that a client is told about. */
export interface EndedSession {
  readonly userId: string;
  readonly sid: string;
  /** The same in each attempt. */
  readonly jti: string;
}

/** A Logout Token for a client. @see OpenID Connect Back-Channel Logout §2.4 */
export type SignLogoutToken = (client: Client, ended: EndedSession, now: Date) => Promise<string>;

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** Seconds; §4 recommends two minutes at most. Each attempt has a token of its own. */
const LIFETIME = 120;

export function createLogoutTokens({
  issuer,
  signingKeys,
  subjectOf,
  sidOf,
  algorithmFor,
  encrypt,
}: Pick<IdTokenDependencies, 'encrypt' | 'subjectOf' | 'sidOf'> & {
  readonly issuer: string;
  readonly signingKeys: Pick<SigningKeys, 'sign'>;
  /** For clients that have registered none. */
  readonly algorithmFor: (client: Client) => string;
}): SignLogoutToken {
  return async (client, { userId, sid, jti }, now) => {
    const iat = Math.floor(now.getTime() / 1000);
    const claims = {
      iss: issuer,
      // §2.4: as in its ID tokens
      sub: subjectOf(client, userId),
      aud: client.clientId,
      iat,
      exp: iat + LIFETIME,
      jti,
      // §2.1
      sid: sidOf(client, sid),
      events: { [EVENT]: {} },
    };
    // §2.6-3: with the algorithm of its ID tokens; §2.4: with a typ of its own, and never with a nonce
    const algorithm = client.idTokenSignedResponseAlg ?? algorithmFor(client);
    const signed = await signingKeys.sign('logout+jwt', claims, { required: algorithm });
    const { idTokenEncryptedResponseAlg: alg, idTokenEncryptedResponseEnc: enc } = client;
    // §2.4, §2.6-1: encrypted as its ID tokens are
    return encrypt(signed, client, { alg, enc });
  };
}
