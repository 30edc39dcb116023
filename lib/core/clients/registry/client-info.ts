import type { CustomClientFields } from '../../../shared/custom-fields.js';
import { withoutUndefined } from '../../../shared/without-undefined.js';
import type { Client, ClientBlock, ClientMetadata, ClientSecret, OwnerInvitation } from '../client.js';
import type { ClientField } from '../client-field.js';
import { pickMetadata } from '../client-metadata.js';
import { remaining } from '../client-owners.js';

/** A registered client as the site sees it: no secrets. */
export interface ClientInfo extends ClientMetadata, CustomClientFields {
  readonly clientId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** True if the client registered itself (RFC 7591) or describes itself by a document at its id; otherwise absent. */
  readonly selfRegistered?: true;
  /**
   * Present until approval, with the option `applications.approval`: until then only the owner can authorize the
   * client.
   */
  readonly awaitsApprovalSince?: Date;
  /**
   * The names of the fields that an owner, the client itself or its document has changed since the site approved or
   * verified the client, which ended that; absent if there are none.
   */
  readonly changedSinceReview?: readonly string[];
  /** Present if a user was invited to become an owner and has not answered yet. */
  readonly invitations?: readonly OwnerInvitation[];
  /** Present if an administrator has blocked the client: it gets no tokens until it is unblocked. */
  readonly blocked?: ClientBlock;
  /** The valid secrets, the newest first. */
  readonly secrets: readonly Pick<ClientSecret, 'createdAt' | 'expiresAt' | 'ending' | 'lastUsedOn'>[];
}

/** The public view of a stored client. Each field is listed, so that no hash slips through. */
export function toClientInfo(client: Client, now: Date, fields?: readonly ClientField[]): ClientInfo {
  const { clientId, createdAt, updatedAt, registration, document, blocked } = client;
  const live = client.secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now);
  return withoutUndefined({
    ...client.custom,
    clientId,
    ...pickMetadata(client, fields),
    createdAt,
    updatedAt,
    selfRegistered: (registration ?? document) && true,
    awaitsApprovalSince: client.awaitsApprovalSince,
    changedSinceReview: client.review?.changed,
    ...remaining(client, now),
    blocked,
    secrets: live.map(({ createdAt: made, expiresAt, ending, lastUsedOn }) =>
      withoutUndefined({ createdAt: made, expiresAt, ending, lastUsedOn }),
    ),
  }) as ClientInfo;
}
