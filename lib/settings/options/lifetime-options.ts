import { group, option, type OptionsOf } from '../table/option.js';
import { seconds } from '../table/shapes.js';

const DAY = 86_400;

export const lifetimeRows = {
  /** Seconds that an authorization code can be redeemed, at most 600. Default: `60`. (RFC 6749 §4.1.2) */
  authorizationCode: option({
    shape: () => seconds({ max: 600, because: ' (RFC 6749 §4.1.2)', example: 60 }),
    default: 60,
  }),
  /** Seconds that an access token is valid. Default: `3600`. */
  accessToken: option({ shape: () => seconds({ example: 3600 }), default: 3600 }),
  /** Seconds that a refresh token can be used; each use gives a new one. Default: `2592000` (30 days). */
  refreshToken: option({ shape: () => seconds({ example: 30 * DAY }), default: 30 * DAY }),
  /** Seconds from the user's authorization after which refreshing ends. Default: none. (RFC 9700 §4.14.2) */
  refreshTokenMax: option({ shape: () => seconds({ example: 365 * DAY }) }),
  /** Seconds that an ID token is valid, a day at most. Needs `openid`. Default: `3600`. */
  idToken: option({ shape: () => seconds({ max: DAY, example: 3600 }), default: 3600 }),
  /** Seconds that the codes of a device can be used. Default: `600`. */
  deviceCode: option({ shape: () => seconds({ example: 600 }), default: 600 }),
};

/** How long codes and tokens last. */
export type LifetimeOptions = OptionsOf<typeof lifetimeRows>;

/** Lifetimes of codes and tokens. */
export const lifetimeOptions = {
  /** Seconds that codes and tokens last: `{ accessToken: 600 }`. */
  lifetimes: group(lifetimeRows, '{ accessToken: 600 }'),
};
