import type { Client } from '../../core/clients/client.js';
import type { EndedSignIn, SignInsOf } from '../../core/openid/session-store.js';
import { createSids } from '../../core/openid/subjects.js';
import type { FeatureParts, Logout } from '../../server/server.js';
import { switchedOn } from '../../settings/table/switched-on.js';
import { createLogoutSender } from './logout-sender.js';

interface Found {
  /** Whose sign-ins, by the id that their session has here. */
  readonly of: SignInsOf;
  readonly clientIds: readonly string[];
  readonly ended: readonly EndedSignIn[];
}

/** Ends the sign-ins of users through this site, and tells their clients. */
export function createLogout(parts: FeatureParts): Logout {
  const { signIns, clients: clientStore, grants } = parts.models;
  const sidOf = createSids(switchedOn(parts.settings.openid, 'openid'));
  const logoutSender = createLogoutSender(parts);
  const sidFor = (client: Client, sid: string): string | undefined => {
    try {
      return sidOf(client, sid);
    } catch {
      // without its salt this client is not told, but all the others are; the attempt to send says why it failed
      return undefined;
    }
  };
  const find = async (of: SignInsOf): Promise<Found> => {
    const found = await signIns.find(of);
    const clientIds = [...new Set(found.map(({ clientId }) => clientId))];
    const existing = clientIds.length === 0 ? [] : await clientStore.findAll(clientIds);
    const clients = new Map(existing.map((client) => [client.clientId, client]));
    const ended = found.flatMap((signIn) => {
      const client = clients.get(signIn.clientId);
      return client === undefined ? [] : [{ client, signIn, sid: sidFor(client, signIn.sid) }];
    });
    return { of, clientIds, ended };
  };
  // the sid that a client with pairwise subjects knows is not the one that the session has here
  const findNotified = async (of: SignInsOf): Promise<Found> => {
    const named = await find(of);
    if (of.sid === undefined || named.clientIds.length > 0) return named;
    const { ended } = await find({ ...of, sid: undefined });
    const own = ended.find(({ sid }) => sid === of.sid)?.signIn.sid;
    return own === undefined ? named : find({ ...of, sid: own });
  };

  return {
    logoutSender,
    async endSignIns(given, now, { isFramed = false } = {}) {
      const { of, clientIds, ended } = await findNotified(given);
      const notified = ended.filter(({ client }) => client.backchannelLogoutUri !== undefined);
      await logoutSender.add(
        notified.map(({ signIn }) => signIn),
        now,
      );
      await grants.endSignIn(of, now);
      // a client that logs out only in a frame has not heard of it yet (Front-Channel Logout §2)
      const unnotified = isFramed
        ? []
        : ended.filter(
            ({ client: { backchannelLogoutUri, frontchannelLogoutUri } }) =>
              frontchannelLogoutUri !== undefined && backchannelLogoutUri === undefined,
          );
      const left = new Set(unnotified.map(({ client }) => client.clientId));
      const done = clientIds.filter((clientId) => !left.has(clientId));
      // only those that were seen: of one that has begun meanwhile nobody was told
      if (done.length > 0) await signIns.remove({ ...of, clientIds: done });
      return ended;
    },
  };
}
