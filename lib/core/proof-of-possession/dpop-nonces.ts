import { equalText, tagOf } from '../../shared/crypto/secrets.js';

/** What a server wants to see in proofs, so that none can be made in advance. @see RFC 9449 §8 */
export interface Nonces {
  current(now: Date): string;
  isFresh(nonce: string, now: Date): boolean;
}

/** Seconds until there is a new one; the old one is accepted for as long again. */
const ROTATION = 120;

/** Nothing is stored: each is made from a secret that all processes have, and from the time. */
export function createNonces(secret: string): Nonces {
  const stepOf = (now: Date) => Math.floor(now.getTime() / 1000 / ROTATION);
  const nonceOf = (step: number) => tagOf(`dpop nonce ${step}`, secret);
  return {
    current: (now) => nonceOf(stepOf(now)),
    // a process whose clock is ahead may have given out the next one
    isFresh: (nonce, now) => [0, -1, 1].some((steps) => equalText(nonce, nonceOf(stepOf(now) + steps))),
  };
}
