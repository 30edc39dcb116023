import type { Grant, GuardedGrant } from '../../core/grants/grant.js';
import type { GrantStore } from '../../core/grants/grant-store.js';
import { createCache } from '../../shared/lru-cache.js';
import { Collection } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import { defineCollection } from '../connection/model.js';
import { createAccessTokenSteps } from './access-token-steps.js';
import { createBulkSteps } from './bulk-steps.js';
import {
  type GrantDocument,
  grantFields,
  GUARD_PROJECTION,
  live,
  toGrant,
  toGrantDocument,
} from './grant-document.js';
import { createGrantLists } from './grant-lists.js';
import { createNamedTokenGrants, leavingNamedTokens } from './named-token-steps.js';
import { createRedemptions } from './redemption-steps.js';

export const GRANTS = defineCollection<GrantDocument>({
  model: 'AuthorizationServerGrant',
  extendedBy: ['authorizationServer', 'schemas.grant'],
  name: 'oauth_grants',
  people: {
    paths: {
      userId: { person: 'subject', atEnd: 'delete' },
      // changed by leaveNamedTokens
      'namedToken.owners': { person: 'owner', atEnd: 'operation' },
      'namedToken.invitations.userId': {
        person: 'invited',
        atEnd: 'operation',
        with: ['namedToken.invitations.typed'],
      },
      'namedToken.invitations.invitedBy': { person: 'actor', atEnd: 'operation' },
      'namedToken.createdBy': { person: 'actor', atEnd: 'replace' },
    },
    exported:
      'userId clientId grantType authorization.scopes authorization.resources authorization.authorizationDetails authorization.choices authorization.endsAt authorization.authentication namedToken.name namedToken.purpose namedToken.lastUsedOn namedToken.lastUsedFrom createdAt renewedAt revokedAt expiresAt',
    id: 'grantId',
  },
  fields: ({ Mixed }) => grantFields(Mixed),
  ttl: 'expiresAt',
  sparse: [
    { userId: 1, clientId: 1 },
    { 'namedToken.owners': 1 },
    { 'exchangedTokens.through': 1 },
    { 'namedToken.invitations.userId': 1 },
    { 'namedToken.invitations.invitedBy': 1 },
    { 'namedToken.createdBy': 1 },
    { 'namedToken.remindAt': 1 },
  ],
  indexes: [[{ clientId: 1, createdAt: -1 }]],
});

/** Maximum number of grants with codes in the memory of one process. */
const MAX_CODES = 1000;

export type Grants = ReturnType<typeof createGrantStore>;

/** Each operation is one command, which changes one document atomically. */
export function createGrantStore(database: Database, hasExchanges: boolean) {
  const grants = new Collection(database, GRANTS);
  // saves a read: codes are usually redeemed within seconds by the same process, and their bindings are immutable
  const codes = createCache<Grant>({ size: MAX_CODES });
  const find = async (id: string): Promise<Grant | null> => {
    const document = await grants.findOne({ _id: id });
    return document && toGrant(document);
  };

  return {
    ...createRedemptions(grants),
    ...createAccessTokenSteps(grants, hasExchanges),
    ...createBulkSteps(grants, hasExchanges),
    ...createNamedTokenGrants(grants),
    ...createGrantLists(grants),
    leaveNamedTokens: leavingNamedTokens(grants),
    async insert(grant) {
      const document = toGrantDocument(grant);
      // every authorization inserts a grant: `save` is only for sites that extend the schema
      const isNew =
        grants.customFields.length > 0
          ? (await grants.save(document)) !== null
          : await grants.insert(document);
      if (grant.code !== undefined)
        codes.set(grant.grantId, grant, { ttl: Math.max(1, grant.code.expiresAt.getTime() - Date.now()) });
      return isNew;
    },
    /** Inserts several grants in one command; some may exist already. */
    async insertAll(all: readonly Grant[]): Promise<void> {
      if (all.length > 0) await grants.insertAll(all.map(toGrantDocument));
    },
    find,
    /** The grants that have tokens, or can still get some, the newest first. */
    async listLive(of: { readonly userId?: string; readonly clientId?: string }, now: Date, limit: number) {
      const documents = await grants.find({ ...of, ...live(now) }, { sort: { createdAt: -1 }, limit });
      return documents.map(toGrant);
    },
    async findOfCode(id) {
      const cached = codes.get(id);
      codes.delete(id);
      return cached ?? find(id);
    },
    async findForGuard({ grantId }): Promise<GuardedGrant | null> {
      const document = await grants.findOne({ _id: grantId }, GUARD_PROJECTION);
      return document && toGrant(document);
    },
  } satisfies GrantStore & Record<string, unknown>;
}
