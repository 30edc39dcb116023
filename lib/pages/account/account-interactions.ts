import { serializeRequest } from '../../core/authorization/authorization-request.js';
import type { Interaction, InteractionContext } from '../../core/authorization/interaction.js';
import type { LoginPolicy } from '../../core/authorization/login-policy.js';
import type { FormProblem } from '../../core/authorization/pending-decisions.js';
import { ACCOUNT_PROMPTS } from '../../core/authorization/prompt.js';
import { carryText } from '../../core/http/carried-text.js';
import { hasCsrfToken, personalCsrfTokenOf } from '../../core/http/csrf.js';
import { hasField } from '../../core/http/form-fields.js';
import { endLogin } from '../../core/sessions/login-session.js';
import { pathOf } from '../../settings/endpoint-urls.js';
import type { Settings } from '../../settings/settings.js';
import { peekParameter } from '../../shared/protocol/parameters.js';
import { personLabel } from '../person.js';
import { formTargetsOf } from '../rendering/form-targets.js';
import type { RenderPage } from '../rendering/views.js';

interface AccountDependencies {
  readonly settings: Settings;
  readonly renderPage: RenderPage;
  readonly loginPolicy: LoginPolicy;
}

/**
 * Lets the user choose an account or log in again, if the client requests it, or after "Not you?" on the consent page.
 *
 * @see OpenID Connect Core §3.1.2.1
 */
export function createAccountInteraction(dependencies: AccountDependencies): Interaction {
  const { loginPolicy } = dependencies;
  return {
    name: 'account',
    silentError: {
      error: 'account_selection_required',
      description: 'the resource owner has to choose an account',
      reason: 'login_required',
    },
    findPage(context) {
      const { prompt } = context.request;
      if (!ACCOUNT_PROMPTS.some((each) => prompt.has(each))) return undefined;
      return (problem) => renderAccount(dependencies, context, prompt.has('login'), problem);
    },
    isForm: (form) => hasField(form, 'account'),
    /** Reads the choice. Another account ends the login: Passport regenerates the session. */
    async submit(context, form) {
      const { req, request, userId } = context;
      // RFC 6749 §10.12: another site must not log a user out, or continue on their behalf
      if (!hasCsrfToken(req, userId)) return { kind: 'untrusted' };
      const account = peekParameter(form, 'account');
      if (account === 'cancel') return { kind: 'decided', decision: { decision: 'cancel', scopes: [] } };
      if (account === 'switch') {
        const noteEnd = loginPolicy.leave?.(context);
        await endLogin(req);
        noteEnd?.();
        return { kind: 'restart' };
      }
      // a client that requires a new login does not get the old one
      if (account === 'continue' && !request.prompt.has('login') && !loginPolicy.needsAgain(context))
        return { kind: 'continue', completedPrompts: ['select_account'] };
      return { kind: 'rejected', problem: 'outOfDate' };
    },
  };
}

/**
 * Makes the user log in again, if the login is too old for the client or belongs to another user than the client
 * expects. The form is that of the account page.
 *
 * @see OpenID Connect Core §3.1.2.1
 */
export function createFreshLoginInteraction(dependencies: AccountDependencies): Interaction {
  return {
    name: 'fresh login',
    silentError: {
      error: 'login_required',
      description: 'the resource owner has to log in again',
      reason: 'login_required',
    },
    findPage(context) {
      const { userId } = context;
      if (userId === undefined || !dependencies.loginPolicy.needsAgain({ ...context, userId }))
        return undefined;
      return (problem) => renderAccount(dependencies, context, true, problem);
    },
  };
}

/** The page for `prompt=select_account` and `prompt=login`: a link of another site must not end a session at once. */
async function renderAccount(
  { settings, renderPage }: AccountDependencies,
  { req, res, request }: InteractionContext,
  /** Whether the client requires a new login (`prompt=login`), rather than a choice. */
  isLoginRequested: boolean,
  problem: FormProblem | undefined,
): Promise<void> {
  const person = req.user;
  if (!person) throw new TypeError('express-authorization-server: the account page needs a logged-in person');
  const action = pathOf(settings, 'authorize');
  // the form sends the request again with the choice
  const authorizationRequest = serializeRequest(request);
  await renderPage(req, res, {
    view: 'account',
    status: problem ? 403 : 200,
    uiLocales: request.uiLocales,
    address: `${action}?${authorizationRequest}`,
    formTargets: formTargetsOf(request.redirectUri),
    locals: ({ text }) => ({
      title: text(isLoginRequested ? 'account.againHeading' : 'account.title'),
      action,
      csrfToken: personalCsrfTokenOf(req, settings.people.id(person)),
      authorizationRequest: carryText(authorizationRequest),
      clientName: request.client.name,
      userName: personLabel(settings, person),
      isLoginRequested,
      notice: problem && text('account.outOfDate'),
    }),
  });
}
