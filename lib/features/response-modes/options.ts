import type { RowsOf } from '../../settings/options.js';
import { option } from '../../settings/table/option.js';
import { flag } from '../../settings/table/shapes.js';

/** Responses to authorization requests. */
export const responseModeOptions = {
  /**
   * Whether clients can get responses by a form (`response_mode=form_post`), which keeps them out of URLs and logs. The
   * client's session cookie then needs `SameSite=None`, and its callback can redirect only within its own origin.
   * Default: on with `openid`. (OAuth 2.0 Form Post Response Mode)
   */
  formPost: option({ shape: flag }),
  /**
   * Whether clients can get responses as signed JWTs (`response_mode=jwt`). It needs `signingKeys`. Default: `false`.
   * (JARM)
   */
  signedResponses: option({ shape: flag, default: false }),
};

declare module '../../settings/options.js' {
  interface FeatureRows extends RowsOf<typeof responseModeOptions> {}
}
