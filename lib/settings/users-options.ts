import { option, type OptionsOf } from './option.js';
import { count, milliseconds } from './shapes.js';

/** The store of users for a site that has none of its own. */
export const usersOptions = {
  /** Cost of bcrypt; one more doubles the work. Default: `12`. */
  rounds: option({ shape: () => count({ example: 12 }), default: 12 }),
  /** Milliseconds that a database command may take. Default: `5000`. */
  databaseTimeout: option({ shape: () => milliseconds({ example: 5000 }), default: 5000 }),
};

export type UsersOptions = OptionsOf<typeof usersOptions>;
