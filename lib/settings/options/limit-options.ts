import { option, type OptionsOf } from '../table/option.js';
import { count } from '../table/shapes.js';

const limit = (defaultValue: number) =>
  option({ shape: () => count({ example: defaultValue }), default: defaultValue });

export const rateLimitOptions = {
  /**
   * Failed client authentications per address and client in a minute, at all endpoints together. If the client's secret
   * was not made by this server, and might be guessed, also ten times as many per address. The right secret that this
   * server made is always accepted. Default: `60`.
   */
  token: limit(60),
  /**
   * Failed password grants per address and user name in 15 minutes, ten times as many per address; the bundled
   * login has its own `rateLimit`. Default: `10`.
   */
  login: limit(10),
  /** Forms that a developer may send on the applications pages in a minute. Default: `30`. */
  applications: limit(30),
  /**
   * Clients that register themselves per address and minute; five times as many per network around it (/24, or /48 of
   * IPv6). With an initial access token they count by that token, and apart from those without one. Default: `10`.
   */
  registration: limit(10),
  /** Wrong codes of devices per user in 15 minutes, at whatever address. Default: `10`. (RFC 8628 §5.1) */
  device: limit(10),
  /**
   * Codes that devices of public clients ask for, per address in a minute; those of confidential clients that
   * registered themselves or that a user registered, per client. Default: `60`.
   */
  deviceAuthorization: limit(60),
  /**
   * Requests that public clients push, per address in a minute; those of confidential clients that registered
   * themselves or that a user registered, per client. Default: `300`. (RFC 9126 §2.3)
   */
  pushedRequests: limit(300),
  /**
   * Tokens by `client_credentials` in a minute, per client that registered itself or that a user registered. Tokens
   * of clients that you register, trust or verify are not counted. Default: `60`.
   */
  clientCredentials: limit(60),
  /**
   * Clients that nobody has used before and that this site has not verified, per user in a day: those that describe
   * themselves or registered themselves, and are stored because this user allows them. Beyond that the consent page
   * says to come back later, and keeps the request. Default: `50`.
   */
  newClients: limit(50),
};

/**
 * How often a caller may fail before the answer is 429.
 */
export type RateLimitOptions = OptionsOf<typeof rateLimitOptions>;
