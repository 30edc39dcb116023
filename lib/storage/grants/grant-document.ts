import type { Schema, SchemaDefinition } from 'mongoose';

import type { Authorization, Grant } from '../../core/grants/grant.js';
import { withoutUndefined } from '../../shared/without-undefined.js';
import {
  checkFormat,
  DOCUMENT_FORMAT,
  type Formatted,
  optionalFields,
  optionalList,
  requiredType,
} from '../connection/model.js';
import { invitationFields } from '../invitation-fields.js';

/** The stored document of a grant. */
export interface GrantDocument extends Omit<Grant, 'grantId' | 'authorization'>, Formatted {
  readonly _id: string;
  /** Outside `authorization`, for the index. */
  readonly userId?: string;
  readonly authorization: Partial<Authorization>;
  readonly usedRefreshTokens?: readonly string[];
}

const bindingFields = { jkt: String, x5tS256: String };

/** The fields of a grant that the guard reads. */
export const GUARD_PROJECTION = {
  documentFormat: 1,
  clientId: 1,
  grantType: 1,
  userId: 1,
  authorization: 1,
  namedToken: 1,
  accessTokens: 1,
  exchangedTokens: 1,
  'resend.accessTokenHash': 1,
  'resend.isUsed': 1,
  revokedAt: 1,
  blockedAt: 1,
} as const;

/** The conditions of grants that are not revoked; that are not blocked; that may get tokens; that are live. */
export const NOT_REVOKED = { revokedAt: { $exists: false } };
export const NOT_BLOCKED = { blockedAt: { $exists: false } };
export const USABLE = { ...NOT_REVOKED, ...NOT_BLOCKED };
export const live = (now: Date) => ({ ...NOT_REVOKED, expiresAt: { $gt: now } });

/** The members of a grant's document. */
export const grantFields = (mixed: typeof Schema.Types.Mixed): SchemaDefinition => {
  const texts = optionalList(String);
  const details = optionalList(mixed);
  const accessTokenFields = {
    _id: false,
    hash: String,
    expiresAt: Date,
    scopes: texts,
    authorizationDetails: details,
    resource: String,
    ...bindingFields,
  };
  return {
    documentFormat: Number,
    clientId: requiredType(String),
    grantType: requiredType(String),
    userId: String,
    authorization: optionalFields({
      scopes: texts,
      resources: texts,
      authorizationDetails: details,
      choices: mixed,
      endsAt: Date,
      openid: mixed,
      authentication: mixed,
      mayAct: texts,
      actor: mixed,
      extra: mixed,
    }),
    namedToken: optionalFields({
      name: String,
      purpose: String,
      rotations: Number,
      owners: texts,
      ownerChanges: Number,
      invitations: optionalList(invitationFields()),
      createdBy: String,
      blockedFor: String,
      lastUsedOn: Date,
      lastUsedFrom: String,
      remindAt: Date,
    }),
    code: optionalFields({
      hash: String,
      expiresAt: Date,
      redirectUri: String,
      isRedirectUriRequired: Boolean,
      codeChallenge: String,
      jkt: String,
      usedAt: Date,
    }),
    device: optionalFields({
      hash: String,
      expiresAt: Date,
      interval: Number,
      nextPollAt: Date,
      isTooSoon: Boolean,
      decision: String,
      jkt: String,
      usedAt: Date,
    }),
    usedDetails: optionalList(Number),
    accessTokens: [accessTokenFields],
    exchangedTokens: optionalList({
      ...accessTokenFields,
      clientId: String,
      act: mixed,
      lineage: texts,
      through: texts,
      issuedAt: Date,
    }),
    refreshToken: optionalFields({ hash: String, familyHash: String, expiresAt: Date, ...bindingFields }),
    // used refresh tokens of another server, which have no family
    usedRefreshTokens: texts,
    resend: optionalFields({
      hash: String,
      sealed: String,
      rotatedAt: Date,
      isAnswered: Boolean,
      accessTokenHash: String,
      isUsed: Boolean,
    }),
    revokedAt: Date,
    blockedAt: Date,
    createdAt: requiredType(Date),
    renewedAt: Date,
  };
};

/** Undefined members and empty lists are not stored. */
export function toGrantDocument({ grantId, authorization, ...rest }: Grant): GrantDocument {
  const { userId, resources, authorizationDetails = [], ...more } = authorization;
  return withoutUndefined({
    _id: grantId,
    documentFormat: DOCUMENT_FORMAT,
    ...rest,
    userId,
    authorization: withoutUndefined({
      ...more,
      resources: resources.length > 0 ? resources : undefined,
      authorizationDetails: authorizationDetails.length > 0 ? authorizationDetails : undefined,
    }),
  }) as GrantDocument;
}

/** @throws OAuthError temporarily_unavailable if a later release has stored the document */
export function toGrant({ _id, documentFormat, userId, authorization, ...rest }: GrantDocument): Grant {
  checkFormat('grant', { documentFormat });
  const { scopes = [], resources = [], ...more } = authorization;
  return { ...rest, grantId: _id, authorization: { userId, scopes, resources, ...more } };
}
