import type { VerifyClientSecret } from '../clients/client-secrets.js';
import type { RunningMethod } from './method.js';

/** A secret authenticates a confidential client; a public one has none, so only an empty secret is right for it. */
export function verifySecret(verify: VerifyClientSecret): RunningMethod['verify'] {
  return ({ type, secrets }, { clientSecret = '' }, { beforeGuess, isFromForeignPage = false }) => {
    if (type === 'public') return Promise.resolve(clientSecret === '');
    if (clientSecret === '') return Promise.resolve(false);
    // limits go by addresses, and a page has those of all its visitors: it cannot guess what is no secret for it
    const possible = isFromForeignPage ? secrets.filter(({ algorithm }) => algorithm !== 'bcrypt') : secrets;
    return verify(clientSecret, possible, beforeGuess);
  };
}
