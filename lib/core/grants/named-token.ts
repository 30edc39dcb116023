import type { TokenKind } from '../../shared/protocol/token-kind.js';
import type { OwnerInvitation } from '../clients/client.js';

/** The grant types of tokens that users make for their own programs; no request at the token endpoint names them. */
export const NAMED_GRANT_TYPES = { personal: 'personal_access_token', service: 'service_token' } as const;
export type NamedTokenKind = keyof typeof NAMED_GRANT_TYPES;

/** Most live tokens of a user, and most service tokens that a user owns. */
export const MAX_TOKENS = 50;
/** For a moment, requests at once can make a few more than {@link MAX_TOKENS}; the list has them all. */
export const MAX_LISTED_TOKENS = 2000;

/** A personal access token or service token, as its user has described it. Its grant has no registered client. */
export interface NamedToken {
  readonly name: string;
  readonly purpose?: string;
  /** How often the token was replaced: a step that has read an older count changes nothing. */
  readonly rotations: number;
  readonly owners?: readonly string[];
  /** How often its owners or invitations were changed: a step that has read an older count changes nothing. */
  readonly ownerChanges?: number;
  readonly invitations?: readonly OwnerInvitation[];
  readonly createdBy?: string;
  /** Why an administrator has blocked it; the grant has since when. */
  readonly blockedFor?: string;
  /** The day on which it was last used, and the address from which. */
  readonly lastUsedOn?: Date;
  readonly lastUsedFrom?: string;
  /** When the reminder that it expires is due, or the lease on that reminder ends; absent once it is stored. */
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

/** The condition on the grant type that tokens of a kind have. */
export function grantTypesOf(kind: TokenKind): object {
  const types = Object.keys(KIND_OF_GRANT_TYPE);
  return kind === 'app'
    ? { $nin: types }
    : { $in: types.filter((type) => KIND_OF_GRANT_TYPE[type] === kind) };
}
