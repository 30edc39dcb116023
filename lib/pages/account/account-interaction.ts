import { formatName } from '../../core/authorization/authorization-request.js';
import type { Answer, Interaction, PersonsTurn } from '../../core/authorization/interaction.js';
import type { Logins } from '../../core/authorization/logins.js';
import { ACCOUNT_PROMPTS } from '../../core/authorization/prompt.js';
import { hasCsrfToken } from '../../core/http/csrf.js';
import { hasField } from '../../core/http/form-fields.js';
import { endLogin } from '../../core/sessions/login-session.js';
import { type Form, peekParameter } from '../../shared/protocol/parameters.js';
import type { RenderAccount } from './account-page.js';

/**
 * The person chooses an account, or logs in again, if the client asks for that. "Not you?" on the consent page sends
 * the same form.
 *
 * @see OpenID Connect Core §3.1.2.1
 */
export function createAccountInteraction(renderAccount: RenderAccount, logins: Logins): Interaction {
  return {
    name: 'account',
    refusal: {
      error: 'account_selection_required',
      description: 'the resource owner has to choose an account',
      reason: 'login_required',
    },
    findPage({ req, res, request }) {
      if (!ACCOUNT_PROMPTS.some((prompt) => request.prompt.has(prompt))) return undefined;
      return (problem) =>
        renderAccount(req, res, {
          ...request,
          isLoginAsked: request.prompt.has('login'),
          authorizationRequest: formatName(request),
          ...(problem && { notice: 'account.outOfDate', status: 403 }),
        });
    },
    isForm: (form) => hasField(form, 'account'),
    take: (turn, form) => chooseAccount(turn, form, logins),
  };
}

/**
 * Reads the choice. If it is another account, the login ends: Passport gives the session a new id and forgets
 * what was in it.
 */
async function chooseAccount(turn: PersonsTurn, form: Form, logins: Logins): Promise<Answer> {
  const { req, request, userId } = turn;
  // RFC 6749 §10.12: no other site may log a person out, or continue in their place
  if (!hasCsrfToken(req, userId)) return { kind: 'foreign' };
  const account = peekParameter(form, 'account');
  if (account === 'cancel') return { kind: 'decided', outcome: { decision: 'cancel', scopes: [] } };
  if (account === 'switch') {
    const noteEnd = logins.leave?.(turn);
    await endLogin(req);
    noteEnd?.();
    return { kind: 'restart' };
  }
  // a client that wants a new login does not get the old one
  if (account === 'continue' && !request.prompt.has('login') && !logins.needsAgain(turn))
    return { kind: 'continue', answered: ['select_account'] };
  return { kind: 'again', problem: 'outOfDate' };
}
