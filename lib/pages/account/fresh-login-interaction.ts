import type { Interaction } from '../../core/authorization/interaction.js';
import type { LoginPolicy } from '../../core/authorization/login-policy.js';
import { serializeRequest } from '../../core/authorization/serialize-request.js';
import type { RenderAccount } from './account-page.js';

/**
 * The user logs in again if the login is too old for the client, or is somebody else's. The form is that of the
 * account page.
 *
 * @see OpenID Connect Core §3.1.2.1
 */
export function createFreshLoginInteraction(
  renderAccount: RenderAccount,
  loginPolicy: LoginPolicy,
): Interaction {
  return {
    name: 'fresh login',
    silentError: {
      error: 'login_required',
      description: 'the resource owner has to log in again',
      reason: 'login_required',
    },
    findPage(context) {
      const { req, res, request, userId } = context;
      if (userId === undefined || !loginPolicy.needsAgain({ ...context, userId })) return undefined;
      return (problem) =>
        renderAccount(req, res, {
          ...request,
          isLoginRequested: true,
          authorizationRequest: serializeRequest(request),
          ...(problem && { notice: 'account.outOfDate', status: 403 }),
        });
    },
  };
}
