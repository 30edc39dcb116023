import { hashSecret } from '../../shared/crypto/secrets.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import type { Client } from '../clients/client.js';

/**
 * Everything that the consent page may say of a client, and nothing else. The functions of the page take this instead
 * of a client, and the digest in the form is over all of it. So the user decides about everything that the page reads
 * (RFC 6749 §10.2).
 */
export type ConsentClient = Readonly<ReturnType<typeof consentClientOf>>;

/** The one place that decides what of a client the consent page can show. */
export function consentClientOf(client: Pick<Client, 'clientId' | 'name'> & Partial<Client>) {
  const { clientId, name, type, description, ownerId, ownerSince, createdAt, granularConsent } = client;
  const { registration, document, trusted, verified, publisher, mayAct = [] } = client;
  return {
    clientId,
    name,
    type,
    description,
    // default: those that the client sent when it registered itself
    clientUri: client.clientUri ?? registration?.details?.clientUri,
    logoUri: client.logoUri ?? registration?.details?.logoUri,
    policyUri: client.policyUri ?? registration?.details?.policyUri,
    tosUri: client.tosUri ?? registration?.details?.tosUri,
    ownerId,
    ownerSince,
    granularConsent,
    // until somebody allows such a client, each request reads its document again, and the date would be that of the
    // read
    createdAt: document === undefined ? createdAt : undefined,
    /** The clients that it may hand this on to. */
    mayAct,
    /** Whether the page calls the client verified; a trusted client counts as verified. */
    isVerified: trusted === true || verified === true,
    /** Who stands behind the client, by the word of the site. */
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
