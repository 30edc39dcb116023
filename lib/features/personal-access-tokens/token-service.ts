import type { GrantConstraints } from '../../core/authorization-details/selections.js';
import { MAX_OWNERS } from '../../core/clients/client-owners.js';
import { checkedReason } from '../../core/clients/status/block-reason.js';
import { createGrant, type Grant } from '../../core/grants/grant.js';
import type { GrantStore, TokensOf } from '../../core/grants/grant-store.js';
import { NAMED_GRANT_TYPES, namedTokenClientId, type NamedTokenKind } from '../../core/grants/named-token.js';
import { policyClientOf } from '../../core/grants/use-named-token.js';
import type { Server } from '../../server/server.js';
import type { PersonalAccessTokenSettings } from '../../settings/features/personal-access-token-options.js';
import { createScannableToken } from '../../shared/crypto/scannable-tokens.js';
import { createGrantId } from '../../shared/crypto/secrets.js';
import { OAuthError } from '../../shared/errors.js';
import { insertWithinLimit } from '../../shared/limits/insert-within-limit.js';
import { withImplied } from '../../shared/protocol/implied-scopes.js';
import { isSubset } from '../../shared/protocol/scope.js';
import { withoutUndefined } from '../../shared/without-undefined.js';
import { dataOf, reminderOf, rotateToken, type Rotation, type Step } from './rotate-token.js';
import { type CreatedPersonalAccessToken, toTokenInfo } from './token-info.js';

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

interface TokenServiceDependencies {
  readonly settings: Pick<Server['settings'], 'impliedScopes'>;
  readonly policy: Pick<Server['policy'], 'issue'>;
  readonly models: Pick<Server['models'], 'grants'>;
  readonly options: PersonalAccessTokenSettings;
}

type Narrowing = Step & { readonly scopes: readonly string[] };

/** Makes, replaces, narrows and ends tokens; the page, code and the command line do it by this. */
export function createTokenService({ settings, models, policy, options }: TokenServiceDependencies) {
  const { grants } = models;
  const find = async (id: string, of: TokensOf | undefined, now: Date): Promise<Grant> => {
    const found = await grants.findNamedToken(id, of, now);
    if (found === null) throw noSuchToken();
    return found;
  };

  return {
    find,
    ...createBlocks(grants, find),
    /** @throws OAuthError access_denied if there is no room for another token */
    async checkRoom(of: TokensOf, now: Date) {
      if ((await countOf(of, now)(options.maxTokens)) >= options.maxTokens) throw tooMany();
    },
    /** @throws OAuthError access_denied if the user has too many, or a hook of `policy` is against it */
    async create(token: NewNamedToken, { now, emit }: Step): Promise<CreatedPersonalAccessToken> {
      const grantId = token.id ?? createGrantId();
      const clientId = namedTokenClientId(token.kind, grantId);
      const grantType = NAMED_GRANT_TYPES[token.kind];
      const scopes = await policy.issue({
        ...token,
        client: policyClientOf(clientId, token),
        resources: resourcesOf(token),
        grantType,
        now,
      });
      const of = listOf(token);
      if ((token.owners?.length ?? 0) > MAX_OWNERS)
        throw new OAuthError('invalid_request', `at most ${MAX_OWNERS} people look after a service token`);
      const { value, hash } = createScannableToken(token.kind, grantId);
      const grant = grantOf({ ...token, scopes }, { grantId, clientId, grantType, hash, now });
      const counts = of.map((each) => countOf(each, now));
      await insertWithinLimit({
        max: options.maxTokens,
        // of several owners, the one who has most
        count: async (limit) => Math.max(...(await Promise.all(counts.map((count) => count(limit))))),
        async insert() {
          // the same form, sent twice at the same moment
          if (!(await grants.insertNamedToken(grant)))
            throw new OAuthError('invalid_request', 'the token was made already', { status: 409 });
        },
        remove: () => grants.revokeNamedToken(grantId, undefined, now),
        tooMany,
      });
      await emit('token.issued', { ...dataOf(grant), scopes, grantType });
      return { ...toTokenInfo(grant), token: value };
    },

    /** @throws OAuthError if it was replaced meanwhile */
    rotate: async (id: string, of: TokensOf | undefined, rotation: Rotation) =>
      rotateToken(grants, await find(id, of, rotation.now), { ...rotation, options }),

    /** Takes scopes away; nothing brings them back. @throws OAuthError invalid_scope if one was not there */
    narrow: async (id: string, of: TokensOf | undefined, change: Narrowing) =>
      narrowToken(await find(id, of, change.now), change),

    /** False if there is none, or it has ended before. */
    async revoke(
      id: string,
      of: TokensOf | undefined,
      { reason, now, emit }: Step & { readonly reason: string },
    ): Promise<boolean> {
      const ended = await grants.revokeNamedToken(id, of, now);
      if (ended !== null) await emit('grant.revoked', { ...dataOf(ended), reason });
      return ended !== null;
    },
  };

  async function narrowToken(
    grant: Grant,
    { scopes: left, now, emit }: Narrowing,
  ): Promise<readonly string[]> {
    const { scopes } = grant.authorization;
    const granted = withImplied(scopes, settings.impliedScopes);
    if (left.length === 0 || !isSubset(left, granted))
      throw new OAuthError('invalid_scope', 'a token can only keep scopes that it has, and at least one');
    if (!(await grants.narrowNamedToken({ grantId: grant.grantId, scopes }, left, now))) throw noSuchToken();
    const stored = withImplied(left, settings.impliedScopes);
    const lost = granted.filter((scope) => !stored.includes(scope));
    if (lost.length > 0) await emit('token.narrowed', { ...dataOf(grant), scopes: lost });
    return left;
  }

  function countOf(of: TokensOf, now: Date): (limit: number) => Promise<number> {
    return (limit) => grants.countNamedTokens(of, now, limit);
  }

  function tooMany(): OAuthError {
    const { maxTokens } = options;
    return new OAuthError('access_denied', `there can be ${maxTokens} tokens at once, and there are`, {
      reason: 'too_many_tokens',
      status: 400,
    });
  }
}

/** What an administrator does to a token. */
function createBlocks(
  grants: Pick<GrantStore, 'blockNamedToken' | 'explainBlock' | 'unblockNamedToken'>,
  find: (id: string, of: undefined, now: Date) => Promise<Grant>,
) {
  return {
    /**
     * Blocks a token until it is unblocked, and says why. One that is blocked already gets the reason.
     *
     * @throws OAuthError invalid_request if the reason is too long or cannot be read, 404 if there is no such token
     */
    async block(
      id: string,
      { reason: given, now, emit }: Step & { readonly reason?: string | undefined },
    ): Promise<void> {
      const reason = given === undefined ? undefined : checkedReason(given, 'invalid_request');
      await find(id, undefined, now);
      const blocked = await grants.blockNamedToken(id, { reason, now });
      if (blocked !== null) await emit('token.blocked', dataOf(blocked));
      else if (reason !== undefined) await grants.explainBlock(id, reason, now);
    },

    /** The reverse. @throws OAuthError 404 if there is no such token */
    async unblock(id: string, { now, emit }: Step): Promise<void> {
      await find(id, undefined, now);
      const unblocked = await grants.unblockNamedToken(id, now);
      if (unblocked !== null) await emit('token.unblocked', dataOf(unblocked));
    },
  };
}

/** One text for a token that never was, has ended or is somebody else's. */
export function noSuchToken(): OAuthError {
  return new OAuthError('invalid_request', 'there is no such token', { status: 404 });
}

function listOf({ userId, owners = [] }: NewNamedToken): readonly TokensOf[] {
  return userId === undefined ? owners.map((ownerId) => ({ ownerId })) : [{ userId }];
}

function resourcesOf({ resource }: NewNamedToken): readonly string[] {
  return resource === undefined ? [] : [resource];
}

function grantOf(
  token: NewNamedToken,
  {
    hash,
    now,
    ...ids
  }: Pick<Grant, 'grantId' | 'clientId' | 'grantType'> & { readonly hash: string; readonly now: Date },
): Grant {
  const {
    userId,
    name,
    purpose,
    owners,
    createdBy,
    scopes,
    resource,
    authorizationDetails,
    choices,
    endsAt,
  } = token;
  const expiresAt = endsAt !== undefined && endsAt < token.expiresAt ? endsAt : token.expiresAt;
  return createGrant({
    ...ids,
    authorization: {
      ...withoutUndefined({ userId, authorizationDetails, choices, endsAt }),
      scopes,
      resources: resourcesOf(token),
    },
    namedToken: {
      ...withoutUndefined({ owners, createdBy, purpose: purpose === '' ? undefined : purpose }),
      name,
      rotations: 0,
      ...reminderOf(expiresAt, now),
    },
    accessTokens: [{ hash, expiresAt, ...withoutUndefined({ resource }) }],
    now,
    expiresAt,
  });
}
