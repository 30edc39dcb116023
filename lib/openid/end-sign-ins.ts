import type { Client } from '../clients/client.js';
import type { LogoutSender } from './logout-sender.js';
import type { SignIn, SignInsOf, SignInStore } from './sign-ins.js';

export interface EndSignInsDependencies {
  readonly signIns: SignInStore;
  readonly sender: Pick<LogoutSender, 'add'>;
  /** Ends what was given by them. */
  readonly endGrants: (of: SignInsOf, now: Date) => Promise<number>;
  readonly findClients: (clientIds: readonly string[]) => Promise<readonly Client[]>;
}

/** A client with the sign-in that has ended there. */
export interface EndedSignIn {
  readonly client: Client;
  readonly signIn: SignIn;
}

/**
 * Ends the sign-ins of a person, or of one session of theirs: clients are told by the back channel, and what they have
 * got for it ends. What there is to tell them is kept before anything else is done.
 *
 * @returns where they were
 */
export type EndSignIns = (of: SignInsOf, now: Date) => Promise<readonly EndedSignIn[]>;

export function createEndSignIns({
  signIns,
  sender,
  endGrants,
  findClients,
}: EndSignInsDependencies): EndSignIns {
  return async (of, now) => {
    const found = await signIns.find(of);
    const clientIds = [...new Set(found.map(({ clientId }) => clientId))];
    const clients = new Map(
      (clientIds.length === 0 ? [] : await findClients(clientIds)).map((client) => [client.clientId, client]),
    );
    const ended = found.flatMap((signIn) => {
      const client = clients.get(signIn.clientId);
      return client === undefined ? [] : [{ client, signIn }];
    });
    const told = ended.filter(({ client }) => client.backchannelLogoutUri !== undefined);
    await sender.add(
      told.map(({ signIn }) => signIn),
      now,
    );
    await endGrants(of, now);
    // those alone that were seen: one that has begun meanwhile is not told of
    if (clientIds.length > 0) await signIns.remove({ ...of, clientIds });
    return ended;
  };
}
