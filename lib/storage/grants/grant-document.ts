import type { Schema, SchemaDefinition } from 'mongoose';

import type { Authorization, Grant, GuardedGrant } from '../../core/grants/grant.js';
import { checkFormat, DOCUMENT_FORMAT, type Formatted } from '../connection/document-format.js';
import { optionalList, required } from '../connection/model.js';
import { invitationFields } from '../invitation-fields.js';

/** What was authorized, as it is stored; the user is stored beside it, where the index finds it. */
type StoredAuthorization = Partial<Omit<Authorization, 'userId'>>;

/** A grant as it is stored. */
export interface GrantDocument extends Omit<Grant, 'grantId' | 'authorization'>, Formatted {
  readonly _id: string;
  readonly userId?: string;
  readonly authorization: StoredAuthorization;
  readonly usedRefreshTokens?: readonly string[];
}

const bindingFields = { jkt: String, x5tS256: String };

const codeFields = {
  _id: false,
  hash: String,
  expiresAt: Date,
  redirectUri: String,
  isRedirectUriRequired: Boolean,
  codeChallenge: String,
  jkt: String,
  usedAt: Date,
};

const deviceCodeFields = {
  _id: false,
  hash: String,
  expiresAt: Date,
  interval: Number,
  nextPollAt: Date,
  isTooSoon: Boolean,
  decision: String,
  jkt: String,
  usedAt: Date,
};

const namedTokenFields = {
  _id: false,
  name: String,
  purpose: String,
  rotations: Number,
  owners: optionalList(String),
  ownerChanges: Number,
  invitations: optionalList(invitationFields()),
  createdBy: String,
  blockedFor: String,
  lastUsedOn: Date,
  lastUsedFrom: String,
  remindAt: Date,
};

/** What the guard reads of a grant. */
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
    _id: required(String),
    documentFormat: Number,
    clientId: required(String),
    grantType: required(String),
    userId: String,
    authorization: {
      type: {
        _id: false,
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
      },
      default: undefined,
    },
    namedToken: { type: namedTokenFields, default: undefined },
    code: { type: codeFields, default: undefined },
    device: { type: deviceCodeFields, default: undefined },
    usedDetails: { type: [Number], default: undefined },
    accessTokens: [accessTokenFields],
    exchangedTokens: optionalList({
      ...accessTokenFields,
      clientId: String,
      act: mixed,
      lineage: texts,
      through: texts,
      issuedAt: Date,
    }),
    refreshToken: {
      type: { _id: false, hash: String, familyHash: String, expiresAt: Date, ...bindingFields },
      default: undefined,
    },
    // the used tokens of another server, which have no family
    usedRefreshTokens: texts,
    resend: {
      type: {
        _id: false,
        hash: String,
        sealed: String,
        rotatedAt: Date,
        isAnswered: Boolean,
        accessTokenHash: String,
        isUsed: Boolean,
      },
      default: undefined,
    },
    revokedAt: Date,
    blockedAt: Date,
    createdAt: required(Date),
    renewedAt: Date,
    expiresAt: required(Date),
  };
};

export function toGrantDocument({ grantId, authorization, ...rest }: Grant): GrantDocument {
  const { userId, ...authorized } = authorization;
  return {
    _id: grantId,
    documentFormat: DOCUMENT_FORMAT,
    ...rest,
    ...(userId !== undefined && { userId }),
    authorization: toStoredAuthorization(authorized),
  };
}

function toStoredAuthorization({
  scopes,
  resources,
  authorizationDetails,
  ...more
}: Omit<Authorization, 'userId'>): StoredAuthorization {
  return {
    scopes,
    ...(resources.length > 0 && { resources }),
    ...(authorizationDetails && authorizationDetails.length > 0 && { authorizationDetails }),
    ...definedOf(more),
  };
}

/** @throws OAuthError temporarily_unavailable if a later release has stored it */
export function toGrant({ _id, documentFormat, ...document }: GrantDocument): Grant {
  checkFormat('grant', { documentFormat });
  const { userId: _userId, ...rest } = document;
  return {
    ...rest,
    grantId: _id,
    authorization: authorizationOf(document),
  };
}

/** @throws OAuthError temporarily_unavailable if a later release has stored it */
export function toGuardedGrant(document: GrantDocument): GuardedGrant {
  checkFormat('grant', document);
  const { _id: grantId, clientId, grantType, namedToken, accessTokens, exchangedTokens } = document;
  const { resend, revokedAt, blockedAt } = document;
  const authorization = authorizationOf(document);
  return {
    grantId,
    clientId,
    grantType,
    authorization,
    ...(namedToken && { namedToken }),
    accessTokens,
    ...(exchangedTokens && { exchangedTokens }),
    ...(resend && { resend }),
    ...(revokedAt && { revokedAt }),
    ...(blockedAt && { blockedAt }),
  };
}

function authorizationOf({
  userId,
  authorization,
}: Pick<GrantDocument, 'userId' | 'authorization'>): Authorization {
  const { scopes = [], resources = [], ...more } = authorization;
  return { ...(userId !== undefined && { userId }), scopes, resources, ...more };
}

function definedOf<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}
