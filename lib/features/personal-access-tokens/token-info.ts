import type { Grant } from '../../core/grants/grant.js';
import { kindOf } from '../../core/grants/named-token.js';
import type { Choices } from '../../settings/options/choice-options.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import { withoutUndefined } from '../../shared/without-undefined.js';

/** A token that a user has made for programs of their own, without its value. */
export interface PersonalAccessToken {
  /** Not a secret: it says which token is meant. */
  readonly id: string;
  /** As `req.auth.clientId`, introspection, events and the audit have it. */
  readonly clientId: string;
  /** `service`: it acts for no person. */
  readonly kind: 'personal' | 'service';
  /** The user for whom it acts; absent for a service token. */
  readonly userId?: string;
  /** The users who look after a service token. */
  readonly owners?: readonly string[];
  readonly name: string;
  readonly purpose?: string;
  readonly scopes: readonly string[];
  /** The resource that it is for; absent: the site's own API. (RFC 8707) */
  readonly resource?: string;
  readonly authorizationDetails?: readonly AuthorizationDetail[];
  readonly choices?: Choices;
  readonly createdAt: Date;
  /** Null if it does not expire. */
  readonly expiresAt: Date | null;
  /** Present if an administrator has blocked it: it opens nothing until it is unblocked. */
  readonly blocked?: { readonly at: Date; readonly reason?: string };
  /** When it was last replaced; the former value is valid until `formerExpiresAt`. */
  readonly rotatedAt?: Date;
  readonly formerExpiresAt?: Date;
  /** The day on which it was last used, up to five minutes late, and the address from which it was used first that day. */
  readonly lastUsedOn?: Date;
  readonly lastUsedFrom?: string;
}

/** The same with its value, which is shown this once. */
export interface CreatedPersonalAccessToken extends PersonalAccessToken {
  readonly token: string;
}

/** The end of a token that does not expire: a date is what the index of the collection needs. */
export const NO_EXPIRY = new Date('9999-12-31T23:59:59Z');

export function toTokenInfo(grant: Grant): PersonalAccessToken {
  const { grantId, clientId, namedToken, authorization, accessTokens, blockedAt } = grant;
  const { name = '', purpose, owners, lastUsedOn, lastUsedFrom, blockedFor } = namedToken ?? {};
  const { userId, scopes, resources, authorizationDetails, choices } = authorization;
  const { expiresAt } = accessTokens.at(-1) ?? grant;
  return {
    id: grantId,
    clientId,
    kind: kindOf(grant) === 'service' ? 'service' : 'personal',
    name,
    scopes,
    createdAt: grant.createdAt,
    expiresAt: expiresAt >= NO_EXPIRY ? null : expiresAt,
    ...withoutUndefined({
      userId,
      owners,
      purpose,
      resource: resources[0],
      blocked: blockedAt && { at: blockedAt, ...withoutUndefined({ reason: blockedFor || undefined }) },
      authorizationDetails,
      choices,
      lastUsedOn,
      lastUsedFrom,
      rotatedAt: grant.renewedAt,
      formerExpiresAt: accessTokens.at(-2)?.expiresAt,
    }),
  };
}
