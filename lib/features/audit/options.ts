import type { RowsOf } from '../../settings/options.js';
import { objectOf, option, type OptionsOf, required } from '../../settings/table/option.js';
import { seconds } from '../../settings/table/shapes.js';

const storedAuditOptions = {
  /** Seconds that an entry is kept. */
  ttl: required({ shape: () => seconds({ example: 31_536_000 }) }),
};

/** The option `audit`. */
export type AuditOptions = OptionsOf<typeof storedAuditOptions>;

/** The audit. */
export const auditOptions = {
  /**
   * `{ ttl: 31536000 }`: keeps the events of `oauth.events` and what the command line does, in the collection
   * `oauth_audit`. Default: off.
   */
  audit: option({
    shape: () =>
      objectOf(storedAuditOptions, '{ ttl: seconds that entries are kept }, such as { ttl: 31536000 }'),
  }),
};

declare module '../../settings/options.js' {
  interface FeatureRows extends RowsOf<typeof auditOptions> {}
}
