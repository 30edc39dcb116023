import type { ClientConsents } from './client-store.js';

/**
 * Changes a client into one that people have not allowed (another name, or another place to go), so that they are asked
 * again. Their consents are forgotten first: a silent request in between finds none, and a try that failed half way has
 * changed nothing unasked. Consents that came meanwhile, to the client as it was, are forgotten afterwards.
 *
 * @see RFC 6749 §10.2, OAuth Client ID Metadata Document §8.4
 */
export async function askingAgain<Result>(
  consents: Pick<ClientConsents, 'forget'>,
  clientId: string,
  change: () => Promise<Result>,
): Promise<Result> {
  await consents.forget({ clientId });
  const changed = await change();
  await consents.forget({ clientId });
  return changed;
}
