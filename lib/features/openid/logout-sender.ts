import { createEncryptToClient } from '../../core/client-authentication/encrypt-to-client.js';
import { defaultAlgorithms } from '../../core/clients/fapi-profile.js';
import { standingOf } from '../../core/clients/provenance.js';
import { clientFetchLimits, fetchLimitsFor } from '../../core/clients/untrusted-fetch-limits.js';
import { createBackgroundReport } from '../../core/observability/report.js';
import type { SignIn } from '../../core/openid/sign-ins.js';
import { createSids, createSubjects } from '../../core/openid/subjects.js';
import { createDeliveryWorker, type DeliveryOutcome } from '../../delivery/delivery-worker.js';
import { buildMessage } from '../../delivery/new-messages.js';
import type { WebhookMessage } from '../../delivery/outbox.js';
import { createThrottledSend, NotTaken } from '../../delivery/throttled-send.js';
import type { FeatureParts } from '../../server/server.js';
import { requireEnabled } from '../../settings/table/require-enabled.js';
import { post } from '../../shared/outbound/safe-fetch.js';

/** The endpoint of these messages in the outbox; the name of a webhook receiver cannot have a space. */
const NAME = 'back-channel logout';
/** Seconds until a message to an unreachable client is dropped. */
const GIVE_UP_AFTER = 86_400;
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** Lifetime of a token in seconds; §4 recommends two minutes at most. Each attempt makes a new token. */
const LIFETIME = 120;

/**
 * Sends Logout Tokens from the outbox of webhooks: until the client accepts them, in order for each session, with
 * growing pauses. A slow client delays no other.
 *
 * @see OpenID Connect Back-Channel Logout §2.4, §2.5
 */
export function createLogoutSender({
  settings,
  models,
  signingKeys,
  clientKeys,
  limitUntrustedFetch,
}: FeatureParts) {
  const { outbox, clients } = models;
  const limits = clientFetchLimits(settings);
  const openid = requireEnabled(settings.openid, 'openid');
  const [subjectOf, sidOf] = [createSubjects(openid), createSids(openid)];
  const algorithmFor = defaultAlgorithms(settings);
  const encrypt = createEncryptToClient(clientKeys);
  const notify = createBackgroundReport(settings.onError, 'end_session');

  const throttled = createThrottledSend();
  const attempt = async ({ _id: id, payload }: WebhookMessage, now: Date): Promise<DeliveryOutcome> => {
    const { clientId, userId, sid } = JSON.parse(payload) as SignIn;
    const client = await clients.find(clientId);
    // the client has removed its URI
    if (client?.backchannelLogoutUri === undefined) return {};
    const { backchannelLogoutUri: url } = client;
    const send = async (): Promise<void> => {
      const iat = Math.floor(now.getTime() / 1000);
      const claims = {
        iss: settings.issuer,
        // §2.4: the `sub` of its ID tokens
        sub: subjectOf(client, userId),
        aud: clientId,
        iat,
        exp: iat + LIFETIME,
        // the same in each attempt
        jti: id,
        // §2.1
        sid: sidOf(client, sid),
        events: { [EVENT]: {} },
      };
      // §2.6-3: with the algorithm of its ID tokens; §2.4: with a typ of its own, and never with a nonce
      const algorithm = client.idTokenSignedResponseAlg ?? algorithmFor(client);
      const signed = await signingKeys.sign('logout+jwt', claims, { required: algorithm });
      // §2.4, §2.6-1: encrypted as its ID tokens are. Fetching the client's keys may take long or fail, like the
      // request itself; nobody waits for either
      const { idTokenEncryptedResponseAlg: alg, idTokenEncryptedResponseEnc: enc } = client;
      const token = await encrypt(signed, client, { alg, enc });
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const body = new URLSearchParams({ logout_token: token }).toString();
      const { status } = await post(url, { headers, body }, fetchLimitsFor(limits, client, url));
      // §2.8: 200, or 204 from some frameworks
      if (status !== 200 && status !== 204) throw new NotTaken(status);
    };
    const standing = standingOf(client);
    // clients that the site vouches for have no limit; for others, logouts beyond the limit are sent later
    const isPerRequest = standing !== 'vouched';
    const fetch = { url, clientId, standing, getCaller: () => ({ userId }), isPerRequest };
    return throttled(clientId, () => limitUntrustedFetch({ ...fetch, hasOwnPauses: true }, send));
  };

  const worker = createDeliveryWorker({
    endpoint: { name: NAME, timeout: limits.timeout, giveUpAfter: GIVE_UP_AFTER },
    attempt,
    outbox,
    atOnce: 16,
    onGivenUp: (_reason, count) => count > 0 && notify(`${count} clients could not be told of a logout`),
    onAway: (cause) => notify('the database did not answer', cause),
  });

  return {
    /** Stores logout tokens for these sign-ins; they are sent in the background. */
    async add(signIns: readonly SignIn[], now: Date): Promise<void> {
      if (signIns.length === 0) return;
      await outbox.add(
        signIns.map(({ userId, sid, clientId }) =>
          buildMessage(
            { name: NAME, giveUpAfter: GIVE_UP_AFTER },
            {
              type: 'backchannel_logout',
              about: JSON.stringify([clientId, sid]),
              payload: JSON.stringify({ clientId, userId, sid }),
            },
            now,
          ),
        ),
      );
      worker.wake();
    },
    close: () => worker.close(),
  };
}
