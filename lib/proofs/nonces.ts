import { equalText } from '../crypto/secrets.js';
import { tagOf } from '../crypto/tags.js';

/** What a server wants to see in proofs, so that none can be made ahead. @see RFC 9449 §8 */
export interface Nonces {
  current(now: Date): string;
  isFresh(nonce: string, now: Date): boolean;
}

/** Seconds until there is another one; the one before is taken as long again. */
const ROTATION = 120;

/** Nothing is stored: each is made of a secret that all processes have, and of the time. */
export function createNonces(secret: string): Nonces {
  const stepOf = (now: Date) => Math.floor(now.getTime() / 1000 / ROTATION);
  const nonceOf = (step: number) => tagOf(`dpop nonce ${step}`, secret);
  return {
    current: (now) => nonceOf(stepOf(now)),
    // a process whose clock is ahead has given the next one
    isFresh: (nonce, now) => [0, -1, 1].some((steps) => equalText(nonce, nonceOf(stepOf(now) + steps))),
  };
}
