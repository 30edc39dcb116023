import type { Grant } from '../../core/grants/grant.js';
import { kindOf } from '../../core/grants/named-token.js';
import type { Choices } from '../../settings/options/choice-options.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import { withoutUndefined } from '../../shared/without-undefined.js';

/** A token that a user has made for their programs, without its value. */
export interface PersonalAccessToken {
  /** Identifies the token; not a secret. */
  readonly id: string;
  /** As in `req.auth.clientId`, introspection, events and the audit. */
  readonly clientId: string;
  /** `service`: the token acts for no user. */
  readonly kind: 'personal' | 'service';
  /** The user for whom the token acts; absent for a service token. */
  readonly userId?: string;
  /** The owners of a service token. */
  readonly owners?: readonly string[];
  readonly name: string;
  readonly purpose?: string;
  readonly scopes: readonly string[];
  /** The resource of the token; absent: the site's API. (RFC 8707) */
  readonly resource?: string;
  readonly authorizationDetails?: readonly AuthorizationDetail[];
  readonly choices?: Choices;
  readonly createdAt: Date;
  /** Null if the token does not expire. */
  readonly expiresAt: Date | null;
  /** Present if an administrator has blocked the token: it is refused until it is unblocked. */
  readonly blocked?: { readonly at: Date; readonly reason?: string };
  /** When the token was last replaced; the previous value is valid until `formerExpiresAt`. */
  readonly rotatedAt?: Date;
  readonly formerExpiresAt?: Date;
  /** The day of the last use, up to five minutes late, and the address of that day's first use. */
  readonly lastUsedOn?: Date;
  readonly lastUsedFrom?: string;
}

/** A token with its value, which only this response has. */
export interface CreatedPersonalAccessToken extends PersonalAccessToken {
  readonly token: string;
}

/** The end of a token that does not expire: the index of the collection needs a date. */
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
