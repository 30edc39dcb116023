import { pathTo } from '../../core/authorization/authorization-request.js';
import { formatHints } from '../../core/authorization/hints.js';
import type { Interaction, ToLogin } from '../../core/authorization/interaction.js';
import { ACCOUNT_PROMPTS } from '../../core/authorization/prompt.js';
import { sendToLogin } from '../../core/sessions/return-to.js';
import type { Settings } from '../../settings/settings.js';

/** Sends users to the site's login page, with hints and the path back to the request, valid or not. */
export function createLoginRedirect(settings: Settings): ToLogin {
  return ({ req, res, request }) => {
    sendToLogin(settings, {
      req,
      res,
      status: req.method === 'POST' ? 303 : 302,
      // such a login includes the choice of an account
      returnPath: pathTo(settings, request, ACCOUNT_PROMPTS),
      hints: formatHints(request),
    });
  };
}

export function createLoginInteraction(settings: Settings): Interaction {
  const toLogin = createLoginRedirect(settings);
  return {
    name: 'login',
    silentError: {
      error: 'login_required',
      // the same for a logged-in user, whom the client must not learn of
      description: 'nobody is logged in, or the person has allowed this client nothing yet',
      reason: 'login_required',
    },
    findPage: (context) => (context.userId === undefined ? () => toLogin(context) : undefined),
  };
}

/**
 * Sends users to the site's sign-up page, if the client requests it.
 *
 * @param login the address of that page
 * @see OpenID Connect prompt=create §4
 */
export function createSignUpInteraction(settings: Settings, login: Settings['login']): Interaction {
  return {
    name: 'sign-up',
    silentError: {
      error: 'login_required',
      description: 'an account would have to be made',
      reason: 'login_required',
    },
    findPage({ req, res, request }) {
      if (!request.prompt.has('create')) return undefined;
      const returnPath = pathTo(settings, request, ['create', ...ACCOUNT_PROMPTS]);
      const hints = formatHints(request);
      return () => sendToLogin({ ...settings, login }, { req, res, status: 302, returnPath, hints });
    },
  };
}
