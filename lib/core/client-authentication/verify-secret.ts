import type { MethodDependencies, RunningMethod } from './method.js';

/** A secret authenticates a confidential client; a public one has none, so only an empty secret is right for it. */
export function verifySecret({
  verifySecret: verify,
  noteSecretUse,
}: Pick<MethodDependencies, 'verifySecret' | 'noteSecretUse'>): RunningMethod['verify'] {
  return async (
    client,
    { clientSecret = '' },
    { now, beforeGuess, closeSignal, isFromForeignPage = false },
  ) => {
    const { type, secrets } = client;
    if (type === 'public') return clientSecret === '';
    if (clientSecret === '') return false;
    // rate limits are per address, and a malicious page could use those of its visitors. Never try guessable secrets
    // for cross-origin requests
    const possible = isFromForeignPage ? secrets.filter(({ algorithm }) => algorithm !== 'bcrypt') : secrets;
    const right = await verify(clientSecret, possible, { now, beforeGuess, closeSignal });
    if (right === undefined) return false;
    noteSecretUse(client, right);
    return true;
  };
}
