import { randomUUID } from 'node:crypto';

import type { Model, mongo } from 'mongoose';

/** Milliseconds between the return of a marker and the next one. */
const INTERVAL = 250;
/** Milliseconds for which markers are written after the last use of the stream. */
const AWAKE = 10_000;
/** Milliseconds until the TTL index removes a marker of a dead process. */
const LIFE = 600_000;
const PREFIX = 'marker ';

/**
 * A document that one process writes repeatedly to check its change stream. The stream has the order of changes in the
 * collection: once a marker comes back, so have all changes before it. A response without changes proves less: some
 * servers send it while their streams are behind.
 *
 * @param failed gets the error if a marker cannot be written
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
    const sent = number;
    try {
      await collection.replaceOne(
        { _id } as object,
        { marker: sent, expiresAt: new Date(Date.now() + LIFE) },
        // not the majority: until the majority has the marker, the stream does not report it
        { upsert: true, writeConcern: { w: 1 } },
      );
    } catch (error) {
      if (sent !== number || state !== 'waiting') return;
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
    /** The stages of the stream: changes of grants, and the marker of this process only. */
    stages: [
      // no cache can have a grant before its insert
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
    /** Begins to write markers, for a stream that was just opened. */
    begin() {
      clearTimeout(timer);
      void send();
    },
    /** Whether a change is this process's marker; after the expected marker, all earlier changes have been received. */
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
    /** When the newest returned marker was sent; all changes that were confirmed before have been received. */
    heardUntil: () => heardUntil,
    /** Called on each use of the stream: markers are written only while it is used. */
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
