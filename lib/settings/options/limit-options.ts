import { option, type OptionsOf } from '../table/option.js';
import { count } from '../table/shapes.js';

const limit = (defaultValue: number) =>
  option({ shape: () => count({ example: defaultValue }), default: defaultValue });

export const rateLimitOptions = {
  /**
   * Failed client authentications per address and client in a minute; ten times as many per address if this server
   * did not make the client's secret. A right secret that this server made is always accepted. Default: `60`.
   */
  token: limit(60),
  /**
   * Failed logins at `localLogin`, and failed password grants, per address and user name in 15 minutes; ten times as
   * many per address, and a hundred times as many visits of the login page without a session. Default: `10`.
   */
  login: limit(10),
  /**
   * Clients that register themselves per address and minute; five times as many per network. With an initial access
   * token they count by that token. Default: `10`.
   */
  registration: limit(10),
};

/** How often a caller may fail before the answer is 429. */
export type RateLimitOptions = OptionsOf<typeof rateLimitOptions>;
