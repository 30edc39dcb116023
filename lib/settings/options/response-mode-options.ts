import { option } from '../table/option.js';
import { flag } from '../table/shapes.js';

/** Answers to authorization requests. */
export const responseModeOptions = {
  /**
   * Whether clients can ask for authorization responses by a form (`response_mode=form_post`), which keeps them out of
   * URLs, histories and logs. The page submits itself, or has a button if scripts do not run. Default: on if `openid`
   * is on, since clients of .NET need it. (OAuth 2.0 Form Post Response Mode)
   */
  formPost: option({ shape: flag }),
  /**
   * Whether clients can ask for authorization responses as signed JWTs (`response_mode=jwt`, `query.jwt`,
   * `fragment.jwt`, `form_post.jwt`), which prove the sender and the recipient. It needs `signingKeys`. A client that
   * is registered with `authorizationEncryptedResponseAlg` gets them encrypted as well. Default: `false`. (JARM)
   */
  signedResponses: option({ shape: flag, default: false }),
};
