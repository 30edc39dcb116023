import type { EndedSignIn, SignInsOf } from '../../core/openid/sign-ins.js';
import { createSids } from '../../core/openid/subjects.js';
import type { FeatureParts, Logout } from '../../server/server.js';
import { requireEnabled } from '../../settings/table/require-enabled.js';
import { createLogoutSender } from './logout-sender.js';

/** Ends sign-ins of users through this site, and notifies the clients. */
export function createLogout(parts: FeatureParts): Logout {
  const { signIns, clients: clientStore, grants } = parts.models;
  const sidOf = createSids(requireEnabled(parts.settings.openid, 'openid'));
  const logoutSender = createLogoutSender(parts);
  /** The sign-ins and their clients, by the session id of this site. */
  const find = async (of: SignInsOf) => {
    const stored = await signIns.find(of);
    const clientIds = [...new Set(stored.map(({ clientId }) => clientId))];
    const existing = clientIds.length === 0 ? [] : await clientStore.findAll(clientIds);
    const clients = new Map(existing.map((client) => [client.clientId, client]));
    const ended = stored.flatMap((signIn): EndedSignIn[] => {
      const client = clients.get(signIn.clientId);
      if (client === undefined) return [];
      try {
        return [{ client, signIn, sid: sidOf(client, signIn.sid) }];
      } catch {
        // without pairwiseSalt this client gets no message, but the others do; its logout token fails with a report
        return [{ client, signIn, sid: undefined }];
      }
    });
    return { of, clientIds, ended };
  };

  return {
    logoutSender,
    async endSignIns(filter, now, { isFramed = false } = {}) {
      let result = await find(filter);
      if (filter.sid !== undefined && result.clientIds.length === 0) {
        // a client with pairwise subjects has its own `sid`, which the store does not have
        const { ended: all } = await find({ ...filter, sid: undefined });
        const storedSid = all.find(({ sid }) => sid === filter.sid)?.signIn.sid;
        if (storedSid !== undefined) result = await find({ ...filter, sid: storedSid });
      }
      const { of, clientIds, ended } = result;
      const notified = ended.filter(({ client }) => client.backchannelLogoutUri !== undefined);
      await logoutSender.add(
        notified.map(({ signIn }) => signIn),
        now,
      );
      await grants.endSignIn(of, now);
      // a client with only a front-channel logout is still signed in (Front-Channel Logout §2)
      const unnotified = isFramed
        ? []
        : ended.filter(
            ({ client: { backchannelLogoutUri, frontchannelLogoutUri } }) =>
              frontchannelLogoutUri !== undefined && backchannelLogoutUri === undefined,
          );
      const left = new Set(unnotified.map(({ client }) => client.clientId));
      const done = clientIds.filter((clientId) => !left.has(clientId));
      // only the sign-ins that were read above: a later one was not reported
      if (done.length > 0) await signIns.remove({ ...of, clientIds: done });
      return ended;
    },
  };
}
