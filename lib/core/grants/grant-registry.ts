import { option } from '../../settings/table/option.js';
import { checkValues, parseOptions } from '../../settings/table/parse-options.js';
import { text } from '../../settings/table/shapes.js';
import type { WithScopeNames } from '../../shared/protocol/scope.js';
import type { Emit } from '../observability/events.js';
import type { ConsentStore } from './consent-store.js';
import type { GrantStore } from './grant-store.js';
import type { CreatedGrant, NewGrantOptions } from './programmatic-grants.js';

const grantsOf = {
  /** Ends the grants of this user, with `clientId` only those at that client. One of the two is needed. */
  userId: option({ shape: () => text('the id of a user, as text') }),
  /** Ends the grants of this client. The argument `reason` is that of the event `grant.revoked`, by default `host`. */
  clientId: option({ shape: () => text('the id of a client, as text') }),
};

/** Whose grants: a user's, a client's, or a user's at one client. At least one of the two. */
export type GrantsOf =
  | { readonly userId: string; readonly clientId?: string }
  | { readonly userId?: string; readonly clientId: string };

/** Ends what was granted, from code: a password was changed, an account deleted, a client misbehaved. */
export interface GrantRevocation {
  /**
   * Ends all tokens of a user, of a client, or of a user at a client, at once and in three commands for any number of
   * them. What the user has allowed is forgotten, so that the client has to ask again. Says how many grants ended.
   *
   * @param reason of the event `grant.revoked`. Default: `host`
   * @throws TypeError if neither is named, or one is present but not text (`undefined` included)
   */
  revoke(of: GrantsOf, reason?: string): Promise<number>;
}

/** Grants from code. */
export interface GrantRegistry<Scopes extends string = string> extends GrantRevocation {
  /**
   * Makes a grant without asking anybody: you answer for it. For programs of your own, for moving from another server,
   * for tests. It is stored and ended like any other; its event is `token.issued` with the grant type `host`.
   *
   * @throws TypeError if an option is wrong
   * @throws OAuthError invalid_client if there is no such client, unauthorized_client if it is public and there is no
   * userId, invalid_scope, invalid_target, invalid_grant if the user has the id of the client
   * @see RFC 6749 §1.4, §1.5
   */
  create(grant: WithScopeNames<NewGrantOptions, Scopes>): Promise<CreatedGrant>;
}

export function createGrantRevocation(
  {
    grants,
    consents,
  }: { readonly grants: Pick<GrantStore, 'revokeAll'>; readonly consents: Pick<ConsentStore, 'forget'> },
  emit: Emit = () => undefined,
): GrantRevocation {
  return {
    async revoke(given, reason = 'host') {
      const { userId, clientId } = parseOptions('grants.revoke', grantsOf, given);
      checkValues('grants.revoke', given);
      const of = { ...(userId !== undefined && { userId }), ...(clientId !== undefined && { clientId }) };
      if (Object.keys(of).length === 0)
        throw new TypeError('grants.revoke: name a userId, a clientId or both, as text');
      const now = new Date();
      // forgotten first, so that a silent request in between finds no consent
      await consents.forget(of);
      const before = await grants.revokeAll(of, now);
      // ends what was given to a request that had read the consent before that
      const revoked = before + (await grants.revokeAll(of, now));
      await emit('grant.revoked', { ...of, count: revoked, reason });
      return revoked;
    },
  };
}
