import type { GrantConstraints } from '../../core/authorization-details/selections.js';
import { MAX_OWNERS } from '../../core/clients/client-owners.js';
import type { OperationContext } from '../../core/clients/registry/update-client.js';
import { checkedReason } from '../../core/clients/status/block-reason.js';
import { type Grant, grantEventData } from '../../core/grants/grant.js';
import { kindOf, NAMED_GRANT_TYPES, type NamedTokenKind } from '../../core/grants/named-token.js';
import type { Server } from '../../server/server.js';
import { createScannableToken } from '../../shared/crypto/scannable-tokens.js';
import { createGrantId, type PresentedToken } from '../../shared/crypto/secrets.js';
import { addSeconds } from '../../shared/date.js';
import { OAuthError } from '../../shared/errors.js';
import { insertWithinLimit } from '../../shared/limits/insert-within-limit.js';
import { type ImpliedScopes, withImplied } from '../../shared/protocol/implied-scopes.js';
import { isSubset } from '../../shared/protocol/scope.js';
import type { TokensOf } from '../../storage/grants/named-token-steps.js';
import type { Stores } from '../../storage/stores.js';
import { MAX_TOKENS, type PersonalAccessTokenSettings } from './options.js';
import { type CreatedPersonalAccessToken, NO_EXPIRY, toTokenInfo } from './token-info.js';
import { policyClientOf } from './use-token.js';

/** The validated data of a token to be created. */
export interface NewNamedToken extends GrantConstraints {
  /** Default: a generated id. */
  readonly id?: string;
  readonly kind: NamedTokenKind;
  /** Only for a personal token. */
  readonly userId?: string | undefined;
  /** Only for a service token. */
  readonly owners?: readonly string[] | undefined;
  readonly createdBy?: string | undefined;
  readonly name: string;
  readonly purpose?: string | undefined;
  readonly scopes: readonly string[];
  readonly resource?: string | undefined;
  readonly expiresAt: Date;
}

interface Rotation extends OperationContext {
  /** Seconds that the previous value stays valid. */
  readonly overlap: number;
  /** Default: the lifetime of the previous value, from now. */
  readonly expiresAt?: Date | undefined;
  /** The number of rotations that the caller has read. Default: the current number. */
  readonly rotations?: number;
}

export type TokenService = ReturnType<typeof createTokenService>;

/** Creates, rotates, narrows and ends tokens, for the page, code and the command line. */
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

  return {
    find,
    /** @throws OAuthError access_denied if the user has the maximum number, or a hook of `policy` refuses */
    async create(token: NewNamedToken, { now, emit }: OperationContext): Promise<CreatedPersonalAccessToken> {
      const { kind, userId, owners = [], createdBy, name, purpose, resource, endsAt } = token;
      const grantId = token.id ?? createGrantId();
      const grantType = NAMED_GRANT_TYPES[kind];
      // events, the audit and `req.auth` name the token as a client, although none is registered
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
            // of several owners, the one with the most tokens
            return Math.max(...counts);
          },
          async insert() {
            // the same form, sent twice at once
            if (!(await grants.insert(grant)))
              throw new OAuthError('invalid_request', 'the token was made already', { status: 409 });
          },
          remove: () => grants.revokeNamedToken(grantId, undefined, now),
          tooMany: tooManyTokens,
        });
      const change = { type: 'token.issued', ...grantEventData(grant), grantType } as const;
      await reportChange(change, { now, emit }, insert);
      return { ...toTokenInfo(grant), token: value };
    },

    /**
     * Gives a token a new value; the previous value ends after the overlap. The write is conditional on the rotation
     * count that was read.
     *
     * @throws OAuthError with status 409 if another request has replaced the token
     */
    async rotate(
      id: string,
      of: TokensOf | undefined,
      { overlap, expiresAt, rotations, now, emit }: Rotation,
    ): Promise<CreatedPersonalAccessToken> {
      const grant = await find(id, of, now);
      const kind = kindOf(grant) === 'service' ? 'service' : 'personal';
      const current = grant.accessTokens.at(-1);
      const { value, hash } = createScannableToken(kind, id);

      // the new value of a 30-day token lives 30 days
      const formerEnd = current?.expiresAt ?? grant.expiresAt;
      const span = formerEnd.getTime() - (grant.renewedAt ?? grant.createdAt).getTime();
      let end = formerEnd >= NO_EXPIRY ? NO_EXPIRY : new Date(now.getTime() + span);
      // the option may have been lowered since
      const last = options.maxTtl === false ? NO_EXPIRY : addSeconds(now, options.maxTtl);
      if (kind === 'personal' && end > last) end = last;
      end = expiresAt ?? end;
      // a lifetime that the user has chosen also limits the new value
      const { endsAt, resources } = grant.authorization;
      if (endsAt !== undefined && endsAt < end) end = endsAt;

      // only the latest value gets the overlap; an older one ends at once
      const until = addSeconds(now, overlap);
      const former =
        current === undefined || until <= now
          ? []
          : [{ ...current, expiresAt: current.expiresAt < until ? current.expiresAt : until }];
      const accessTokens = [...former, { hash, expiresAt: end, resource: resources[0] }];
      const ends = new Date(Math.max(...accessTokens.map((token) => token.expiresAt.getTime())));
      const isDone = await grants.rotateNamedToken(
        { grantId: id, rotations: rotations ?? grant.namedToken?.rotations ?? 0 },
        { accessTokens, expiresAt: ends, remindAt: remindAt(end, now), now },
      );
      if (!isDone)
        throw new OAuthError('invalid_request', 'the token was replaced or ended in the meantime', {
          status: 409,
        });
      await emit('token.rotated', grantEventData(grant));
      return { ...toTokenInfo({ ...grant, accessTokens, expiresAt: ends, renewedAt: now }), token: value };
    },

    /** Removes scopes for good. @throws OAuthError invalid_scope if one was not granted */
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

    /** False if no live token has the id. */
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
     * Blocks a token until an administrator unblocks it. A blocked token gets the new reason.
     *
     * @throws OAuthError invalid_request if the reason is too long or unreadable, 404 if there is no such token
     */
    async block(
      id: string,
      { reason: text, now, emit }: OperationContext & { readonly reason?: string | undefined },
    ): Promise<void> {
      const reason = text === undefined ? undefined : checkedReason(text, 'invalid_request');
      await find(id, undefined, now);
      const blocked = await reportChange(
        { type: 'token.blocked', grantId: id },
        { now, emit },
        () => grants.blockNamedToken(id, { reason, now }),
        grantEventData,
      );
      if (blocked === null && reason !== undefined) await grants.explainBlock(id, reason, now);
    },

    /** Unblocks a token. @throws OAuthError 404 if there is no such token */
    async unblock(id: string, { now, emit }: OperationContext): Promise<void> {
      await find(id, undefined, now);
      const unblocked = await grants.unblockNamedToken(id, now);
      if (unblocked !== null) await emit('token.unblocked', grantEventData(unblocked));
    },
  };
}

/** Seconds before the end: a week, or a quarter of a lifetime under four weeks. */
const REMINDER = 7 * 86_400;

/** When the user gets a reminder of the token's end; undefined if it has none. */
function remindAt(end: Date, now: Date): Date | undefined {
  if (end >= NO_EXPIRY) return undefined;
  const life = (end.getTime() - now.getTime()) / 1000;
  return addSeconds(end, -Math.min(REMINDER, life / 4));
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

export function tooManyTokens(): OAuthError {
  return new OAuthError('access_denied', `there can be ${MAX_TOKENS} tokens at once, and there are`, {
    reason: 'too_many_tokens',
    status: 400,
  });
}

/** The same error for an unknown token, an ended one and one of another user. */
export function noSuchToken(): OAuthError {
  return new OAuthError('invalid_request', 'there is no such token', { status: 404 });
}
