import { pathTo, type ToLogin } from '../../authorization/authorize.js';
import { formatHints } from '../../authorization/hints.js';
import type { Interaction } from '../../authorization/interaction.js';
import { ACCOUNT_PROMPTS } from '../../authorization/prompt.js';
import { loginPath } from '../../http/login-path.js';
import { redirect } from '../../http/redirect.js';
import type { Settings } from '../../settings/settings.js';

type LoginSettings = Pick<Settings, 'login' | 'issuerPath' | 'basePath' | 'paths'>;

/** To the host's login page, with the way back to the request, be it right or wrong, and what may help there. */
export function createLoginRedirect(settings: LoginSettings): ToLogin {
  return ({ req, res, request }) => {
    // who comes back from there has just chosen an account and logged in
    const path = loginPath(settings, pathTo(settings, request, ACCOUNT_PROMPTS), formatHints(request));
    redirect(res, req.method === 'POST' ? 303 : 302, path);
  };
}

export function createLoginInteraction(settings: LoginSettings): Interaction {
  const toLogin = createLoginRedirect(settings);
  return {
    name: 'login',
    refusal: { error: 'login_required', description: 'nobody is logged in' },
    findPage: (turn) => (turn.userId === undefined ? () => toLogin(turn) : undefined),
  };
}
