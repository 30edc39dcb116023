import type { ClientFailureStore } from '../../core/clients/status/client-failures.js';
import { CLIENT_FAILURES, type ClientFailure } from '../../shared/failure-reasons.js';
import { Collection } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import { defineCollection, requiredType } from '../connection/model.js';

/** Refusals of a client on one day, by the hour (UTC) and the reason. */
export interface StoredRefusals {
  /** The day and the client, so that upserts make one document. */
  readonly _id: string;
  readonly hours: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly expiresAt: Date;
}

export const REFUSALS = defineCollection<StoredRefusals>({
  model: 'AuthorizationServerRefusals',
  name: 'oauth_refusals',
  fields: ({ Mixed }) => ({ hours: requiredType(Mixed) }),
  ttl: 'expiresAt',
});

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export function createClientFailureStore(database: Database): ClientFailureStore {
  const refusals = new Collection(database, REFUSALS);
  return {
    async add(clientId, at, counts) {
      const day = startOf(at);
      await refusals.upsert(
        { _id: idOf(clientId, day) },
        {
          $inc: Object.fromEntries(
            [...counts].map(([reason, count]) => [`hours.${at.getUTCHours()}.${reason}`, count]),
          ),
          // the last hours of the day still count on the next one
          $setOnInsert: { expiresAt: new Date(day.getTime() + 2 * DAY) },
        },
      );
    },
    async find(clientId, now) {
      const days = [new Date(now.getTime() - DAY), now].map(startOf);
      const stored = await refusals.find({ _id: { $in: days.map((day) => idOf(clientId, day)) } });
      const since = Math.floor(now.getTime() / HOUR) * HOUR - 23 * HOUR;
      const hours = days.flatMap((day) => {
        const document = stored.find(({ _id }) => _id === idOf(clientId, day));
        return Object.entries(document?.hours ?? {}).filter(
          ([hour]) => day.getTime() + Number(hour) * HOUR >= since,
        );
      });
      const total = (reason: ClientFailure) =>
        hours.reduce((all, [, counts]) => all + (counts[reason] ?? 0), 0);
      // the most frequent first; reasons of a later release are left out
      return new Map(
        CLIENT_FAILURES.map((reason) => [reason, total(reason)] as const)
          .filter(([, count]) => count > 0)
          .sort(([, one], [, other]) => other - one),
      );
    },
  };
}

function startOf(time: Date): Date {
  return new Date(Math.floor(time.getTime() / DAY) * DAY);
}

function idOf(clientId: string, day: Date): string {
  return `${day.toISOString().slice(0, 10)} ${clientId}`;
}
