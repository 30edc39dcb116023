import type { ClientConsents } from './client-store.js';

/**
 * Makes of a client what people have not allowed: another name, or somewhere else to go; they are asked again. What
 * they have allowed is forgotten first, so that a silent request which comes in between finds nothing that it could go
 * by, and a try that failed half way changes nothing without it; what was allowed as it was meanwhile goes afterwards.
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
