import { hashSecret } from '../../shared/crypto/secrets.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import type { Client } from '../clients/client.js';

/**
 * Everything that the consent page may say about a client, and nothing else. The functions of the page take this
 * instead of a client, and the digest in the form covers all of it. So the user decides about everything that the page
 * reads (RFC 6749 §10.2).
 */
export type ConsentClient = Readonly<ReturnType<typeof consentClientOf>>;

/** The only selection of a client's members for the consent page. */
export function consentClientOf(client: Pick<Client, 'clientId' | 'name'> & Partial<Client>) {
  const { clientId, name, type, description, ownerId, ownerSince, createdAt, granularConsent } = client;
  const { registration, document, trusted, verified, publisher, mayAct = [] } = client;
  return {
    clientId,
    name,
    type,
    description,
    // default: the addresses that the client sent when it registered itself
    clientUri: client.clientUri ?? registration?.details?.clientUri,
    logoUri: client.logoUri ?? registration?.details?.logoUri,
    policyUri: client.policyUri ?? registration?.details?.policyUri,
    tosUri: client.tosUri ?? registration?.details?.tosUri,
    ownerId,
    ownerSince,
    granularConsent,
    // until a user allows a client that describes itself, each request reads its document again, and `createdAt` would
    // be the time of the read
    createdAt: document === undefined ? createdAt : undefined,
    /** The clients to which the client may hand tokens on. */
    mayAct,
    /** Whether the page calls the client verified; a trusted client counts as verified. */
    isVerified: trusted === true || verified === true,
    /** The organization behind the client, as the site has verified it. */
    publisher: verified === true ? publisher : undefined,
    isSelfRegistered: registration !== undefined,
    /** Whether the `client_id` is the address of the document that describes the client. */
    describesItself: document !== undefined,
  };
}

export interface ConsentPrompt {
  readonly client: ConsentClient;
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
  readonly authorizationDetails?: readonly AuthorizationDetail[];
  /** Absent if a device waits for the decision. */
  readonly redirectUri?: string;
}

/**
 * A digest that changes with the content of the page. The form carries it, so that a decision counts only for the page
 * that the user saw. It is no protection; the form has its CSRF token for that.
 *
 * The digest covers the whole of {@link ConsentClient}, because the page reads nothing else of a client.
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
