import type { Emit } from '../observability/events.js';
import { option } from '../settings/option.js';
import { checkValues, parseOptions } from '../settings/parse-options.js';
import { text } from '../settings/shapes.js';
import type { ConsentStore } from './consent-store.js';
import type { GrantStore } from './grant-store.js';

const grantsOf = {
  /** Those of this user. */
  userId: option({ shape: () => text('the id of a user, as text') }),
  /** Those of this client. */
  clientId: option({ shape: () => text('the id of a client, as text') }),
};

/** Whose grants: a user's, a client's, or a user's at one client. At least one of the two. */
export type GrantsOf =
  | { readonly userId: string; readonly clientId?: string }
  | { readonly userId?: string; readonly clientId: string };

/** Ends what was granted, from code: a password was changed, an account deleted, a client misbehaved. */
export interface GrantRegistry {
  /**
   * Ends all tokens of a user, of a client, or of a user at a client, at once and in three commands, however many there
   * are; what the user has allowed is forgotten, so that the client has to ask again. Says how many grants ended.
   *
   * @param reason of the event `grant.revoked`. Default: `host`
   * @throws TypeError where neither is named, or one is there and no text, `undefined` among it
   */
  revoke(of: GrantsOf, reason?: string): Promise<number>;
}

export function createGrantRegistry(
  {
    grants,
    consents,
  }: { readonly grants: Pick<GrantStore, 'revokeAll'>; readonly consents: Pick<ConsentStore, 'forget'> },
  emit: Emit = () => undefined,
): GrantRegistry {
  return {
    async revoke(given, reason = 'host') {
      const { userId, clientId } = parseOptions('grants.revoke', grantsOf, given);
      checkValues('grants.revoke', given);
      const of = { ...(userId !== undefined && { userId }), ...(clientId !== undefined && { clientId }) };
      if (Object.keys(of).length === 0)
        throw new TypeError('grants.revoke: name a userId, a clientId or both, as text');
      const now = new Date();
      // forgotten first: a silent request that comes in between finds nothing that it could go by
      await consents.forget(of);
      const before = await grants.revokeAll(of, now);
      // what was given to one that had asked before that
      const revoked = before + (await grants.revokeAll(of, now));
      emit('grant.revoked', { ...of, count: revoked, reason });
      return revoked;
    },
  };
}
