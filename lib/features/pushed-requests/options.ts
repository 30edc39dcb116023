import type { RowsOf } from '../../settings/options.js';
import { option, type OptionsOf, switchable } from '../../settings/table/option.js';
import { flag, seconds } from '../../settings/table/shapes.js';

const rows = {
  /** Whether every client has to push its requests. Default: `false`. (RFC 9126 §5) */
  required: option({ shape: flag, default: false }),
  /**
   * Seconds that a `request_uri` lives. A user who arrives in time has an hour for the login and the decision. Default:
   * `60`. (RFC 9126 §2.2)
   */
  ttl: option({ shape: () => seconds({ example: 60 }), default: 60 }),
};

/** How clients push their requests. */
export type PushedRequestOptions = OptionsOf<typeof rows>;

/** Requests that clients send directly (RFC 9126). */
export const pushedRequestOptions = {
  /**
   * Lets clients send their authorization requests directly to this server; the browser carries only a `request_uri`
   * that works once. `true`, or an object. Default: `false`. (RFC 9126)
   */
  pushedRequests: switchable(rows, '{ required: true }'),
};

declare module '../../settings/options.js' {
  interface FeatureRows extends RowsOf<typeof pushedRequestOptions> {}
}
