import { option, type OptionsOf } from '../table/option.js';
import { between, callback } from '../table/shapes.js';
import type { ExtendSchema } from './schema-options.js';

/** A user store for a site without one. */
export const usersOptions = {
  /** Cost of bcrypt, 4 to 20; one more doubles the work. A login stores the hash again at this cost. Default: `12`. */
  rounds: option({ shape: () => between(4, 20, 12), default: 12 }),
  /**
   * Fields of your own in users: `(schema) => schema.add({ email: String })`. `interface CustomUserFields` types them.
   * Default: none.
   */
  schema: option({ shape: () => callback<ExtendSchema>('(schema) => schema.add({ email: String })') }),
};

export type UsersOptions = OptionsOf<typeof usersOptions>;
