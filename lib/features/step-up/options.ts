import type { RowsOf } from '../../settings/options.js';
import { acrValueList } from '../../settings/options/guard-options.js';
import { option, type OptionsOf, switchable } from '../../settings/table/option.js';

const rows = {
  /**
   * The classes of logins that `people.authentication` can give, the best first: `['mfa', 'pwd']`. They are published.
   * Default: none, only the age of a login counts. (RFC 9470 §7)
   */
  acrValues: option({ shape: acrValueList, default: [] }),
};

/** The classes of logins that routes can require. */
export type StepUpOptions = OptionsOf<typeof rows>;

/** Routes that need a newer or a stronger login (RFC 9470). */
export const stepUpOptions = {
  /**
   * Lets routes ask for a new or strong login, with `guard({ maxAge: 300, acr: ['mfa'] })`; other calls get 401
   * `insufficient_user_authentication`. Access tokens then have `auth_time`, `acr` and `amr`, and authorization
   * requests can have `max_age` and `acr_values`. `true`, or an object. Default: `false`. (RFC 9470)
   */
  stepUp: switchable(rows, "{ acrValues: ['mfa'] }"),
};

declare module '../../settings/options.js' {
  interface FeatureRows extends RowsOf<typeof stepUpOptions> {}
}
