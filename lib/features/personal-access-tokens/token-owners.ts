import { ownedBy, ownersOf, type SharedOwnership } from '../../core/clients/client-owners.js';
import { createOwnership } from '../../core/clients/registry/ownership.js';
import type { Grant } from '../../core/grants/grant.js';
import { OAuthError } from '../../shared/errors.js';
import { withoutUndefined } from '../../shared/without-undefined.js';
import type { Grants } from '../../storage/grants/grant-collection.js';
import { noSuchToken } from './token-service.js';

/** Operations on the owners of a service token. They throw an OwnershipError. */
export type TokenOwners = ReturnType<typeof createTokenOwners>;

/** Retried only on a concurrent change. */
const MAX_TRIES = 20;

interface OwnedToken extends SharedOwnership {
  readonly grant: Grant;
}

/** The rules of applications, applied to service tokens. */
export function createTokenOwners(grants: Grants) {
  const toOwned = (grant: Grant): OwnedToken => ({ ...toSharedOwnership(grant), grant });
  return createOwnership<OwnedToken>({
    async find(id, now) {
      const grant = await grants.findNamedToken(id, undefined, now);
      return grant && toOwned(grant);
    },
    async change(id, now, next) {
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const grant = await grants.findNamedToken(id, undefined, now);
        const { owners, ownerChanges = 0 } = grant?.namedToken ?? {};
        if (grant === null || owners === undefined) throw noSuchToken();
        const before = toOwned(grant);
        const step = next(before);
        if (step === null) return { before, after: before };
        const after = { ...before, ...step.owned };
        const changed = { owners: ownersOf(after), ...withoutUndefined({ invitations: after.invitations }) };
        if (await grants.setNamedTokenOwners({ grantId: id, ownerChanges }, changed, now))
          return { before, after };
      }
      throw new OAuthError('invalid_request', 'the owners were changed in the meantime', { status: 409 });
    },
    count: (ownerId, now, limit) => grants.countNamedTokens({ ownerId }, now, limit),
    listInvited: async (userId, now, limit) =>
      (await grants.listInvitedTokens(userId, now, limit)).map(toOwned),
    idsOf: ({ grant: { grantId, clientId } }) => ({ grantId, clientId }),
  });
}

/** The ownership of a service token: the site never trusts it, and owners cannot change a blocked one. */
export function toSharedOwnership({
  namedToken: { owners = [], invitations } = { name: '', rotations: 0 },
  blockedAt,
}: Partial<Grant>): SharedOwnership {
  return { ...ownedBy(owners), invitations, trusted: false, blocked: blockedAt && { at: blockedAt } };
}
