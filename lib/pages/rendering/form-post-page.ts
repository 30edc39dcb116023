import type { RenderFormPost } from '../../core/http/page-error.js';
import { exactTargetOf } from './form-targets.js';
import type { RenderPage } from './views.js';

/**
 * A form that sends itself, or is sent with its button if no script runs. It is in our own frame, because it is shown
 * only for a moment and no other form could be sent from it.
 *
 * @see OAuth 2.0 Form Post Response Mode §2
 */
export function createRenderFormPost(renderPage: RenderPage): RenderFormPost {
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
