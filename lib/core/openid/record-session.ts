import { addSeconds } from '../../shared/date.js';
import { hearsOfLogout } from './hears-of-logout.js';
import type { IdTokenPlan, IdTokens } from './id-tokens.js';
import type { SignInStore } from './session-store.js';

export interface SignInMemory {
  readonly signIns: Pick<SignInStore, 'keep'>;
  /** Seconds that a sign-in is remembered. */
  readonly life: number;
}

/**
 * Remembers the ID tokens of clients that want to hear of the logout: one command for each sign-in, none for other
 * clients, and none for a refresh. (OpenID Connect Back-Channel Logout §2.3)
 */
export function rememberSignIns(idTokens: IdTokens, { signIns, life }: SignInMemory): IdTokens {
  const remember = async ({ client, userId, openid: { sid }, isRefreshed, now }: IdTokenPlan) => {
    if (sid === undefined || isRefreshed || !hearsOfLogout(client)) return;
    await signIns.keep({ sid, userId, clientId: client.clientId, at: now, expiresAt: addSeconds(now, life) });
  };
  return {
    async create(plan) {
      const [token] = await Promise.all([idTokens.create(plan), remember(plan)]);
      return token;
    },
  };
}
