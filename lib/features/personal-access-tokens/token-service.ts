import type { GrantConstraints } from '../../core/authorization-details/selections.js';
import { MAX_OWNERS } from '../../core/clients/client-owners.js';
import type { OperationContext } from '../../core/clients/registry/update-client.js';
import { checkedReason } from '../../core/clients/status/block-reason.js';
import { type Grant, grantEventData } from '../../core/grants/grant.js';
import { kindOf, MAX_TOKENS, NAMED_GRANT_TYPES, type NamedTokenKind } from '../../core/grants/named-token.js';
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
import type { PersonalAccessTokenSettings } from './options.js';
import { type CreatedPersonalAccessToken, NO_EXPIRY, toTokenInfo } from './token-info.js';
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

interface Rotation extends OperationContext {
  /** Seconds that the former value stays valid. */
  readonly overlap: number;
  /** Default: as long from now as it was from its last making. */
  readonly expiresAt?: Date | undefined;
  /** How often it was replaced when the caller looked at it. Default: as often as now. */
  readonly rotations?: number;
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

  return {
    find,
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
          tooMany: tooManyTokens,
        });
      const change = { type: 'token.issued', ...grantEventData(grant), grantType } as const;
      await reportChange(change, { now, emit }, insert);
      return { ...toTokenInfo(grant), token: value };
    },

    /**
     * Gives a token a new value; the former one ends in a while. What is stored is computed from the grant as it was
     * read, and stored only if the token was not replaced since.
     *
     * @throws OAuthError with status 409 if it was
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

      // a token that was made for 30 days is replaced by one for 30 days
      const formerEnd = current?.expiresAt ?? grant.expiresAt;
      const span = formerEnd.getTime() - (grant.renewedAt ?? grant.createdAt).getTime();
      let end = formerEnd >= NO_EXPIRY ? NO_EXPIRY : new Date(now.getTime() + span);
      // the option may have become shorter since the token was made
      const last = options.maxTtl === false ? NO_EXPIRY : addSeconds(now, options.maxTtl);
      if (kind === 'personal' && end > last) end = last;
      end = expiresAt ?? end;
      // a lifetime that was picked ends the new value as well
      const { endsAt, resources } = grant.authorization;
      if (endsAt !== undefined && endsAt < end) end = endsAt;

      // the value that a program still has; the one before it ends at once
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

/** Seconds before its end: a week, or a quarter of a life that is shorter than four. */
const REMINDER = 7 * 86_400;

/** When the user of a token is reminded of its end; undefined if it has none. */
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

/** One text for a token that never was, has ended or is somebody else's. */
export function noSuchToken(): OAuthError {
  return new OAuthError('invalid_request', 'there is no such token', { status: 404 });
}
