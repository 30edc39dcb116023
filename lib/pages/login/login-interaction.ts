import { pathTo } from '../../authorization/authorize.js';
import { formatHints } from '../../authorization/hints.js';
import type { Interaction } from '../../authorization/interaction.js';
import { ACCOUNT_PROMPTS } from '../../authorization/prompt.js';
import { loginPath } from '../../http/login-path.js';
import { redirect } from '../../http/redirect.js';
import type { Settings } from '../../settings/settings.js';

/** The host's login page, with the way back to the request and what may help the person there. */
export function createLoginInteraction(
  settings: Pick<Settings, 'login' | 'issuerPath' | 'basePath' | 'paths'>,
): Interaction {
  return {
    name: 'login',
    refusal: { error: 'login_required', description: 'nobody is logged in' },
    findPage({ req, res, request, userId }) {
      if (userId !== undefined) return undefined;
      // who comes back from there has just chosen an account and logged in
      const path = loginPath(settings, pathTo(settings, request, ACCOUNT_PROMPTS), formatHints(request));
      return () => redirect(res, req.method === 'POST' ? 303 : 302, path);
    },
  };
}
