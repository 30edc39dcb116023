import { randomUUID } from 'node:crypto';

import type { Model, mongo } from 'mongoose';

/** Milliseconds from the moment when a marker came back to the next one. */
const INTERVAL = 250;
/** Milliseconds for which markers are written after somebody has relied on the stream. */
const AWAKE = 10_000;
/** Milliseconds until the time to live removes a marker whose process is gone. */
const LIFE = 600_000;
const PREFIX = 'marker ';

/**
 * What one process writes again and again, to see by the change stream that it hears of what is written. The stream has
 * an order of its own for what happens in a collection: once a marker comes back, so has all that was written before the
 * marker was sent. An answer that says that there is nothing new proves less: some servers give it while their streams
 * are behind.
 *
 * @param failed is told why a marker could not be written
 */
export function createStreamMarker(
  collection: Model<unknown>['collection'],
  failed: (error: unknown) => void,
) {
  const _id = `${PREFIX}${randomUUID()}`;
  let number = 0;
  let sentAt = -Infinity;
  let heardUntil = -Infinity;
  let reliedOnAt = performance.now();
  let state: 'ended' | 'waiting' | 'pausing' | 'asleep' = 'ended';
  let timer: NodeJS.Timeout | undefined;

  const send = async (): Promise<void> => {
    state = 'waiting';
    number += 1;
    sentAt = performance.now();
    const own = number;
    try {
      await collection.replaceOne(
        { _id } as object,
        { marker: own, expiresAt: new Date(Date.now() + LIFE) },
        // not the majority: until that has it, the stream does not tell
        { upsert: true, writeConcern: { w: 1 } },
      );
    } catch (error) {
      if (own !== number || state !== 'waiting') return;
      failed(error);
      sendLater();
    }
  };
  const sendLater = (): void => {
    state = 'pausing';
    timer = setTimeout(() => {
      if (performance.now() - reliedOnAt > AWAKE) state = 'asleep';
      else void send();
    }, INTERVAL).unref();
  };

  return {
    /** The stages of the stream: changes of grants, and the marker of this process, not those of others. */
    stages: [
      // nobody can know a grant before it is there
      {
        $match: {
          $or: [
            { 'documentKey._id': _id },
            { operationType: { $ne: 'insert' }, 'documentKey._id': { $not: new RegExp(`^${PREFIX}`) } },
          ],
        },
      },
      { $project: { operationType: 1, documentKey: 1, 'fullDocument.marker': 1 } },
    ],
    /** Begins to write, to a stream that was just opened. */
    begin() {
      clearTimeout(timer);
      void send();
    },
    /** Whether a change is of the marker; if it is the one that was awaited, what was confirmed before it is known. */
    recognize(change: object) {
      const { documentKey, fullDocument } = change as Partial<mongo.ChangeStreamInsertDocument> & {
        readonly fullDocument?: { readonly marker?: number };
      };
      if ((documentKey as { _id?: unknown } | undefined)?._id !== _id) return false;
      if (state === 'waiting' && fullDocument?.marker === number) {
        heardUntil = sentAt;
        sendLater();
      }
      return true;
    },
    /** When the newest marker was sent that came back; all that was confirmed to anybody until then is known. */
    heardUntil: () => heardUntil,
    /** Called when somebody relies on the stream: the marker is written only while somebody does. */
    wake() {
      reliedOnAt = performance.now();
      if (state === 'asleep') void send();
    },
    end() {
      clearTimeout(timer);
      state = 'ended';
      heardUntil = -Infinity;
    },
    remove: async () => void (await collection.deleteOne({ _id } as object, { writeConcern: { w: 1 } })),
  };
}
