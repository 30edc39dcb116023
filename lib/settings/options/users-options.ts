import { option, type OptionsOf } from '../table/option.js';
import { between, callback, milliseconds } from '../table/shapes.js';
import type { ExtendSchema } from './schema-options.js';

/** The store of users for a site that has none of its own. */
export const usersOptions = {
  /** Cost of bcrypt, 4 to 20; one more doubles the work. A login stores the hash again at this cost. Default: `12`. */
  rounds: option({ shape: () => between(4, 20, 12), default: 12 }),
  /** Milliseconds for a database command. Default: `5000`. */
  databaseTimeout: option({ shape: () => milliseconds({ example: 5000 }), default: 5000 }),
  /**
   * Fields of your own in users: `(schema) => schema.add({ email: String })`. `interface CustomUserFields` types them.
   * Default: none.
   */
  schema: option({ shape: () => callback<ExtendSchema>('(schema) => schema.add({ email: String })') }),
};

export type UsersOptions = OptionsOf<typeof usersOptions>;
