import type { Client } from '../clients/client.js';

/** The fields of a client from which {@link consentClientOf} makes what the page may say. */
type ClientFields = Pick<Client, 'clientId' | 'name'> &
  Partial<
    Pick<Client, PlainField | 'mayAct' | 'type' | 'trusted' | 'verified' | 'registration' | 'document'>
  >;

/** What the page says as the client has it. */
type PlainField =
  'description' | 'clientUri' | 'logoUri' | 'policyUri' | 'tosUri' | 'ownerId' | 'ownerSince' | 'createdAt';

type Plain = { readonly [Field in PlainField]: Client[Field] | undefined };

/**
 * Everything that the consent page may say of a client, and nothing else. The functions of the page take this instead
 * of a client, and the digest in the form is over all of it: so whatever the page reads is part of what the person
 * answers (RFC 6749 §10.2).
 */
export interface ConsentClient extends Pick<Client, 'clientId' | 'name'>, Plain {
  readonly type: Client['type'] | undefined;
  /** The clients that it may hand this on to. */
  readonly mayAct: readonly string[];
  /** Whether the host vouches for the client: the page does not offer to ask about such a client each time. */
  readonly isTrusted: boolean;
  /** Whether the page calls the client verified; a trusted client counts as verified. */
  readonly isVerified: boolean;
  readonly isSelfRegistered: boolean;
  /** Whether the `client_id` is the address of the document that describes the client. */
  readonly describesItself: boolean;
}

/** The one place that decides what of a client the consent page can show. */
export function consentClientOf(client: ClientFields): ConsentClient {
  const { clientId, name, type, description, ownerId, ownerSince, createdAt } = client;
  const { registration, document, trusted, verified, mayAct = [] } = client;
  return {
    clientId,
    name,
    type,
    description,
    ...pagesOf(client),
    ownerId,
    ownerSince,
    // a client that nobody has allowed yet is read anew from its document for each request, and its page shows no date
    createdAt: document === undefined ? createdAt : undefined,
    mayAct,
    isTrusted: trusted === true,
    isVerified: trusted === true || verified === true,
    isSelfRegistered: registration !== undefined,
    describesItself: document !== undefined,
  };
}

/** What a client that registered itself said then stands in for what nobody has said since. */
function pagesOf({ clientUri, logoUri, policyUri, tosUri, registration }: ClientFields) {
  const details = registration?.details;
  return {
    clientUri: clientUri ?? details?.clientUri,
    logoUri: logoUri ?? details?.logoUri,
    policyUri: policyUri ?? details?.policyUri,
    tosUri: tosUri ?? details?.tosUri,
  };
}
