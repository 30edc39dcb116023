import { createEncryptToClient } from '../../core/client-authentication/encrypt-to-client.js';
import type { Client } from '../../core/clients/client.js';
import { defaultAlgorithms } from '../../core/clients/fapi-profile.js';
import type { SignIn } from '../../core/openid/sign-ins.js';
import { createSids, createSubjects } from '../../core/openid/subjects.js';
import type { FeatureParts } from '../../server/server.js';
import { switchedOn } from '../../settings/table/switched-on.js';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** Seconds; §4 recommends two minutes at most. Each attempt has a token of its own. */
const LIFETIME = 120;

/** Makes Logout Tokens; the `jti` is the same in each attempt. @see OpenID Connect Back-Channel Logout §2.4 */
export function createLogoutTokens({ settings, signingKeys, clientKeys }: FeatureParts) {
  const openid = switchedOn(settings.openid, 'openid');
  const [subjectOf, sidOf] = [createSubjects(openid), createSids(openid)];
  const algorithmFor = defaultAlgorithms(settings);
  const encrypt = createEncryptToClient(clientKeys);
  return async (client: Client, { userId, sid }: SignIn, jti: string, now: Date): Promise<string> => {
    const iat = Math.floor(now.getTime() / 1000);
    const claims = {
      iss: settings.issuer,
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
