import type { GrantConstraints } from '../../core/authorization-details/selections.js';
import { MAX_OWNERS } from '../../core/clients/client-owners.js';
import type { OperationContext } from '../../core/clients/registry/update-client.js';
import { checkedReason } from '../../core/clients/status/block-reason.js';
import { type Grant, grantEventData } from '../../core/grants/grant.js';
import { MAX_TOKENS, NAMED_GRANT_TYPES, type NamedTokenKind } from '../../core/grants/named-token.js';
import type { Server } from '../../server/server.js';
import { createScannableToken } from '../../shared/crypto/scannable-tokens.js';
import { createGrantId, type PresentedToken } from '../../shared/crypto/secrets.js';
import { OAuthError } from '../../shared/errors.js';
import { insertWithinLimit } from '../../shared/limits/insert-within-limit.js';
import { type ImpliedScopes, withImplied } from '../../shared/protocol/implied-scopes.js';
import { isSubset } from '../../shared/protocol/scope.js';
import type { TokensOf } from '../../storage/grants/named-token-steps.js';
import type { Stores } from '../../storage/stores.js';
import type { PersonalAccessTokenSettings } from './options.js';
import { remindAt, rotateToken, type Rotation } from './rotate-token.js';
import { type CreatedPersonalAccessToken, toTokenInfo } from './token-info.js';
import { policyClientOf } from './use-token.js';

/** A token that is about to be made; each part of it has been checked. */
export interface NewNamedToken extends GrantConstraints {
  /** Default: a new one. */
  readonly id?: string;
  readonly kind: NamedTokenKind;
  /** For a personal token. */
  readonly userId?: string | undefined;
  /** For a service token. */
  readonly owners?: readonly string[] | undefined;
  readonly createdBy?: string | undefined;
  readonly name: string;
  readonly purpose?: string | undefined;
  readonly scopes: readonly string[];
  readonly resource?: string | undefined;
  readonly expiresAt: Date;
}

export type TokenService = ReturnType<typeof createTokenService>;

/** Makes, replaces, narrows and ends tokens; the page, code and the command line do it by this. */
export function createTokenService({
  models: { grants, reportChange },
  policy,
  options,
  impliedScopes,
}: {
  readonly models: Stores;
  readonly policy: { readonly issue: Server['policy']['issue'] };
  readonly options: PersonalAccessTokenSettings;
  readonly impliedScopes: ImpliedScopes;
}) {
  const find = async (id: string, of: TokensOf | undefined, now: Date): Promise<Grant> => {
    const grant = await grants.findNamedToken(id, of, now);
    if (grant === null) throw noSuchToken();
    return grant;
  };
  const tooMany = () =>
    new OAuthError('access_denied', `there can be ${MAX_TOKENS} tokens at once, and there are`, {
      reason: 'too_many_tokens',
      status: 400,
    });

  return {
    find,
    tooMany,
    /** @throws OAuthError access_denied if the user has too many, or a hook of `policy` is against it */
    async create(token: NewNamedToken, { now, emit }: OperationContext): Promise<CreatedPersonalAccessToken> {
      const { kind, userId, owners = [], createdBy, name, purpose, resource, endsAt } = token;
      const grantId = token.id ?? createGrantId();
      const grantType = NAMED_GRANT_TYPES[kind];
      // each token is a client of its own in events, in the audit and in `req.auth`, although none is registered
      const clientId = `${grantType}:${grantId}`;
      const resources = resource === undefined ? [] : [resource];
      const client = policyClientOf(clientId, name);
      const scopes = await policy.issue({ ...token, client, resources, grantType, now });
      if (owners.length > MAX_OWNERS)
        throw new OAuthError('invalid_request', `at most ${MAX_OWNERS} people look after a service token`);
      const { value, hash } = createScannableToken(kind, grantId);
      const expiresAt = endsAt !== undefined && endsAt < token.expiresAt ? endsAt : token.expiresAt;
      const grant: Grant = {
        grantId,
        clientId,
        grantType,
        authorization: {
          userId,
          authorizationDetails: token.authorizationDetails,
          choices: token.choices,
          endsAt,
          scopes,
          resources,
        },
        namedToken: {
          owners: token.owners,
          createdBy,
          purpose: purpose === '' ? undefined : purpose,
          remindAt: remindAt(expiresAt, now),
          name,
          rotations: 0,
        },
        accessTokens: [{ hash, expiresAt, resource }],
        createdAt: now,
        expiresAt,
      };
      const whose = userId === undefined ? owners.map((ownerId) => ({ ownerId })) : [{ userId }];
      const insert = () =>
        insertWithinLimit({
          max: MAX_TOKENS,
          async count(limit) {
            const counts = await Promise.all(whose.map((of) => grants.countNamedTokens(of, now, limit)));
            // of several owners, the one who has most
            return Math.max(...counts);
          },
          async insert() {
            // the same form, sent twice at the same moment
            if (!(await grants.insert(grant)))
              throw new OAuthError('invalid_request', 'the token was made already', { status: 409 });
          },
          remove: () => grants.revokeNamedToken(grantId, undefined, now),
          tooMany,
        });
      const change = { type: 'token.issued', ...grantEventData(grant), grantType } as const;
      await reportChange(change, { now, emit }, insert);
      return { ...toTokenInfo(grant), token: value };
    },

    /** @throws OAuthError if it was replaced meanwhile */
    rotate: async (id: string, of: TokensOf | undefined, rotation: Rotation) =>
      rotateToken(grants, await find(id, of, rotation.now), rotation, options),

    /** Takes scopes away; nothing brings them back. @throws OAuthError invalid_scope if one was not there */
    async narrow(
      id: string,
      of: TokensOf | undefined,
      { scopes: left, now, emit }: OperationContext & { readonly scopes: readonly string[] },
    ): Promise<readonly string[]> {
      const grant = await find(id, of, now);
      const { scopes } = grant.authorization;
      const granted = withImplied(scopes, impliedScopes);
      if (left.length === 0 || !isSubset(left, granted))
        throw new OAuthError('invalid_scope', 'a token can only keep scopes that it has, and at least one');
      if (!(await grants.narrowNamedToken({ grantId: id, scopes }, left, now))) throw noSuchToken();
      const stored = withImplied(left, impliedScopes);
      const lost = granted.filter((scope) => !stored.includes(scope));
      if (lost.length > 0) await emit('grant.narrowed', { ...grantEventData(grant), scopes: lost });
      return left;
    },

    /** False if there is none, or it has ended before. */
    async revoke(
      id: string,
      of: TokensOf | undefined,
      { reason, now, emit }: OperationContext & { readonly reason: string },
    ): Promise<boolean> {
      const ended = await reportChange(
        { type: 'grant.revoked', grantId: id, reason },
        { now, emit },
        () => grants.revokeNamedToken(id, of, now),
        grantEventData,
      );
      return ended !== null;
    },

    /**
     * Blocks a token until an administrator unblocks it, and says why. One that is blocked already gets the reason.
     *
     * @throws OAuthError invalid_request if the reason is too long or cannot be read, 404 if there is no such token
     */
    async block(
      id: string,
      { reason: given, now, emit }: OperationContext & { readonly reason?: string | undefined },
    ): Promise<void> {
      const reason = given === undefined ? undefined : checkedReason(given, 'invalid_request');
      await find(id, undefined, now);
      const blocked = await reportChange(
        { type: 'token.blocked', grantId: id },
        { now, emit },
        () => grants.blockNamedToken(id, { reason, now }),
        grantEventData,
      );
      if (blocked === null && reason !== undefined) await grants.explainBlock(id, reason, now);
    },

    /** The reverse. @throws OAuthError 404 if there is no such token */
    async unblock(id: string, { now, emit }: OperationContext): Promise<void> {
      await find(id, undefined, now);
      const unblocked = await grants.unblockNamedToken(id, now);
      if (unblocked !== null) await emit('token.unblocked', grantEventData(unblocked));
    },
  };
}

/** Ends the live token with this value; null if there is none. */
export function revokeLeakedToken(
  { grants, reportChange }: Stores,
  presented: PresentedToken,
  act: OperationContext,
): Promise<Grant | null> {
  return reportChange(
    { type: 'grant.revoked', grantId: presented.grantId, reason: 'token_leaked' },
    act,
    () => grants.revokeLeakedToken(presented, act.now),
    grantEventData,
  );
}

/** One text for a token that never was, has ended or is somebody else's. */
export function noSuchToken(): OAuthError {
  return new OAuthError('invalid_request', 'there is no such token', { status: 404 });
}
