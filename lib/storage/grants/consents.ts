import type { Consent, ConsentDecision, ConsentStore } from '../../core/grants/consent-store.js';
import { withoutUndefined } from '../../shared/without-undefined.js';
import { Collection } from '../connection/collection.js';
import { type Database, isDuplicateKey } from '../connection/database.js';
import { defineCollection, optionalList, requiredType } from '../connection/model.js';
import { datedIds, idRange, unionByIds } from '../connection/query-helpers.js';
import type { ChangedChoice } from './bulk-steps.js';
import type { DatedIds, ListOrder, UserAtClient } from './grant-lists.js';

export const CONSENTS = defineCollection<Consent>({
  model: 'AuthorizationServerConsent',
  extendedBy: ['authorizationServer', 'schemas.consent'],
  name: 'oauth_consents',
  people: {
    paths: { userId: { person: 'subject', atEnd: 'delete' } },
    exported: 'clientId clientName scopes authorizationDetails choices endsAt createdAt updatedAt',
  },
  fields: ({ Mixed, ObjectId }) => ({
    _id: { type: ObjectId, auto: true },
    userId: requiredType(String),
    clientId: requiredType(String),
    scopes: { type: [String], required: true },
    authorizationDetails: optionalList(Mixed),
    choices: Mixed,
    endsAt: Date,
    mayAct: optionalList(String),
    clientName: String,
    createdAt: requiredType(Date),
    updatedAt: requiredType(Date),
  }),
  indexes: [[{ userId: 1, clientId: 1 }, { unique: true }], [{ clientId: 1 }]],
});

export function createConsentStore(database: Database) {
  const consents = new Collection(database, CONSENTS);

  /** Resolves to the changed consent, null if there is none. $literal: a text that begins with $ would be a field. */
  const replace = (
    of: UserAtClient,
    { requested, allowed, now, ...beside }: ConsentDecision & { readonly allowed: readonly string[] },
  ) => {
    const others = {
      $filter: {
        input: '$scopes',
        as: 'scope',
        cond: { $not: [{ $in: ['$$scope', { $literal: requested }] }] },
      },
    };
    const literals = Object.entries(beside).map(([name, value]) => [name, { $literal: value }] as const);
    const set = {
      scopes: { $concatArrays: [others, { $literal: allowed }] },
      ...Object.fromEntries(literals),
      updatedAt: now,
    };
    return consents.findOneAndUpdate({ ...of }, [
      { $set: set },
      ...(isEndless(beside) ? [{ $unset: 'endsAt' }] : []),
    ]);
  };
  /** Deletes an empty consent unless the user has allowed something meanwhile. */
  const deleteEmpty = async (consent: Consent | null): Promise<void> => {
    if (consent === null || consent.scopes.length + (consent.authorizationDetails?.length ?? 0) > 0) return;
    const { userId, clientId } = consent;
    await consents.deleteOne({
      userId,
      clientId,
      scopes: [],
      'authorizationDetails.0': { $exists: false },
    });
  };

  return {
    async findScopes(userId, clientId) {
      const consent = await consents.findOne({ userId, clientId }, { scopes: 1 });
      return consent === null ? null : consent.scopes;
    },
    /** The clients with a consent of the user, the newest first, with their stored names; null: no name is stored. */
    async listNames(userId: string, { limit, by }: ListOrder) {
      const date = by === 'since' ? 'createdAt' : 'updatedAt';
      const [all] = await consents.aggregate<DatedIds & { readonly names: readonly (string | null)[] }>([
        { $match: { userId } },
        { $sort: { [date]: -1 } },
        { $limit: limit },
        datedIds('$clientId', `$${date}`, { names: { $push: { $ifNull: ['$clientName', null] } } }),
      ]);
      return all ?? { ids: [], names: [], dates: [] };
    },
    async rename(clientId, clientName) {
      await consents.updateMany({ clientId }, { $set: { clientName } });
    },
    findOfUser: (userId, clientIds) =>
      consents.find({ userId, clientId: { ...idRange(clientIds), $in: clientIds } }),
    async remember(userId, clientId, { requested, allowed, now, ...beside }) {
      const of = { userId, clientId };
      // scopes have to be removed only if some were denied; the same command removes them
      if (
        allowed.length < requested.length &&
        (await replace(of, { requested, allowed, now, ...beside })) !== null
      )
        return;
      // adds to the stored consent, or creates it
      const add = () =>
        consents.upsert(of, {
          $addToSet: { scopes: { $each: allowed } },
          $set: { ...beside, updatedAt: now },
          ...(isEndless(beside) && { $unset: { endsAt: '' } }),
          $setOnInsert: { createdAt: now },
        });
      await add().catch((error: unknown) => {
        // two first consents at the same moment: the unique index lets one insert, and the other then updates it
        if (!isDuplicateKey(error)) throw error;
        return add();
      });
    },
    async withdraw(userId, clientId, { requested, now, ...beside }) {
      const of = { userId, clientId };
      if (requested.length === 0 && beside.authorizationDetails === undefined)
        return void (await consents.deleteMany(of));
      await deleteEmpty(await replace(of, { requested, allowed: [], now, ...beside }));
    },
    /** Replaces scopes of an existing consent; the user is asked again if a client requests the lost ones. */
    async narrow(of: UserAtClient, lost: readonly string[], left: readonly string[], now: Date) {
      await deleteEmpty(await replace(of, { requested: [...lost, ...left], allowed: left, now }));
    },
    /** Changes a choice in an existing consent with that choice. */
    async rebind(of: UserAtClient, { name, value, endsAt }: ChangedChoice, now: Date): Promise<void> {
      const path = `choices.${name}`;
      await consents.updateMany(
        { ...of, [path]: { $exists: true } },
        { $set: withoutUndefined({ [path]: value, updatedAt: now, endsAt }) },
      );
    },
    async forget({ scopes, issuedBefore, ...of }) {
      const narrower = withoutUndefined({
        // a scope at a resource is stored with a space between them, and '!' is the successor of the space
        $or: scopes?.flatMap((scope) => [
          { scopes: scope },
          { scopes: { $elemMatch: { $gte: `${scope} `, $lt: `${scope}!` } } },
        ]),
        createdAt: issuedBefore && { $lt: issuedBefore },
      });
      for await (const ids of consents.findIds({ ...of }))
        await consents.deleteMany({ ...of, ...narrower, _id: { $in: ids } });
    },
    async countUsers(clientIds, limit) {
      const pipelineOf = (clientId: string) => [
        { $match: { clientId } },
        { $limit: limit },
        { $group: { _id: '$clientId', users: { $sum: 1 } } },
      ];
      const counted = await consents.aggregate<{ _id: string; users: number }>(
        unionByIds(CONSENTS.name, clientIds, pipelineOf),
      );
      return counted.map(({ _id, users }) => ({ clientId: _id, users }));
    },
  } satisfies ConsentStore & Record<string, unknown>;
}

/** Whether the consent no longer ends. */
function isEndless({ authorizationDetails, endsAt }: Partial<ConsentDecision>): boolean {
  return authorizationDetails !== undefined && endsAt === undefined;
}
