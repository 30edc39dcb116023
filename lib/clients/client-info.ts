import type { Client, ClientMetadata, ClientSecret } from './client.js';
import type { ClientField } from './client-field.js';
import { pickMetadata } from './client-metadata.js';
import type { CustomClientFields } from './custom-client-fields.js';

/** A registered client as the host sees it: no secrets. */
export interface ClientInfo extends ClientMetadata, CustomClientFields {
  readonly clientId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** There, and true, if the client registered itself (RFC 7591): what it says of itself is not verified. */
  readonly selfRegistered?: true;
  /** When each secret that works was made, and until when it works; the newest first. */
  readonly secrets: readonly { readonly createdAt: Date; readonly expiresAt?: Date }[];
}

/** What may be shown of a stored client: named field by field, so that no hash slips through. */
export function toClientInfo(
  { clientId, secrets, createdAt, updatedAt, registration, custom, ...metadata }: Client,
  now: Date,
  fields?: readonly ClientField[],
): ClientInfo {
  const isLive = ({ expiresAt }: ClientSecret) => expiresAt === undefined || expiresAt > now;
  return {
    ...custom,
    clientId,
    ...pickMetadata(metadata, fields),
    createdAt,
    updatedAt,
    ...(registration && { selfRegistered: true }),
    secrets: secrets.filter(isLive).map((secret) => ({
      createdAt: secret.createdAt,
      ...(secret.expiresAt && { expiresAt: secret.expiresAt }),
    })),
  };
}
