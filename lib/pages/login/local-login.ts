import { type Request, type Response, Router } from 'express';
import { Strategy as LocalStrategy } from 'passport-local';

import { parseHints } from '../../core/authorization/hints.js';
import { formBody } from '../../core/http/body.js';
import { carryText, peekCarriedText } from '../../core/http/carried-text.js';
import { csrfTokenOf, hasCsrfToken, isFromSameOrigin, verifyCsrfToken } from '../../core/http/csrf.js';
import { textField } from '../../core/http/form-fields.js';
import { handlePage } from '../../core/http/handle.js';
import { queryOf } from '../../core/http/query.js';
import { seeOther } from '../../core/http/redirect.js';
import { createCloseSignal } from '../../core/http/request-origin.js';
import { secureTransport } from '../../core/http/secure-transport.js';
import { mountedAs } from '../../core/http/site-session.js';
import { emitRateLimited } from '../../core/observability/events.js';
import { createReport } from '../../core/observability/report.js';
import { completeCookieSession } from '../../core/sessions/cookie-session.js';
import { endLogin, startLogin } from '../../core/sessions/login-session.js';
import { requireSession } from '../../core/sessions/resource-owner.js';
import { safeReturnPath } from '../../core/sessions/return-to.js';
import { sidOf } from '../../core/sessions/sign-in-session.js';
import { type MessageKey, SHIPPED_MESSAGES } from '../../messages/index.js';
import { parseWith } from '../../settings/table/parse-options.js';
import { collectProblems, OptionError } from '../../settings/table/problems.js';
import { unexpectedCondition } from '../../shared/errors.js';
import { escapeRegExp } from '../../shared/escape-reg-exp.js';
import { createGuessLimit } from '../../shared/limits/guess-limit.js';
import { peekParameter } from '../../shared/protocol/parameters.js';
import type { User } from '../../storage/other/users.js';
import { answerRefused, REFUSED_STATUS, takeRefused } from '../form-answers.js';
import { personLabel } from '../person.js';
import { formTargetsOf } from '../rendering/form-targets.js';
import { pageErrors } from '../rendering/page-errors.js';
import { createPages } from '../rendering/rendering.js';
import type { RenderPage } from '../rendering/views.js';
import {
  type HostPassport,
  type LocalLoginOptions,
  localLoginOptions,
  type LocalLoginSettings,
} from './local-login-options.js';
import { limitNewSessions } from './new-sessions.js';
import { findPendingRequest } from './return-path.js';
import { type LoginServices, loginServices, logoutPaths } from './servers-by-connection.js';

const MAX_USERNAME_LENGTH = 100;

/**
 * A login page with Passport for a site without one: with user name and password, session, and return path.
 *
 * ```ts
 * app.use(session({ … }), passport.session());
 * app.use(localLogin({ passport, users: createUsers(mongoose.connection) }));
 * app.use(oauth.router);
 * ```
 *
 * @throws TypeError if an option is wrong, with what to write instead
 */
export function localLogin(options: LocalLoginOptions): Router {
  const settings = collectProblems((problems) => {
    const settings = parseWith(problems, 'localLogin', localLoginOptions, options);
    problems.attempt(() => {
      const there = (settings.passport as HasStrategies)._strategy?.('local');
      if (there !== undefined && !(there instanceof LocalLoginStrategy))
        throw new OptionError(
          "localLogin: passport has a strategy 'local' already, and it would be replaced. Your site has a login of its own: leave localLogin out, and name its page, as in authorizationServer({ login: '/login' })",
        );
      if (settings.oauth === undefined && settings.users.connection === undefined)
        throw new OptionError(
          'localLogin: the option oauth is missing: your users are not of createUsers; write localLogin({ passport, users, oauth })',
        );
    });
    return settings;
  });
  const { path, logoutPath, publicBasePath, users, oauth } = settings;
  registerWithPassport(settings);
  for (const key of [users.connection, oauth?.describeRequest])
    if (key !== undefined) logoutPaths.set(key, `${publicBasePath}${logoutPath}`);

  // the server may be created after the login, or replace another; a closed server serves until then
  let current: { readonly services: LoginServices; readonly router: Router } | undefined;
  const findRouter = (): Router | undefined => {
    const key = oauth?.describeRequest ?? users.connection;
    const services = (key && loginServices.get(key)) ?? current?.services;
    if (services !== undefined && services !== current?.services)
      current = { services, router: createLoginRouter(settings, services) };
    return current?.router;
  };
  // checks the pages of an existing server at the start of the site
  findRouter();
  const paths = [path, logoutPath].map(escapeRegExp);
  const router = Router();
  // only requests of the login and logout paths
  router.all(new RegExp(`^(?:${paths.join('|')})(?:/|$)`, 'i'), function localLogin(req, res, next) {
    const pages = findRouter();
    if (pages !== undefined) return void pages(req, res, next);
    next(
      unexpectedCondition(
        'localLogin: there is no authorizationServer on the connection of the users; write localLogin({ passport, users, oauth })',
      ),
    );
  });
  return router;
}

function createLoginRouter(settings: LocalLoginSettings, services: LoginServices): Router {
  const { path, logoutPath, publicBasePath } = settings;
  const { events, sessions } = services;
  const { onError, people, security, siteName, pages } = services.settings;
  const home = homeOf(services);
  const {
    renderPage,
    renderError,
    router: assets,
  } = createPages({
    functionName: 'localLogin',
    publicPath: `${publicBasePath}${path}`,
    hiddenPath: publicBasePath,
    siteName,
    pages,
    languages: SHIPPED_MESSAGES,
    showsDetail: () => services.isLoopback,
  });
  const router = Router();
  router.use(path, assets);
  router.use(
    [path, logoutPath],
    mountedAs('localLogin({ … })'),
    secureTransport({ security }),
    completeCookieSession,
    requireSession,
  );
  const { show, submit } = createLoginForm(settings, services, renderPage);
  router.get(path, handlePage(show));
  router.post(path, ...formBody(), handlePage(submit));
  // a page with a button, so that a site can link to it: a link alone must not end a session
  router.get(
    logoutPath,
    handlePage(async (req, res) => {
      const person = req.user;
      if (!person) return res.redirect(303, home);
      await renderPage(req, res, {
        view: 'logout',
        locals: ({ text }) => ({
          title: text('logout.title'),
          action: `${publicBasePath}${logoutPath}`,
          csrfToken: csrfTokenOf(req),
          userName: personLabel(services.settings, person),
          home,
        }),
      });
    }),
  );
  router.post(
    logoutPath,
    ...formBody(),
    handlePage(async (req, res) => {
      // another tab has logged out, or the session has expired
      if (!req.user) return res.redirect(303, home);
      verifyCsrfToken(req);
      try {
        const userId = people.id(req.user);
        const sid = sidOf(req, userId);
        if (sid !== undefined) await sessions?.end({ userId, sid });
      } finally {
        // logs out here even if `sessions.end` fails
        await endLogin(req);
      }
      res.redirect(303, home);
    }),
  );
  router.use(
    emitRateLimited('login', events),
    pageErrors({
      endpoint: 'login',
      report: createReport({ onError }),
      renderError,
      sender: 'person',
      uiLocalesOf({ body }) {
        // A view of the site may have the plain path. A changed field has no path; the login then leads to the waiting
        // request without it.
        const value = peekParameter(body ?? {}, 'return_to') ?? '';
        return findPendingRequest(peekCarriedText(value) ?? value)?.uiLocales;
      },
    }),
  );
  return router;
}

/** Where users arrive after a logout, and after a login without a return path: always on this site. */
function homeOf({ settings: { pages } }: LoginServices): string {
  return pages.home?.startsWith('/') === true ? pages.home : '/';
}

/** Distinguishes this strategy from one of the site, which must not be replaced. */
class LocalLoginStrategy extends LocalStrategy {}

/** Looks up Passport's strategies by a method that its types omit. */
interface HasStrategies {
  _strategy?(name: string): unknown;
}

function registerWithPassport({ passport, users }: LocalLoginSettings): void {
  passport.use(
    'local',
    new LocalLoginStrategy({ passReqToCallback: true }, (req, username, password, done) => {
      users
        .verify(username, password, { signal: createCloseSignal(req) })
        .then((user) => done(null, user ?? false), done);
    }),
  );
  passport.serializeUser((user, done) => done(null, (user as User).id));
  passport.deserializeUser((id, done) => {
    // a deleted user is logged out, without an error
    users.findById(String(id)).then((user) => done(null, user ?? false), done);
  });
}

/** The stored values of a refused form; never the password. */
interface Typed {
  readonly username: string;
}

function createLoginForm(settings: LocalLoginSettings, services: LoginServices, renderPage: RenderPage) {
  const { passport, users, links, path, publicBasePath } = settings;
  const home = homeOf(services);
  const { events, describeRequest, findRedirectUris } = services;
  const { people, security } = services.settings;
  const rateLimit = security.rateLimits && security.rateLimits.login;
  const action = `${publicBasePath}${path}`;
  const beginSession = limitNewSessions(rateLimit);
  const { failures: store } = users;
  const limit = createGuessLimit({ failures: rateLimit, shared: store && { name: 'login page', store } });

  /** Each return path has a form of its own, so that two tabs do not mix. */
  const pathWith = (returnPath: string) =>
    `${action}?${new URLSearchParams({ return_to: returnPath }).toString()}`;

  const render = async (
    req: Request,
    res: Response,
    returnPath: string,
    {
      username = '',
      status,
      error,
    }: { readonly username?: string | undefined; readonly status?: number; readonly error?: MessageKey },
  ): Promise<void> => {
    await beginSession(req);
    const pending = findPendingRequest(returnPath);
    const waiting = pending && (await describeRequest(req, res));
    const waitingUris = await findRedirectUris(req, res);
    await renderPage(req, res, {
      view: 'login',
      status,
      uiLocales: pending?.uiLocales,
      // the request in the return path, and those that the server knows: a request may omit the redirect URI, may have
      // been pushed, or may only be in the return cookie
      formTargets: [
        ...new Set([...(pending ? [pending.redirectUri] : []), ...waitingUris].flatMap(formTargetsOf)),
      ],
      hasScript: true,
      locals: ({ text }) => ({
        title: text('login.title'),
        action,
        csrfToken: csrfTokenOf(req),
        returnTo: returnPath,
        carriedReturnTo: carryText(returnPath),
        username,
        error: error && text(error),
        waiting,
        links,
        loggedInAs: req.user && personLabel(services.settings, req.user),
      }),
    });
  };
  /** 422, not 401, which would need a challenge (RFC 9110 §15.5.2). */
  const renderRefused = (req: Request, res: Response, returnPath: string, { username }: Typed) =>
    render(req, res, returnPath, { username, status: REFUSED_STATUS, error: 'login.wrong' });

  return {
    show: async (req: Request, res: Response, now: Date): Promise<void> => {
      const query = queryOf(req);
      const returnPath = safeReturnPath(peekParameter(query, 'return_to'), home);
      const refused = takeRefused<Typed>({ req, res, now, userId: '' }, pathWith(returnPath));
      if (refused !== undefined) return renderRefused(req, res, returnPath, refused);
      if (req.user) return res.redirect(303, returnPath);
      await render(req, res, returnPath, { username: parseHints(query).loginHint });
    },
    submit: async (req: Request, res: Response, now: Date): Promise<void> => {
      const returnPath = safeReturnPath(textField(req.body, 'return_to'), home);
      // a form of another site lacks the user's cookie (SameSite): a page here would start a new session and so log the
      // user out; a GET has the cookie
      if (req.headers['sec-fetch-site'] === 'cross-site') return seeOther(res, pathWith(returnPath));
      // RFC 6749 §10.12: another site must not log the user in to another account (login CSRF), nor write to the
      // session; so the POST renders the page
      if (!hasCsrfToken(req))
        return render(req, res, returnPath, {
          status: 403,
          username: isFromSameOrigin(req) ? textField(req.body, 'username') : undefined,
          error: req.user ? undefined : 'login.outOfDate',
        });
      const username = textField(req.body, 'username');
      const hasBoth = textField(req.body, 'password') !== '' && username !== '';
      const user = hasBoth
        ? await limit(req, username, () => authenticate(passport, req, res), createCloseSignal(req))
        : null;
      if (user === null) {
        const failed = { endpoint: 'login', username: username.slice(0, MAX_USERNAME_LENGTH) } as const;
        events.emit('login.failed', failed, req);
        const refused = { path: pathWith(returnPath), value: { username } satisfies Typed };
        return answerRefused({ req, res, now, userId: '' }, refused, () =>
          renderRefused(req, res, returnPath, { username }),
        );
      }
      const userId = people.id(user);
      await startLogin(req, user, now);
      events.emit('login.succeeded', { endpoint: 'login', userId }, req);
      res.redirect(303, returnPath);
    },
  };
}

function authenticate(passport: HostPassport, req: Request, res: Response): Promise<Express.User | null> {
  return new Promise((resolve, reject) => {
    const middleware = passport.authenticate(
      'local',
      { session: true },
      (error: Error | null | undefined, user: Express.User | false | null | undefined) => {
        if (error) reject(error);
        else resolve(user || null);
      },
    ) as (req: Request, res: Response, next: (error: unknown) => void) => void;
    middleware(req, res, reject);
  });
}
