import { usernameKey } from '../protocol/username-key.js';
import { BCRYPT_PATIENCE } from './bcrypt-queues.js';
import {
  type Caller,
  createFailureLimit,
  failureKey,
  type FailureLimitOptions,
  reserveAll,
} from './failure-limit.js';
import { createKeyedMutex } from './keyed-mutex.js';

const WINDOW = 15 * 60;
/** The limit of an address is this many times a user's: many users may share it, but not this many wrong passwords. */
export const ADDRESS_FACTOR = 10;

/**
 * Runs an attempt at a user's password; null is a failure and counts.
 *
 * @param signal aborted when nobody waits any more: a waiting attempt then never starts
 * @throws OAuthError temporarily_unavailable if earlier attempts take too long
 */
export type GuessLimit = <T>(
  caller: Caller,
  username: string,
  attempt: () => Promise<T | null>,
  signal?: AbortSignal,
) => Promise<T | null>;

/**
 * Refuses callers who failed too often, by address and name, and by address alone (one password tried on many names)
 * unless the key charges an account.
 *
 * @see RFC 6749 §4.3.2, §10.10 and NIST SP 800-63B §5.2.2
 */
export function createGuessLimit(options: {
  readonly shared?: FailureLimitOptions['shared'];
  /** Failures of one key in 15 minutes. False: no limit. */
  readonly failures: number | false;
  /**
   * Whether ten times as many failures of one address count, too. `false` if each attempt counts against an account:
   * neighbours at an address then cannot lock each other out. Default: `true`.
   */
  readonly perAddress?: boolean;
  /** The key of an attempt. Default: the caller's address and the name. */
  readonly keyOf?: (caller: Caller, username: string) => string;
}): GuessLimit {
  const { failures, shared, perAddress = true } = options;
  const { keyOf = (caller, username) => failureKey(caller, usernameKey(username)) } = options;
  if (failures === false) return (_caller, _username, attempt) => attempt();
  const limitOf = (by: string, max: number) =>
    createFailureLimit({
      failures: max,
      window: WINDOW,
      shared: shared && { ...shared, name: `${shared.name} ${by}` },
    });
  const byName = limitOf('name', failures);
  const byAddress = perAddress ? limitOf('address', failures * ADDRESS_FACTOR) : undefined;
  const keyedMutex = createKeyedMutex();

  return (caller, username, attempt, signal) => {
    const key = keyOf(caller, username);
    const limited = async () => {
      const begun = await reserveAll([
        { limit: byName, key },
        ...(byAddress === undefined ? [] : [{ limit: byAddress, key: failureKey(caller, '') }]),
      ]);
      const result = await attempt().catch((error: unknown) => {
        begun.refund();
        throw error;
      });
      if (result === null) await begun.fail();
      else begun.refund();
      return result;
    };
    return keyedMutex(key, limited, { patience: BCRYPT_PATIENCE, signal });
  };
}
