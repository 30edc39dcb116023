import type { ChangedChoice, GrantStore } from '../../core/grants/grant-store.js';
import type { Collection } from '../connection/collection.js';
import type { GrantDocument } from './grant-document.js';

/** Changes what was picked in existing grants, with a few commands however many grants there are. */
export function createChoiceSteps(grants: Collection<GrantDocument>): Pick<GrantStore, 'changeChoices'> {
  return {
    async changeChoices({ userId, clientId }, { name, value, isMax, endsAt }: ChangedChoice, now) {
      const path = `authorization.choices.${name}`;
      const bound = { userId, clientId, revokedAt: { $exists: false }, [path]: { $exists: true } };
      // the process that redeems a code may remember its grant, so its client has to ask again
      const endCodes = () =>
        grants.updateMany(
          { ...bound, 'code.hash': { $exists: true }, 'code.usedAt': { $exists: false } },
          { $set: { revokedAt: now } },
        );
      await endCodes();
      const rebound = await grants.updateMany(
        { ...bound, [path]: isMax ? { $gt: value } : { $exists: true } },
        { $set: { [path]: value } },
      );
      if (endsAt !== undefined) await endBy(grants, bound, endsAt);
      // codes of requests that had begun before that
      await endCodes();
      return rebound;
    },
  };
}

/** Tokens last no longer than what they belong to. */
async function endBy(grants: Collection<GrantDocument>, bound: object, endsAt: Date): Promise<void> {
  const later = { $gt: endsAt };
  await grants.updateMany(
    { ...bound, 'authorization.endsAt': later },
    { $min: { 'authorization.endsAt': endsAt, expiresAt: endsAt } },
  );
  await grants.updateMany(
    { ...bound, 'refreshToken.expiresAt': later },
    { $min: { 'refreshToken.expiresAt': endsAt } },
  );
  await grants.updateMany(
    { ...bound, 'accessTokens.expiresAt': later },
    { $min: { 'accessTokens.$[].expiresAt': endsAt } },
  );
  await grants.updateMany(
    { ...bound, 'exchangedTokens.expiresAt': later },
    { $min: { 'exchangedTokens.$[].expiresAt': endsAt } },
  );
}
