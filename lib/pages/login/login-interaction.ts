import { formatHints } from '../../core/authorization/hints.js';
import type { Interaction, ToLogin } from '../../core/authorization/interaction.js';
import { ACCOUNT_PROMPTS } from '../../core/authorization/prompt.js';
import { pathTo } from '../../core/authorization/serialize-request.js';
import { sendToLogin, type ToLoginSettings } from '../../core/sessions/to-login.js';

/** Sends users to the site's login page, with the way back to the request, right or wrong, and with hints for it. */
export function createLoginRedirect(settings: ToLoginSettings): ToLogin {
  return ({ req, res, request }) => {
    sendToLogin(settings, {
      req,
      res,
      status: req.method === 'POST' ? 303 : 302,
      // users who come back from there have just chosen an account and logged in
      returnPath: pathTo(settings, request, ACCOUNT_PROMPTS),
      hints: formatHints(request),
    });
  };
}

export function createLoginInteraction(settings: ToLoginSettings): Interaction {
  const toLogin = createLoginRedirect(settings);
  return {
    name: 'login',
    silentError: {
      error: 'login_required',
      // the same if somebody is logged in of whom the client must not learn
      description: 'nobody is logged in, or the person has allowed this client nothing yet',
      reason: 'login_required',
    },
    findPage: (context) => (context.userId === undefined ? () => toLogin(context) : undefined),
  };
}
