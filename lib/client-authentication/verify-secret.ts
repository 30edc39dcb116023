import type { VerifyClientSecret } from '../clients/client-secrets.js';
import type { RunningMethod } from './method.js';

/** A secret authenticates a confidential client; a public one has none, so only an empty secret is right for it. */
export function verifySecret(verify: VerifyClientSecret): RunningMethod['verify'] {
  return (client, { clientSecret = '' }, { beforeGuess }) => {
    if (client.type === 'public') return Promise.resolve(clientSecret === '');
    return clientSecret === '' ? Promise.resolve(false) : verify(clientSecret, client.secrets, beforeGuess);
  };
}
