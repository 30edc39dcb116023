import { hashSecret } from '../../shared/crypto/secrets.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import type { ConsentClient } from './consent-client.js';

/** What a consent page says about a request. */
export interface ConsentPrompt {
  readonly client: ConsentClient;
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
  /** Absent if there are none. */
  readonly authorizationDetails?: readonly AuthorizationDetail[];
  /** Absent if a device waits for the decision. */
  readonly redirectUri?: string;
}

/**
 * A text that changes as soon as the page would say something else. It goes into the form, so that a decision counts
 * only for what the page said. It is no protection; the form has its CSRF token for that.
 *
 * The text is over the whole of {@link ConsentClient}, because the page reads nothing else of a client.
 */
export function consentDigest({
  client,
  scopes,
  resources,
  authorizationDetails = [],
  redirectUri,
}: ConsentPrompt): string {
  return hashSecret(JSON.stringify({ client, scopes, resources, authorizationDetails, redirectUri }));
}
