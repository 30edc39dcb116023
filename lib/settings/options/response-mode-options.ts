import { option } from '../table/option.js';
import { flag } from '../table/shapes.js';

/** Answers to authorization requests. */
export const responseModeOptions = {
  /**
   * Whether clients can ask for their answers by a form (`response_mode=form_post`), which keeps them out of addresses,
   * histories and logs. The page submits itself, or by a button if scripts do not run. Default: whether `openid` is on,
   * since clients of .NET ask for nothing else. (OAuth 2.0 Form Post Response Mode)
   */
  formPost: option({ shape: flag }),
  /**
   * Whether clients can ask for their answers as JWTs that are signed by this server (`response_mode=jwt`, `query.jwt`,
   * `fragment.jwt`, `form_post.jwt`), so that they can tell who has sent it, and to whom. It needs `signingKeys`. A
   * client that is registered with `authorizationEncryptedResponseAlg` gets them encrypted as well. Default: `false`.
   * (JARM)
   */
  signedResponses: option({ shape: flag, default: false }),
};
