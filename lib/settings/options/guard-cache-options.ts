import { z } from 'zod';

import { defaultsOf, objectOf, option, type SettingsOf } from '../table/option.js';
import { count, seconds } from '../table/shapes.js';

const rows = {
  /** How many grants a process remembers. Default: `10000`. */
  size: option({ shape: () => count({ min: 1, max: 1_000_000, example: 10_000 }), default: 10_000 }),
  /** Seconds after which a grant is read again, even if no change was heard of. Default: `300`. */
  maxAge: option({ shape: () => seconds({ max: 3600, example: 300 }), default: 300 }),
};

/** The options with their defaults. */
export type GuardMemorySettings = SettingsOf<typeof rows>;

/** What the guard of the site's own API remembers. */
export const guardMemoryOptions = {
  /**
   * Lets the guard remember what it has read of a grant, so that a call costs no command to the database: `true`, or an
   * object such as `{ size: 50_000 }`. Each process listens to a change stream on the grants. What another process
   * revokes, narrows, blocks or deletes takes effect within a second, what the same process does at once. While the
   * stream does not bring back the marker that the process writes to it, each call asks the database. It needs a
   * replica set and `maxPoolSize` of 3 or more; `ready()` tells if one is missing. Default: `false`.
   */
  guardMemory: option({
    shape: () =>
      z
        .union(
          [z.boolean(), objectOf(rows, 'an object')],
          'true, false or an object of size, maxAge, such as { size: 50000 }',
        )
        .transform((given): GuardMemorySettings | false => (given === true ? defaultsOf(rows) : given)),
    default: false,
  }),
};
