import type { Schema, SchemaDefinition } from 'mongoose';

import type { Authorization, Grant, GuardedGrant } from '../grants/grant.js';

/** What was authorized, as it is stored; who authorized it stands beside it, where the index finds it. */
type StoredAuthorization = Partial<Omit<Authorization, 'userId'>>;

/** A grant as it is stored. */
export interface GrantDocument
  extends Omit<Grant, 'grantId' | 'authorization' | 'resend'>, StoredAuthorization {
  readonly _id: string;
  readonly userId?: string;
  readonly authorization?: StoredAuthorization;
  readonly usedRefreshTokens?: readonly string[];
  readonly refreshReplay?: Grant['resend'];
}

const deviceCodeFields = {
  _id: false,
  hash: String,
  expiresAt: Date,
  interval: Number,
  nextPollAt: Date,
  isTooSoon: Boolean,
  decision: String,
  usedAt: Date,
};

/** What the guard reads of a grant; `scopes` and `extra` are where grants from before 0.2 have them. */
export const GUARD_PROJECTION = {
  clientId: 1,
  userId: 1,
  authorization: 1,
  scopes: 1,
  extra: 1,
  accessTokens: 1,
  revokedAt: 1,
} as const;

/** The members of a grant's document. */
export const grantFields = (mixed: typeof Schema.Types.Mixed): SchemaDefinition => {
  const texts = { type: [String], default: undefined };
  return {
    _id: { type: String, required: true },
    clientId: { type: String, required: true },
    grantType: { type: String, required: true },
    userId: String,
    authorization: {
      type: { _id: false, scopes: texts, resources: texts, extra: mixed },
      default: undefined,
    },
    // where grants from before 0.2 have them
    scopes: texts,
    resources: texts,
    extra: mixed,
    code: {
      type: {
        _id: false,
        hash: String,
        expiresAt: Date,
        redirectUri: String,
        isRedirectUriRequired: Boolean,
        codeChallenge: String,
        usedAt: Date,
      },
      default: undefined,
    },
    device: { type: deviceCodeFields, default: undefined },
    accessTokens: [{ _id: false, hash: String, expiresAt: Date, scopes: texts, resource: String }],
    refreshToken: {
      type: { _id: false, hash: String, familyHash: String, expiresAt: Date },
      default: undefined,
    },
    // of grants from before 0.2: their used ones cannot be told otherwise
    usedRefreshTokens: texts,
    refreshReplay: {
      type: { _id: false, hash: String, sealed: String, rotatedAt: Date, isAnswered: Boolean },
      default: undefined,
    },
    revokedAt: Date,
    createdAt: { type: Date, required: true },
    renewedAt: Date,
    expiresAt: { type: Date, required: true },
  };
};

export function toGrantDocument({ grantId, authorization, resend, ...rest }: Grant): GrantDocument {
  const { userId, scopes, resources, extra } = authorization;
  return {
    _id: grantId,
    ...rest,
    ...(userId !== undefined && { userId }),
    authorization: { scopes, ...(resources.length > 0 && { resources }), ...(extra && { extra }) },
    ...(resend && { refreshReplay: resend }),
  };
}

export function toGrant({ _id, refreshReplay, ...document }: GrantDocument): Grant {
  const { userId: _userId, scopes: _scopes, resources: _resources, extra: _extra, ...rest } = document;
  return {
    ...rest,
    grantId: _id,
    authorization: authorizationOf(document),
    ...(refreshReplay && { resend: refreshReplay }),
  };
}

export function toGuardedGrant(document: GrantDocument): GuardedGrant {
  const { _id: grantId, clientId, accessTokens, revokedAt } = document;
  const authorization = authorizationOf(document);
  return { grantId, clientId, authorization, accessTokens, ...(revokedAt && { revokedAt }) };
}

function authorizationOf({ userId, authorization, ...flat }: Omit<GrantDocument, '_id'>): Authorization {
  const { scopes = [], resources = [], extra } = { ...flat, ...authorization };
  return { ...(userId !== undefined && { userId }), scopes, resources, ...(extra && { extra }) };
}
