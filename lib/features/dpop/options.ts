import type { RowsOf } from '../../settings/options.js';
import { option, type OptionsOf, switchable } from '../../settings/table/option.js';
import { flag, oneOf } from '../../settings/table/shapes.js';

const rows = {
  /**
   * Whether all clients get only bound tokens, and the guards accept no others. Default: `false`. (RFC 9449 §5.2, RFC
   * 9728 §2)
   */
  required: option({ shape: flag, default: false }),
  /**
   * Whether proofs need a nonce of this server, so that none can be made in advance. It costs clients one more request.
   * It needs `signingKeys` or `clientAuthentication.secretKey`. Default: `false`. (RFC 9449 §8, §9)
   */
  nonces: option({ shape: flag, default: false }),
  /**
   * Where used proofs are stored: `mongodb`, with one more command for each guarded call, or the `memory` of each
   * process. With `memory`, somebody who has seen a request can repeat it at another process, or after 100,000 other
   * proofs. Default: `mongodb`. (RFC 9449 §11.1)
   */
  replay: option({ shape: () => oneOf(['mongodb', 'memory']), default: 'mongodb' }),
};

/** How tokens are bound to keys of clients. */
export type DpopOptions = OptionsOf<typeof rows>;

/** Tokens that work only with the key of their client (RFC 9449). */
export const dpopOptions = {
  /**
   * Lets clients bind their tokens to a key of their own (DPoP), without which the tokens do not work. `true`, or an
   * object. Default: `false`. (RFC 9449)
   */
  dpop: switchable(rows, '{ nonces: true }'),
};

declare module '../../settings/options.js' {
  interface FeatureRows extends RowsOf<typeof dpopOptions> {}
}
