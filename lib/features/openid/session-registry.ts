import type { Emit } from '../../core/observability/events.js';
import type { EndSignIns } from '../../core/openid/sign-ins.js';
import { option, required } from '../../settings/table/option.js';
import { checkValues, parseOptions } from '../../settings/table/parse-options.js';
import { text } from '../../settings/table/shapes.js';

const sessionsOf = {
  /** Whose. */
  userId: required({ shape: () => text('the id of a user, as text') }),
  /**
   * Only one session, by the `sid` of its ID tokens; clients that hear of logouts have it in theirs. Default: all
   * sessions.
   */
  sid: option({ shape: () => text('the sid of a session, as text') }),
};

/** Sign-ins of users through this site. */
export interface SessionRegistry {
  /**
   * Ends sign-ins: each client that has a `backchannelLogoutUri` is told, and its tokens end, except those with
   * `offline_access`. You end the sessions of your site yourself. Resolves to the number of sign-ins of which
   * clients are told.
   *
   * @throws TypeError if an option is wrong, or `openid` is off
   */
  end(of: { readonly userId: string; readonly sid?: string }): Promise<number>;
}

export function createSessionRegistry(end: EndSignIns | undefined, emit: Emit): SessionRegistry {
  return {
    async end(filter) {
      const of = parseOptions('sessions.end', sessionsOf, filter);
      checkValues('sessions.end', filter);
      if (end === undefined)
        throw new TypeError('sessions.end: nobody signs in by this site; write the option openid');
      const ended = await end(of, new Date());
      const count = ended.filter(({ client }) => client.backchannelLogoutUri !== undefined).length;
      // the end of one of several sessions ends no other
      if (of.sid === undefined) await emit('session.ended', { userId: of.userId, count });
      return count;
    },
  };
}
