import { option, type SettingsOf } from '../table/option.js';
import { count, seconds } from '../table/shapes.js';

export const guardCacheRows = {
  /** How many grants a process remembers. Default: `10000`. */
  size: option({ shape: () => count({ min: 1, max: 1_000_000, example: 10_000 }), default: 10_000 }),
  /** Seconds after which a grant is read again in any case. Default: `300`. */
  maxAge: option({ shape: () => seconds({ max: 3600, example: 300 }), default: 300 }),
};

/** The options with their defaults. */
export type GuardCacheSettings = SettingsOf<typeof guardCacheRows>;
