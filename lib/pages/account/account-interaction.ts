import type {
  AuthenticatedContext,
  Interaction,
  InteractionResult,
} from '../../core/authorization/interaction.js';
import type { LoginPolicy } from '../../core/authorization/login-policy.js';
import { ACCOUNT_PROMPTS } from '../../core/authorization/prompt.js';
import { serializeRequest } from '../../core/authorization/serialize-request.js';
import { hasCsrfToken } from '../../core/http/csrf.js';
import { hasField } from '../../core/http/form-fields.js';
import { endLogin } from '../../core/sessions/login-session.js';
import { type Form, peekParameter } from '../../shared/protocol/parameters.js';
import type { RenderAccount } from './account-page.js';

/**
 * The user chooses an account, or logs in again, if the client asks for that. "Not you?" on the consent page sends
 * the same form.
 *
 * @see OpenID Connect Core §3.1.2.1
 */
export function createAccountInteraction(
  renderAccount: RenderAccount,
  loginPolicy: LoginPolicy,
): Interaction {
  return {
    name: 'account',
    silentError: {
      error: 'account_selection_required',
      description: 'the resource owner has to choose an account',
      reason: 'login_required',
    },
    findPage({ req, res, request }) {
      if (!ACCOUNT_PROMPTS.some((prompt) => request.prompt.has(prompt))) return undefined;
      return (problem) =>
        renderAccount(req, res, {
          ...request,
          isLoginRequested: request.prompt.has('login'),
          authorizationRequest: serializeRequest(request),
          ...(problem && { notice: 'account.outOfDate', status: 403 }),
        });
    },
    isForm: (form) => hasField(form, 'account'),
    submit: (context, form) => chooseAccount(context, form, loginPolicy),
  };
}

/**
 * Reads the choice. If it is another account, the login ends: Passport gives the session a new id and forgets
 * what was in it.
 */
async function chooseAccount(
  context: AuthenticatedContext,
  form: Form,
  loginPolicy: LoginPolicy,
): Promise<InteractionResult> {
  const { req, request, userId } = context;
  // RFC 6749 §10.12: no other site may log a user out, or continue in their place
  if (!hasCsrfToken(req, userId)) return { kind: 'untrusted' };
  const account = peekParameter(form, 'account');
  if (account === 'cancel') return { kind: 'decided', decision: { decision: 'cancel', scopes: [] } };
  if (account === 'switch') {
    const noteEnd = loginPolicy.leave?.(context);
    await endLogin(req);
    noteEnd?.();
    return { kind: 'restart' };
  }
  // a client that wants a new login does not get the old one
  if (account === 'continue' && !request.prompt.has('login') && !loginPolicy.needsAgain(context))
    return { kind: 'continue', completedPrompts: ['select_account'] };
  return { kind: 'rejected', problem: 'outOfDate' };
}
