import type { GrantStore } from '../../core/grants/grant-store.js';
import { grantTypesOf } from '../../core/grants/named-token.js';
import type { SignInsOf } from '../../core/openid/sign-ins.js';
import type { ChoiceValue } from '../../settings/options/choice-options.js';
import { withoutUndefined } from '../../shared/without-undefined.js';
import type { Collection } from '../connection/collection.js';
import { type GrantDocument, NOT_REVOKED, USABLE } from './grant-document.js';
import type { UserAtClient } from './grant-lists.js';

const SCOPES = 'authorization.scopes';
/** What allowed single claims: their scopes, or each claim itself. */
const CLAIM_SCOPES = 'authorization.openid.claimScopes';

/** The scopes that a client loses, each with the scopes below it that stay. */
export type LostScopes = ReadonlyMap<string, readonly string[]>;

export interface ChangedChoice {
  readonly name: string;
  readonly value: ChoiceValue;
  /** Whether only greater values are changed, as for numbers and lifetimes. */
  readonly isMax: boolean;
  /** The latest end of the grants, including issued tokens. */
  readonly endsAt?: Date;
}

/** Changes or ends many grants, with a few commands for any number; a part of the grant store. */
export function createBulkSteps(grants: Collection<GrantDocument>, hasExchanges: boolean) {
  const revoke = (filter: object, now: Date) =>
    grants.updateMany({ ...filter, ...NOT_REVOKED }, { $set: { revokedAt: now } });
  /** Ends grants with unredeemed codes, which another process may have in memory: the client has to ask again. */
  const endCodes = (filter: object, now: Date) =>
    revoke({ ...filter, 'code.hash': { $exists: true }, 'code.usedAt': { $exists: false } }, now);
  /** Ends the tokens that were exchanged through a client in other grants, of one user or of all users. */
  const endExchanged = async (through: string, userId?: string): Promise<void> => {
    if (!hasExchanges) return;
    await grants.updateMany(withoutUndefined({ userId, 'exchangedTokens.through': through }), {
      $pull: { exchangedTokens: { through } },
    });
  };

  return {
    async revokeAll({ scopes, kind, issuedBefore, ...of }, now, { dryRun = false, onProgress } = {}) {
      const narrower = withoutUndefined({
        [SCOPES]: scopes && { $in: [...scopes] },
        grantType: kind && grantTypesOf(kind),
        createdAt: issuedBefore && { $lt: issuedBefore },
      });
      let count = 0;
      // selects by the fields of the index; narrower conditions apply to each batch, so that no command reads much more
      const isOfAll = Object.keys(of).length === 0;
      for await (const ids of grants.findIds(isOfAll ? {} : { ...of, ...NOT_REVOKED })) {
        const matching = { ...of, ...narrower, _id: { $in: ids } };
        count += dryRun
          ? await grants.count({ ...matching, ...NOT_REVOKED }, ids.length)
          : await revoke(matching, now);
        onProgress?.(count);
      }
      if (of.clientId !== undefined && !dryRun && Object.keys(narrower).length === 0)
        await endExchanged(of.clientId, of.userId);
      return count;
    },
    /**
     * Ends the grants of a user's sign-ins, in one session or all, at one client or all, except those for offline
     * access (OpenID Connect Back-Channel Logout §2.7). Returns their number.
     */
    endSignIn: ({ userId, sid, clientId }: SignInsOf, now: Date) =>
      revoke(
        withoutUndefined({
          userId,
          clientId,
          'authorization.openid.sid': sid ?? { $exists: true },
          // OpenID Connect Core §11
          [SCOPES]: { $ne: 'offline_access' },
        }),
        now,
      ),

    /**
     * Removes scopes from all grants of a user at a client, and ends grants with unredeemed codes; returns the number
     * of narrowed grants.
     */
    async revokeScopes(whose: UserAtClient, lost: LostScopes, now: Date): Promise<number> {
      const names = { $in: [...lost.keys()] };
      const narrow = (field: string, ...more: readonly string[]) =>
        grants.updateMany({ ...whose, ...NOT_REVOKED, [field]: names }, [
          { $set: Object.fromEntries([field, ...more].map((each) => [each, without(lost, `$${each}`)])) },
        ]);
      const codes = { ...whose, $or: [{ [SCOPES]: names }, { [CLAIM_SCOPES]: names }] };
      await endCodes(codes, now);
      // a grant may have claims of a scope that its tokens never had (OpenID Connect Core §5.5)
      const ofClaims = await narrow(CLAIM_SCOPES, SCOPES);
      const narrowed = await narrow(SCOPES);
      // again for codes of requests that began before
      await endCodes(codes, now);
      return ofClaims + narrowed;
    },

    /**
     * Replaces a choice in all grants of a user at a client that have it, and ends grants with unredeemed codes;
     * returns the number of changed grants.
     */
    async changeChoices(
      whose: UserAtClient,
      { name, value, isMax, endsAt }: ChangedChoice,
      now: Date,
    ): Promise<number> {
      const path = `authorization.choices.${name}`;
      const bound = { ...whose, ...NOT_REVOKED, [path]: { $exists: true } };
      await endCodes(bound, now);
      const rebound = await grants.updateMany(
        { ...bound, [path]: isMax ? { $gt: value } : { $exists: true } },
        { $set: { [path]: value } },
      );
      // no token lasts longer than its grant
      if (endsAt !== undefined)
        for (const [condition, ...shortened] of [
          ['authorization.endsAt', 'authorization.endsAt', 'expiresAt'],
          ['refreshToken.expiresAt', 'refreshToken.expiresAt'],
          ['accessTokens.expiresAt', 'accessTokens.$[].expiresAt'],
          ['exchangedTokens.expiresAt', 'exchangedTokens.$[].expiresAt'],
        ] as const)
          await grants.updateMany(
            { ...bound, [condition]: { $gt: endsAt } },
            { $min: Object.fromEntries(shortened.map((each) => [each, endsAt])) },
          );
      // again for codes of requests that began before
      await endCodes(bound, now);
      return rebound;
    },

    async blockAll(clientId, now) {
      await grants.updateMany({ clientId, ...USABLE }, { $set: { blockedAt: now } });
      await endExchanged(clientId);
    },
    async unblockAll(clientId) {
      await grants.updateMany({ clientId, blockedAt: { $exists: true } }, { $unset: { blockedAt: 1 } });
    },
  } satisfies Partial<GrantStore> & Record<string, unknown>;
}

/** Keeps the order of the scopes, which set operators do not. $literal: a scope may begin with $. */
function without(lost: LostScopes, field: string): object {
  const isAmong = (scope: unknown, scopes: unknown) => ({ $in: [scope, scopes] });
  const stays = new Set([...lost.values()].flat());
  const added = [...stays].map((stay) => {
    const givers = [...lost].filter(([, each]) => each.includes(stay)).map(([scope]) => scope);
    const isGiven = { $or: givers.map((scope) => isAmong({ $literal: scope }, field)) };
    const isThere = lost.has(stay) ? false : isAmong({ $literal: stay }, field);
    return { $cond: [{ $and: [isGiven, { $not: [isThere] }] }, { $literal: [stay] }, []] };
  });
  const others = {
    $filter: {
      input: field,
      as: 'scope',
      cond: { $not: [isAmong('$$scope', { $literal: [...lost.keys()] })] },
    },
  };
  return { $concatArrays: [others, ...added] };
}
