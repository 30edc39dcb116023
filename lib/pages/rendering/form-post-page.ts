import type { Request, Response } from 'express';

import { exactTargetOf } from './form-targets.js';
import type { RenderPage } from './views.js';

/** An answer that goes to a client in a form. */
export interface FormPost {
  readonly address: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly clientName: string;
  /** The languages that the client says the person reads. */
  readonly uiLocales: readonly string[];
}

export type RenderFormPost = (req: Request, res: Response, post: FormPost) => Promise<void>;

/**
 * A form that sends itself, or is sent with its button if no script runs. It is in our own frame, because it is shown
 * only for a moment and no other form could be sent from it.
 *
 * @see OAuth 2.0 Form Post Response Mode §2
 */
export function createRenderFormPost({ renderPage }: { readonly renderPage: RenderPage }): RenderFormPost {
  return (req, res, { address, fields, clientName, uiLocales }) =>
    renderPage(req, res, {
      view: 'form-post',
      uiLocales,
      formTargets: [exactTargetOf(address)],
      isFormForeign: true,
      hasScript: true,
      isBare: true,
      locals: ({ text }) => ({ title: text('formPost.title'), address, fields, clientName }),
    });
}
