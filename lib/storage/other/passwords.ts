import { loadBcrypt, queueForPassword } from '../../shared/limits/bcrypt-queues.js';

/**
 * Hashes passwords with bcrypt, and takes as long for an unknown name as for an existing one.
 *
 * @param rounds today's cost
 * @param findSome finds some of the stored hashes, which may have another cost
 */
export function createPasswords(rounds: number, findSome: () => Promise<readonly string[]>) {
  // loaded at once, so that a site with a broken bcrypt fails when it starts, and not at the first login
  const loading = loadBcrypt();
  let highest: number | undefined;
  /** The cost of every comparison: that of the most expensive hash. */
  const costOfAll = async (cost: number): Promise<number> => {
    highest ??= Math.max(rounds, ...(await findSome()).map(costOf));
    highest = Math.max(highest, cost);
    return highest;
  };

  return {
    /** @throws OAuthError temporarily_unavailable if the queue is full, or the wait too long, as `compare` */
    hash: (password: string) => queueForPassword.run(async () => (await loading).hash(password, rounds)),
    /**
     * Whether the password matches a stored hash; undefined stands for an unknown name.
     *
     * @param signal work that is aborted before its start is refused
     */
    async compare(password: string, stored: string | undefined, signal?: AbortSignal) {
      const cost = stored === undefined ? 0 : costOf(stored);
      const whole = await costOfAll(cost);
      const compareAll = async () => {
        const bcrypt = await loading;
        const isRight = stored !== undefined && (await bcrypt.compare(password, stored));
        // each cost is twice the work of the previous one: 2^c, and then 2^c + 2^(c+1) + … + 2^(w-1), add up to 2^w
        if (cost === 0) await bcrypt.hash(password, whole);
        else for (let rest = cost; rest < whole; rest += 1) await bcrypt.hash(password, rest);
        // the hash to store instead: of the right password at today's cost
        const isOld = isRight && cost !== rounds;
        return { isRight, renewed: isOld ? await bcrypt.hash(password, rounds) : undefined };
      };
      return queueForPassword.run(compareAll, { signal });
    },
  };
}

/** 0 for a text that is no bcrypt hash: its comparison takes no time. */
function costOf(hash: string): number {
  return Number(/^\$2[abxy]?\$(\d\d)\$/.exec(hash)?.[1] ?? 0);
}
