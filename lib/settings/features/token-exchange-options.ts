import { z } from 'zod';

import { defaultsOf, objectOf, option, type SettingsOf } from '../table/option.js';
import { between } from '../table/shapes.js';

const rows = {
  /** How many exchanges may follow one another, 9 at most. Default: `3`. */
  maxDepth: option({ shape: () => between(1, 9, 3), default: 3 }),
};

export type TokenExchangeSettings = SettingsOf<typeof rows>;

/** One client acts for a person through another one (RFC 8693). */
export const tokenExchangeOptions = {
  /**
   * Lets clients with `mayExchange` exchange an access token of this server for one of their own: for the same person,
   * with the same or fewer scopes, and no longer-lived. Both names are in it, and whatever came of a grant ends with
   * it. `true`, or `{ maxDepth }`. Default: `false`. (RFC 8693)
   */
  tokenExchange: option({
    shape: () =>
      z.union(
        [
          z.literal(false),
          z.literal(true).transform((): TokenExchangeSettings => defaultsOf(rows)),
          objectOf(rows, 'an object'),
        ],
        'true, false or an object of maxDepth, such as { maxDepth: 3 }',
      ),
    default: false,
  }),
};
