import { OAuthError } from '../../shared/errors.js';
import type { FailureReason } from '../../shared/failure-reasons.js';
import type { Form } from '../../shared/protocol/parameters.js';
import type { RequestContext } from '../http/handle.js';
import type { AuthorizationRequest, SerializableRequest } from './authorization-request.js';
import type { Hints } from './hints.js';
import type { FinalDecision, FormProblem } from './pending-decisions.js';
import type { Prompt } from './prompt.js';

/** A request and its user. */
export interface InteractionContext extends RequestContext {
  readonly request: AuthorizationRequest;
  /** Undefined if nobody is logged in, or if the client must not learn who is. */
  readonly userId: string | undefined;
  /** Whether `userId` is undefined because the client must not learn who is logged in. Default: `false`. */
  readonly isUserHidden?: boolean;
  /** True if the submitted form was rejected: display the page again even if nothing else requires it. */
  readonly isFormRejected?: boolean;
  /** True while the form of a page is processed; `max_age` then allows for the time spent on the page. */
  readonly isFormSubmitted?: boolean;
}

export type AuthenticatedContext = InteractionContext & { readonly userId: string };

/** Sends a user to the login, with the path back to a request. */
export type ToLogin = (visit: RequestContext & { readonly request: Hints & SerializableRequest }) => void;

export type RenderPrompt = (problem?: FormProblem) => void | Promise<void>;

export type InteractionResult =
  /** The form is rejected: the page asks again, and names the problem. */
  | { readonly kind: 'rejected'; readonly problem: FormProblem }
  /** The form has no CSRF token of this session and user, so the session stays unchanged. */
  | { readonly kind: 'untrusted' }
  /** The request continues without the completed prompts. */
  | { readonly kind: 'continue'; readonly completedPrompts: readonly Prompt[] }
  /** The login has ended: start from the beginning. */
  | { readonly kind: 'restart' }
  | { readonly kind: 'decided'; readonly decision: FinalDecision };

/**
 * A step that a user may have to take before a client gets its response: a page with its GET and, if the page has a
 * form, its POST. `lib/pages/interactions.ts` lists the steps in their order, and the first required page is displayed.
 */
export interface Interaction {
  readonly name: string;
  /** The error for a silent request, if the page is required (`prompt=none`; OpenID Connect Core §3.1.2.6). */
  readonly silentError: {
    readonly error: string;
    readonly description: string;
    readonly reason: FailureReason;
  };
  /** The page, if the user has to see it; otherwise undefined. */
  findPage(context: InteractionContext): RenderPrompt | undefined | Promise<RenderPrompt | undefined>;
  isForm?(form: Form): boolean;
  submit?(context: AuthenticatedContext, form: Form): InteractionResult | Promise<InteractionResult>;
}

/**
 * The first required page; undefined if the user has nothing left to do.
 *
 * @throws OAuthError if a page is required and the request is silent (OpenID Connect Core §3.1.2.6)
 */
export async function findFirstPage(
  interactions: readonly Interaction[],
  context: InteractionContext,
): Promise<RenderPrompt | undefined> {
  for (const interaction of interactions) {
    const page = await interaction.findPage(context);
    if (page === undefined) continue;
    if (!context.request.isSilent) return page;
    const { error, description, reason } = interaction.silentError;
    throw new OAuthError(error, description, {
      reason,
      detail:
        context.isUserHidden === true
          ? 'somebody is logged in who has allowed the client nothing'
          : `${interaction.name}: its page would have to be shown`,
    });
  }
  return undefined;
}
