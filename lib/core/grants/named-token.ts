import type { TokenKind } from '../../shared/protocol/token-kind.js';
import type { OwnerInvitation } from '../clients/client.js';

/** The grant types of tokens that users make for their own programs; no request at the token endpoint names them. */
export const NAMED_GRANT_TYPES = { personal: 'personal_access_token', service: 'service_token' } as const;
export type NamedTokenKind = keyof typeof NAMED_GRANT_TYPES;

/** A personal access token or service token, as its user has described it. Its grant has no registered client. */
export interface NamedToken {
  readonly name: string;
  readonly purpose?: string;
  /** How often the token was replaced; an update that read an older count changes nothing. */
  readonly rotations: number;
  readonly owners?: readonly string[];
  /** How often the owners or invitations changed; an update that read an older count changes nothing. */
  readonly ownerChanges?: number;
  readonly invitations?: readonly OwnerInvitation[];
  readonly createdBy?: string;
  /** Why an administrator has blocked the token; `blockedAt` of the grant says since when. */
  readonly blockedFor?: string;
  /** The day of the last use, and the address that used the token. */
  readonly lastUsedOn?: Date;
  readonly lastUsedFrom?: string;
  /** When the reminder of the expiry is due, or the lease on that reminder ends; absent once the reminder is stored. */
  readonly remindAt?: Date;
}

/** RFC 8628 §3.4 */
export const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';

const KIND_OF_GRANT_TYPE: Readonly<Record<string, TokenKind>> = {
  [NAMED_GRANT_TYPES.personal]: 'personal',
  [NAMED_GRANT_TYPES.service]: 'service',
  [DEVICE_CODE]: 'device',
};

export function kindOf({ grantType }: { readonly grantType: string }): TokenKind {
  return Object.hasOwn(KIND_OF_GRANT_TYPE, grantType) ? (KIND_OF_GRANT_TYPE[grantType] ?? 'app') : 'app';
}

/** The condition on `grantType` that selects tokens of a kind. */
export function grantTypesOf(kind: TokenKind): object {
  const types = Object.keys(KIND_OF_GRANT_TYPE);
  return kind === 'app'
    ? { $nin: types }
    : { $in: types.filter((type) => KIND_OF_GRANT_TYPE[type] === kind) };
}
