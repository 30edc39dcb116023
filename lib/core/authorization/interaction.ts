import type { Request, Response } from 'express';

import type { FailureReason } from '../../shared/failure-reasons.js';
import type { Form } from '../../shared/protocol/parameters.js';
import type { AuthorizationRequest } from './authorization-request.js';
import type { DecisionOutcome, FormProblem } from './pending-decisions.js';
import type { Prompt } from './prompt.js';

/** A request, and who is in front of it. */
export interface InteractionContext {
  readonly req: Request;
  readonly res: Response;
  readonly now: Date;
  readonly request: AuthorizationRequest;
  /** Undefined if nobody is logged in, or if the client must not learn who is. */
  readonly userId: string | undefined;
  /** Whether somebody is logged in of whom the client must not learn. Default: `false`. */
  readonly isHidden?: boolean;
  /** True if the submitted form was rejected: show the page again even if nothing else requires it. */
  readonly isPromptRepeated?: boolean;
  /** True while a decision is processed; `max_age` then allows for the time spent on the page. */
  readonly isDeciding?: boolean;
}

/** A context with a logged-in user. */
export type AuthenticatedContext = InteractionContext & { readonly userId: string };

/** Shows the page of an interaction. */
export type RenderPrompt = (problem?: FormProblem) => void | Promise<void>;

/** The result of a form that a person has sent. */
export type InteractionResult =
  /** Nothing: the person is asked again, and told why. */
  | { readonly kind: 'again'; readonly problem: FormProblem }
  /** The form belongs to another session or another person; ignore it and leave the session unchanged. */
  | { readonly kind: 'foreign' }
  /** The request goes on without the prompts that were answered. */
  | { readonly kind: 'continue'; readonly answered: readonly Prompt[] }
  /** Nobody is logged in any more: start from the beginning. */
  | { readonly kind: 'restart' }
  | { readonly kind: 'decided'; readonly outcome: DecisionOutcome };

/**
 * One thing that a person may have to do before a client gets its answer: a page with its GET and, if it has a form of
 * ours, its POST. They are in a list, and the first one that is needed is shown.
 */
export interface Interaction {
  readonly name: string;
  /** What a client is told that does not want people to be asked (`prompt=none`; OpenID Connect Core §3.1.2.6). */
  readonly refusal: {
    readonly error: string;
    readonly description: string;
    readonly reason: FailureReason;
  };
  /** The page, if the person has to see it; undefined if there is nothing to ask. */
  findPage(context: InteractionContext): RenderPrompt | undefined | Promise<RenderPrompt | undefined>;
  /** Whether a form belongs to this page. */
  isForm?(form: Form): boolean;
  /** Takes the form. */
  submit?(context: AuthenticatedContext, form: Form): InteractionResult | Promise<InteractionResult>;
}
