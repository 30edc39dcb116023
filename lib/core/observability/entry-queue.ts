const BATCH = 500;

/** A queue of entries that wait for the database, in order. */
export function createEntryQueue<Entry>(options: {
  /** The owner of the entries, in messages to the site: `the audit`. */
  readonly of: string;
  readonly append: (batch: readonly Entry[]) => Promise<unknown>;
  readonly warn: (detail: string, cause?: unknown) => void;
  readonly capacity: number;
  /** Makes the entry about dropped entries. Default: only the site gets a warning. */
  readonly toDropped?: (count: number) => Entry;
}) {
  const { of, append, warn, capacity, toDropped } = options;
  let queue: Entry[] = [];
  let dropped = 0;
  let isWaiting = false;
  let writing: Promise<boolean> = Promise.resolve(true);
  let next: Promise<boolean> | undefined;

  const writeAll = async (): Promise<boolean> => {
    while (queue.length > 0) {
      const batch = queue.slice(0, BATCH);
      try {
        await append(batch);
      } catch (cause) {
        // one warning for an outage: a line for each attempt would bury the rest of the log
        if (!isWaiting) warn(`the entries of ${of} wait for the database`, cause);
        isWaiting = true;
        return false;
      }
      queue = queue.slice(batch.length);
    }
    isWaiting = false;
    if (dropped === 0) return true;
    warn(`${dropped} entries of ${of} were dropped while the database was down`);
    if (toDropped) queue.push(toDropped(dropped));
    dropped = 0;
    return writeAll();
  };

  return {
    /** Drops and counts the entry if the queue is full. */
    add(entry: Entry) {
      if (queue.length < capacity) {
        queue.push(entry);
        return;
      }
      dropped += 1;
      if (dropped === 1)
        warn(`${of} is full, ${capacity} entries wait for the database: newer ones are dropped and counted`);
    },
    /** Stores the waiting entries. Always resolves, with false if the database failed. */
    // one write at a time: entries that are added during a write share the next one
    flush() {
      next ??= writing = writing.then(() => {
        next = undefined;
        return writeAll();
      });
      return next;
    },
  };
}
