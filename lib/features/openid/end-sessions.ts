import type { Client } from '../../core/clients/client.js';
import type {
  EndedSignIn,
  EndSignIns,
  LogoutSender,
  SignInsOf,
  SignInStore,
} from '../../core/openid/session-store.js';
import type { SidOf } from '../../core/openid/subjects.js';

export interface EndSignInsDependencies {
  readonly signIns: SignInStore;
  readonly sender: Pick<LogoutSender, 'add'>;
  /** Ends what was granted in these sign-ins. */
  readonly endGrants: (of: SignInsOf, now: Date) => Promise<number>;
  readonly findClients: (clientIds: readonly string[]) => Promise<readonly Client[]>;
  readonly sidOf: SidOf;
}

interface Found {
  /** Whose sign-ins, by the id that their session has here. */
  readonly of: SignInsOf;
  readonly clientIds: readonly string[];
  readonly ended: readonly EndedSignIn[];
}

export function createEndSignIns({
  signIns,
  sender,
  endGrants,
  findClients,
  sidOf,
}: EndSignInsDependencies): EndSignIns {
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
    const clients = new Map(
      (clientIds.length === 0 ? [] : await findClients(clientIds)).map((client) => [client.clientId, client]),
    );
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

  return async (given, now, { isFramed = false } = {}) => {
    const { of, clientIds, ended } = await findNotified(given);
    const notified = ended.filter(({ client }) => client.backchannelLogoutUri !== undefined);
    await sender.add(
      notified.map(({ signIn }) => signIn),
      now,
    );
    await endGrants(of, now);
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
  };
}
