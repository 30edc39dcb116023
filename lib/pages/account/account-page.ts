import type { Request, Response } from 'express';

import type { Client } from '../../core/clients/client.js';
import { carryText } from '../../core/http/carried-text.js';
import { personalCsrfTokenOf } from '../../core/http/csrf.js';
import type { MessageKey } from '../../messages/index.js';
import { pathOf } from '../../settings/endpoint-urls.js';
import type { Settings } from '../../settings/settings.js';
import { personLabel } from '../person.js';
import { formTargetsOf } from '../rendering/form-targets.js';
import type { RenderPage } from '../rendering/views.js';

/** Which account the client gets: one to choose, or the one to log in to again. */
export interface AccountQuestion {
  readonly client: Pick<Client, 'name'>;
  readonly redirectUri: string;
  /** Whether the client wants the user to log in again (`prompt=login`), rather than to choose. */
  readonly isLoginRequested: boolean;
  /** The validated request, to be posted back with the choice. */
  readonly authorizationRequest: string;
  readonly notice?: MessageKey;
  readonly status?: number;
  /** The languages that the client says the user reads. */
  readonly uiLocales: readonly string[];
}

export type RenderAccount = (req: Request, res: Response, question: AccountQuestion) => Promise<void>;

/**
 * The page for `prompt=select_account` and `prompt=login`. A link of another site must not end a session, so it takes
 * a button to do it.
 *
 * @see OpenID Connect Core §3.1.2.1
 */
export function createRenderAccount({
  settings,
  renderPage,
}: {
  readonly settings: Settings;
  readonly renderPage: RenderPage;
}): RenderAccount {
  const action = pathOf(settings, 'authorize');
  return async (
    req,
    res,
    { client, redirectUri, isLoginRequested, authorizationRequest, notice, status = 200, uiLocales },
  ) => {
    const person = req.user;
    if (!person)
      throw new TypeError('express-authorization-server: the account page needs a logged-in person');
    await renderPage(req, res, {
      view: 'account',
      status,
      uiLocales,
      address: `${action}?${authorizationRequest}`,
      formTargets: formTargetsOf(redirectUri),
      locals: ({ text }) => ({
        title: text(isLoginRequested ? 'account.againHeading' : 'account.title'),
        action,
        csrfToken: personalCsrfTokenOf(req, settings.people.id(person)),
        authorizationRequest: carryText(authorizationRequest),
        clientName: client.name,
        userName: personLabel(settings, person),
        isLoginRequested,
        notice: notice && text(notice),
      }),
    });
  };
}
