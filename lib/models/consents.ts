import type { Consent, ConsentStore } from '../grants/consent-store.js';
import type { DatedIds } from '../grants/grant-store.js';
import type { ExtendSchema } from '../settings/schema-options.js';
import { type Database, isDuplicateKey } from './database.js';
import { datedIds } from './dated-ids.js';
import { documentsOf, eachOf, SCHEMA_OPTIONS } from './documents.js';
import type { Collection } from './model-of.js';
import { rangeOf } from './range-of.js';

export const CONSENTS: Collection<Consent> = {
  model: 'AuthorizationServerConsent',
  extendedBy: ['authorizationServer', 'schemas.consent'],
  name: 'oauth_consents',
  schema: ({ Schema }) =>
    new Schema<Consent>(
      {
        userId: { type: String, required: true },
        clientId: { type: String, required: true },
        scopes: { type: [String], required: true },
        createdAt: { type: Date, required: true },
        updatedAt: { type: Date, required: true },
      },
      SCHEMA_OPTIONS,
    )
      .index({ userId: 1, clientId: 1 }, { unique: true })
      .index({ clientId: 1 }),
};

export function createConsentStore(database: Database, extend?: ExtendSchema): ConsentStore {
  const consents = documentsOf(database, CONSENTS, extend);
  /** The consent as it is afterwards, null if there is none. $literal: a scope may begin with $. */
  const replace = (
    of: { readonly userId: string; readonly clientId: string },
    {
      asked,
      allowed,
      now,
    }: { readonly asked: readonly string[]; readonly allowed: readonly string[]; readonly now: Date },
  ): Promise<Consent | null> => {
    const others = {
      $filter: {
        input: '$scopes',
        as: 'scope',
        cond: { $not: [{ $in: ['$$scope', { $literal: asked }] }] },
      },
    };
    return consents.findOneAndUpdate(of, [
      { $set: { scopes: { $concatArrays: [others, { $literal: allowed }] }, updatedAt: now } },
    ]);
  };

  return {
    async findScopes(userId, clientId) {
      const consent = await consents.findOne({ userId, clientId }, { scopes: 1 });
      return consent === null ? null : consent.scopes;
    },
    async listOfUser(userId, { limit, by }) {
      const date = by === 'since' ? 'createdAt' : 'updatedAt';
      const [all] = await consents.aggregate<DatedIds>([
        { $match: { userId } },
        { $sort: { [date]: -1 } },
        { $limit: limit },
        datedIds('$clientId', `$${date}`),
      ]);
      return all ?? { ids: [], dates: [] };
    },
    findOfUser: (userId, clientIds) =>
      consents.find({ userId, clientId: { ...rangeOf(clientIds), $in: clientIds } }),
    async remember(userId, clientId, { asked, allowed, now }) {
      const of = { userId, clientId };
      // only where something was left out is there something to take out, in the same command
      if (allowed.length < asked.length && (await replace(of, { asked, allowed, now })) !== null) return;
      const add = () =>
        consents.upsert(of, {
          $addToSet: { scopes: { $each: allowed } },
          $set: { updatedAt: now },
          $setOnInsert: { createdAt: now },
        });
      try {
        await add();
      } catch (error) {
        // two first consents at the same moment: the unique index lets one insert, the other now finds it
        if (!isDuplicateKey(error)) throw error;
        await add();
      }
    },
    async withdraw(userId, clientId, { asked, now }) {
      const of = { userId, clientId };
      if (asked.length === 0) return void (await consents.deleteMany(of));
      const left = await replace(of, { asked, allowed: [], now });
      // unless somebody has allowed something meanwhile
      if (left?.scopes.length === 0) await consents.deleteOne({ ...of, scopes: [] });
    },
    async narrow(userId, clientId, { lost, left, now }) {
      const of = { userId, clientId };
      const after = await replace(of, { asked: [...lost, ...left], allowed: left, now });
      if (after?.scopes.length === 0) await consents.deleteOne({ ...of, scopes: [] });
    },
    forget: (of) => consents.deleteMany({ ...of }),
    async countUsers(clientIds, limit) {
      const pipelineOf = (clientId: string) => [
        { $match: { clientId } },
        { $limit: limit },
        { $group: { _id: '$clientId', users: { $sum: 1 } } },
      ];
      const counted = await consents.aggregate<{ _id: string; users: number }>(
        eachOf(CONSENTS.name, clientIds, pipelineOf),
      );
      return counted.map(({ _id, users }) => ({ clientId: _id, users }));
    },
  };
}
