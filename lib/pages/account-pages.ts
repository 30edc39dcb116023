import { type RequestHandler, Router } from 'express';

import { formBody } from '../core/http/body.js';
import { hasCsrfToken, isFromSameOrigin, personalCsrfTokenOf, verifyCsrfToken } from '../core/http/csrf.js';
import { fieldOf } from '../core/http/form-fields.js';
import { handlePage } from '../core/http/handle.js';
import type { RenderError } from '../core/http/page-error.js';
import { secureTransport } from '../core/http/secure-transport.js';
import type { OAuthEvents } from '../core/observability/events.js';
import type { Report } from '../core/observability/report.js';
import { resourceOwnerOf } from '../core/sessions/resource-owner.js';
import { pathOf } from '../settings/endpoint-urls.js';
import type { Settings } from '../settings/settings.js';
import { OAuthError, toOAuthError } from '../shared/errors.js';
import { failureKey, type FailureLimit } from '../shared/limits/failure-limit.js';
import { type FormRequest, REFUSED_STATUS } from './form-answers.js';
import { requireLogin, rolesOf, userIdOf, userNameOf } from './person.js';
import { pageErrors } from './rendering/page-errors.js';
import type { Translator } from './rendering/translator.js';
import type { Locals, Page, RenderPage } from './rendering/views.js';

const LABELS = {
  authorizations: 'authorizations.title',
  'access-tokens': 'tokens.title',
  applications: 'layout.applications',
} as const;

/** The endpoints of an account; their pages link to each other. */
type AccountEndpoint = keyof typeof LABELS;

/** The dependencies of all account pages. */
export interface AccountPagesOptions {
  readonly settings: Settings;
  readonly events: OAuthEvents;
  readonly report: Report;
  readonly renderPage: RenderPage;
  readonly renderError: RenderError;
}

export interface AccountContext extends AccountPagesOptions {
  readonly endpoint: AccountEndpoint;
  /** The public path of the pages. */
  readonly root: string;
}

/** A request of a logged-in user for an account page or a form. */
export interface Visit extends FormRequest {
  /** The id of an application or a token in the path; otherwise empty. */
  readonly id: string;
}

export type PageHandler<Context> = (context: Context, visit: Visit) => Promise<void>;

export interface AccountForm<Context> {
  /** Handles a GET of the path, if that is the page with the form. */
  readonly show?: PageHandler<Context>;
  readonly submit: PageHandler<Context>;
  /**
   * Displays the values of a form from another session, without writing them to a session. Default: `show` does;
   * without `show` such a form is refused.
   */
  readonly redisplay?: PageHandler<Context> | undefined;
  /** Whether `redisplay` also handles a form from another site. Default: such a form is refused. */
  readonly isFromAnywhere?: boolean;
  /** Whether the values can be sent again after a login, if the login has ended meanwhile. */
  readonly survivesLogout?: boolean;
  /** Whether the form costs no work, and so is not counted. */
  readonly isUnlimited?: boolean;
}

/** The handlers by the paths of their requests. */
export interface AccountPages<Context> {
  readonly pages: Readonly<Record<string, PageHandler<Context>>>;
  readonly forms: Readonly<Record<string, PageHandler<Context> | AccountForm<Context>>>;
}

export interface AccountRouterOptions<Context> extends AccountPages<Context> {
  /** Middleware before the login check. */
  readonly before?: readonly RequestHandler[];
  /** Middleware after the login check. */
  readonly after?: readonly RequestHandler[];
  /** The page to return to after a login, below the root, for a form sent without one. */
  readonly formPathOf: (path: string) => string;
  /** Counts submitted forms. Default: no limit. */
  readonly limit?: FailureLimit;
  /** Fields of forms that survive a login, in addition to `TYPED`. */
  readonly typedFields?: readonly string[];
}

/** The router of account pages. A form needs the CSRF token of the user's session (RFC 6749 §10.12). */
export function createAccountRouter<Context extends AccountContext>(
  context: Context,
  { pages, before = [], after = [], formPathOf, limit, ...options }: AccountRouterOptions<Context>,
): Router {
  const { settings, root } = context;
  const answer = (handler: PageHandler<Context>) =>
    handlePage((req, res, now) =>
      handler(context, { req, res, now, userId: userIdOf(settings, req), id: String(req.params.id ?? '') }),
    );
  const forms = Object.entries(options.forms).map(([path, form]): [string, AccountForm<Context>] => [
    path,
    typeof form === 'function' ? { submit: form } : form,
  ]);

  const router = Router();
  router.use(secureTransport(settings), ...before);
  // before the login check, so that the values of a form survive the end of the session
  const surviving = forms.flatMap(([path, { survivesLogout }]) => (survivesLogout === true ? [path] : []));
  router.post(surviving, ...formBody(), keepTyped(context, [...TYPED, ...(options.typedFields ?? [])]));
  router.use(
    requireLogin(settings, ({ method, path, url }) =>
      // a form without a login is dropped: after the login it could not be told from a forgery
      method === 'GET' || method === 'HEAD'
        ? `${root}${path === '/' ? url.slice(1) : url}`
        : `${root}${formPathOf(path)}`,
    ),
    ...after,
  );
  for (const [
    path,
    { show, submit, redisplay = show, isFromAnywhere = false, isUnlimited = false },
  ] of forms) {
    if (show !== undefined) router.get(path, answer(show));
    router.post(
      path,
      ...formBody(),
      answer(async (_context, visit) => {
        const { req, userId } = visit;
        if (
          redisplay !== undefined &&
          (isFromAnywhere || isFromSameOrigin(req)) &&
          !hasCsrfToken(req, userId)
        )
          return redisplay(context, visit);
        verifyCsrfToken(req, userId);
        if (!isUnlimited && limit !== undefined) await countUse(context, visit, limit);
        await submit(context, visit);
      }),
    );
  }
  for (const [path, page] of Object.entries(pages)) router.get(path, answer(page));
  router.use(() => {
    throw noSuchPage();
  });
  router.use(pageErrors({ ...context, sender: 'person' }));
  return router;
}

export function noSuchPage(): OAuthError {
  return new OAuthError('invalid_request', 'there is no such page', { status: 404 });
}

/** The path of the page of an application or a token, or of its `action`, such as `/delete`. */
export function accountPath({ root }: AccountContext, id: string, action = ''): string {
  return `${root}/${encodeURIComponent(id)}${action}`;
}

export interface AccountPage extends Page {
  readonly locals: (translator: Translator) => Locals | Promise<Locals>;
  /** Whether the page displays a form of another session. */
  readonly isOutOfDate?: boolean;
  readonly isRefused?: boolean;
}

/** Renders a page with the locals that all account pages share. */
export async function renderAccountPage(
  { settings, endpoint, report, renderPage }: AccountContext,
  { req, res, userId }: Visit,
  {
    locals,
    isOutOfDate = false,
    isRefused = false,
    status = isOutOfDate ? 403 : isRefused ? REFUSED_STATUS : 200,
    ...page
  }: AccountPage,
): Promise<void> {
  let isDeveloper = endpoint === 'applications';
  try {
    isDeveloper ||= (await rolesOf(settings, req)).isDeveloper;
  } catch (failure) {
    // the page must work, to end access, even if the site's hook about roles fails
    report(failure, { endpoint: 'authorizations', req, res });
  }
  await renderPage(req, res, {
    ...page,
    status,
    locals: async (translator) => {
      const { text } = translator;
      const links = [
        'authorizations' as const,
        ...(settings.personalAccessTokens ? ['access-tokens' as const] : []),
        ...(isDeveloper ? ['applications' as const] : []),
      ];
      return {
        nav:
          links.length === 1
            ? []
            : links.map((name) => ({
                href: pathOf(settings, name),
                label: text(LABELS[name]),
                isHere: name === endpoint,
              })),
        csrfToken: personalCsrfTokenOf(req, userId),
        userName: userNameOf(settings, req),
        notice: isOutOfDate ? text('form.outOfDate') : undefined,
        ...(await locals(translator)),
      };
    },
  });
}

/** Counts a user's requests to account pages. @throws OAuthError with status 429 */
export function countUse({ events, endpoint }: AccountContext, { req, userId }: Visit, limit: FailureLimit) {
  return limit.consume(failureKey({}, userId)).catch((refusal: unknown) => {
    if (toOAuthError(refusal).status === 429) events.emit('rate.limited', { endpoint, userId }, req);
    throw refusal;
  });
}

/** Fields with input of the user; no CSRF token, because that of the ended session is void. */
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
 * If the login has ended, responds to a form with a page that carries its values, to be sent again after the login. The
 * form is then displayed again, because it is from another session. The server stores nothing for the anonymous user.
 */
function keepTyped({ settings, root, renderPage }: AccountContext, names: readonly string[]): RequestHandler {
  const show = handlePage((req, res) =>
    renderPage(req, res, {
      view: 'logged-out-form',
      status: 403,
      locals: ({ text }) => ({
        title: text('form.loggedOut'),
        // leads to the login, and is the page to return to
        login: root,
        action: `${root}${req.path === '/' ? '' : req.path}`,
        // as a browser sends lists: the name is repeated for each value
        fields: names.flatMap((name) =>
          [fieldOf(req.body, name) ?? []]
            .flat()
            .flatMap((value) => (typeof value === 'string' ? [{ name, value }] : [])),
        ),
      }),
    }),
  );
  return function keepTypedForm(req, res, next) {
    if (resourceOwnerOf(settings, req) !== undefined || !isFromSameOrigin(req)) return next();
    void show(req, res, next);
  };
}
