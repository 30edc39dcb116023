import type { Request, RequestHandler } from 'express';

import type { ClientField } from '../../core/clients/client-field.js';
import { fieldOf } from '../../core/http/form-fields.js';
import { handlePage } from '../../core/http/handle.js';
import { isFromSameOrigin } from '../../core/http/same-origin.js';
import { resourceOwnerOf } from '../../core/sessions/resource-owner.js';
import type { Settings } from '../../settings/settings.js';
import type { RenderPage } from '../rendering/views.js';
import { formFieldsOf, nameInForm } from './application-fields.js';

/** What users choose and type, but no token: that of the ended session no longer counts. */
const TYPED = [
  'name',
  'type',
  'redirect_uris',
  'other_redirect_uris',
  'scope',
  'grant_type',
  'authentication',
  'jwks',
  'jwks_uri',
  'confirmation',
  'report',
  'person',
  'as',
  'kind',
  'submission',
  'purpose',
  'resource',
  'granted_scope',
  'detail',
  'expires',
  'expires_on',
];

/**
 * If a user's login has ended meanwhile, answers their form with a page that holds what was typed, to be sent again
 * after the login. That shows the form itself, because it is from another session. Nothing is kept here, where nobody
 * is known.
 *
 * @param root of the pages that the form is one of
 * @param fields of clients, if the form has them
 */
export function keepTyped(
  settings: Pick<Settings, 'people'>,
  {
    root,
    renderPage,
    fields = [],
  }: { readonly root: string; readonly renderPage: RenderPage; readonly fields?: readonly ClientField[] },
): RequestHandler {
  const typed = [...TYPED, ...formFieldsOf(fields).map(nameInForm)];
  const show = handlePage((req, res) =>
    renderPage(req, res, {
      view: 'logged-out-form',
      status: 403,
      locals: ({ text }) => ({
        title: text('form.loggedOut'),
        // leads to the login, and is a page to return to afterwards
        login: root,
        action: `${root}${req.path === '/' ? '' : req.path}`,
        fields: typedIn(req, typed),
      }),
    }),
  );
  return function keepTypedForm(req, res, next) {
    if (resourceOwnerOf(settings, req) !== undefined || !isFromSameOrigin(req)) return next();
    void show(req, res, next);
  };
}

/** As a browser sends them: a name for each value. */
function typedIn(
  { body }: Request,
  names: readonly string[],
): readonly { readonly name: string; readonly value: string }[] {
  return names.flatMap((name) =>
    [fieldOf(body, name) ?? []]
      .flat()
      .flatMap((value) => (typeof value === 'string' ? [{ name, value }] : [])),
  );
}
