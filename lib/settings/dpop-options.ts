import { z } from 'zod';

import { defaultsOf, objectOf, option, type SettingsOf } from './option.js';
import { flag, oneOf, seconds } from './shapes.js';

const rows = {
  /**
   * Whether the token endpoint gives no other tokens, to no client, and the guards take no others. Default: `false`.
   * (RFC 9449 §5.2, RFC 9728 §2)
   */
  required: option({ shape: flag, default: false }),
  /**
   * Whether proofs need a nonce of this server, so that none can be made ahead. Each client asks once more for it, at
   * the token endpoint and at the guard. On another host than loopback it needs `signingKeys` or a `clientSecretKey`.
   * Default: `false`. (RFC 9449 §8, §9)
   */
  nonces: option({ shape: flag, default: false }),
  /**
   * Where it is noted which proofs were used: in MongoDB, for all processes together, which is a command more at each
   * guarded route; or in the `memory` of each process, so that somebody who has seen a request can send it once more to
   * another process as long as its proof lasts. A memory has the last 100,000: whoever has a token of their own, and
   * sends more than that while the proof lasts, has it forgotten. Default: `mongodb`. (RFC 9449 §11.1)
   */
  replay: option({ shape: () => oneOf(['mongodb', 'memory']), default: 'mongodb' }),
  /** Seconds that a proof is good for. Default: `60`. (RFC 9449 §11.1) */
  maxAge: option({ shape: () => seconds({ atMost: 3600, example: 60 }), default: 60 }),
};

/** The options with their defaults. */
export type DpopSettings = SettingsOf<typeof rows>;

/** Tokens that only their owner can use (RFC 9449). */
export const dpopOptions = {
  /**
   * Lets clients bind their tokens to a key of their own (DPoP): whoever has a token without that key can do nothing
   * with it, at the guards neither. `true`, or an object such as `{ nonces: true }`. A client that is registered with
   * `dpopBoundAccessTokens` gets no other tokens. Default: `false`. (RFC 9449)
   */
  dpop: option({
    shape: () =>
      z
        .union(
          [z.boolean(), objectOf(rows, 'an object')],
          'true, false or an object of required, nonces, replay, maxAge, such as { nonces: true }',
        )
        .transform((given): DpopSettings | false => (given === true ? defaultsOf(rows) : given)),
    default: false,
  }),
};
