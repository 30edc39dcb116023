import { formatHints } from '../../core/authorization/hints.js';
import type { Interaction } from '../../core/authorization/interaction.js';
import { ACCOUNT_PROMPTS } from '../../core/authorization/prompt.js';
import { pathTo } from '../../core/authorization/serialize-request.js';
import { sendToLogin, type ToLoginSettings } from '../../core/sessions/to-login.js';

/**
 * Sends users to the site's page for new accounts, if the client asks for that.
 *
 * @param signUp where that page is
 * @see OpenID Connect prompt=create §4
 */
export function createSignUpInteraction(
  settings: ToLoginSettings,
  signUp: ToLoginSettings['login'],
): Interaction {
  return {
    name: 'sign-up',
    silentError: {
      error: 'login_required',
      description: 'an account would have to be made',
      reason: 'login_required',
    },
    findPage({ req, res, request }) {
      if (!request.prompt.has('create')) return undefined;
      return () =>
        sendToLogin(
          { ...settings, login: signUp },
          {
            req,
            res,
            status: 302,
            returnPath: pathTo(settings, request, ['create', ...ACCOUNT_PROMPTS]),
            hints: formatHints(request),
          },
        );
    },
  };
}
