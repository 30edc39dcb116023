import { loadBcrypt, queueForPassword } from '../../shared/limits/bcrypt-queues.js';

/** Hashes passwords with bcrypt, and takes as long for an unknown name as for a known one. */
export interface Passwords {
  /** @throws OAuthError temporarily_unavailable if too many wait already, or it has waited too long, as `compare` */
  hash(password: string): Promise<string>;
  /**
   * Whether it is the password of a stored hash; undefined stands for an unknown name.
   *
   * @param signal what is aborted before it begins is refused
   */
  compare(password: string, stored: string | undefined, signal?: AbortSignal): Promise<Comparison>;
}

export interface Comparison {
  readonly isRight: boolean;
  /** What to store instead: the hash of the right password at today's cost. */
  readonly renewed?: string;
}

export interface PasswordOptions {
  /** Today's cost. */
  readonly rounds: number;
  /** Some of the stored hashes, which may have another cost. */
  readonly findSome: () => Promise<readonly string[]>;
}

export function createPasswords({ rounds, findSome }: PasswordOptions): Passwords {
  // now, so that a site whose bcrypt is broken ends when it starts, and not at the first login
  const loading = loadBcrypt();
  let highest: number | undefined;
  /** What every comparison costs: as much as the hash that costs the most. */
  const costOfAll = async (cost: number): Promise<number> => {
    highest ??= Math.max(rounds, ...(await findSome()).map(costOf));
    highest = Math.max(highest, cost);
    return highest;
  };

  return {
    hash: (password) => queueForPassword.run(async () => (await loading).hash(password, rounds)),
    async compare(password, stored, signal) {
      const cost = stored === undefined ? 0 : costOf(stored);
      const whole = await costOfAll(cost);
      const compareAll = async (): Promise<Comparison> => {
        const bcrypt = await loading;
        const isRight = stored !== undefined && (await bcrypt.compare(password, stored));
        await spendRest((rest) => bcrypt.hash(password, rest), cost, whole);
        return {
          isRight,
          ...(isRight && cost !== rounds && { renewed: await bcrypt.hash(password, rounds) }),
        };
      };
      return queueForPassword.run(compareAll, { signal });
    },
  };
}

/** Each cost is twice the work of the one before: 2^c, and then 2^c + 2^(c+1) + … + 2^(w-1), add up to 2^w. */
async function spendRest(
  hashAt: (cost: number) => Promise<unknown>,
  spent: number,
  whole: number,
): Promise<void> {
  if (spent === 0) await hashAt(whole);
  else for (let cost = spent; cost < whole; cost += 1) await hashAt(cost);
}

/** 0 for what is not a bcrypt hash: comparing it takes no time. */
function costOf(hash: string): number {
  return Number(/^\$2[abxy]?\$(\d\d)\$/.exec(hash)?.[1] ?? 0);
}
