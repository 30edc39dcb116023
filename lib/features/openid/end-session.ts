import { Router } from 'express';

import { withParameters } from '../../core/authorization/response-modes/response-mode.js';
import { mayRedirectTo } from '../../core/clients/may-redirect-to.js';
import { formBody } from '../../core/http/body.js';
import { carryText } from '../../core/http/carried-text.js';
import { personalCsrfTokenOf, verifyCsrfToken } from '../../core/http/csrf.js';
import { carriedField, hasField, textField } from '../../core/http/form-fields.js';
import { handlePage, refuseOtherMethods, type RequestContext } from '../../core/http/handle.js';
import { queryOf } from '../../core/http/query.js';
import { redirect, seeOther } from '../../core/http/redirect.js';
import { secureTransport } from '../../core/http/secure-transport.js';
import { noteBrowserState } from '../../core/sessions/browser-state.js';
import { endLogin } from '../../core/sessions/login-session.js';
import { resourceOwnerOf } from '../../core/sessions/resource-owner.js';
import { sidOf } from '../../core/sessions/sign-in-session.js';
import { personLabel } from '../../pages/person.js';
import { formTargetsOf } from '../../pages/rendering/form-targets.js';
import { pageErrors } from '../../pages/rendering/page-errors.js';
import type { Endpoint, Server } from '../../server/server.js';
import { pathOf } from '../../settings/endpoint-urls.js';
import { type Form, parseForm } from '../../shared/protocol/parameters.js';
import { type LogoutRequest, readLogoutRequest } from './logout-request.js';
import { type FrontChannelSignIn, keepAnswer, takeAnswer } from './pending-logout.js';

type Context = Server & { readonly endSignIns: NonNullable<Server['endSignIns']> };

/** Replaces the user id in a stored answer if nobody is logged in. */
const NOBODY = '';

/**
 * The endpoint to which clients send users for a logout. The user always confirms on this page, because any site can
 * link here.
 *
 * @see OpenID Connect RP-Initiated Logout §2
 */
function createEndSession(context: Context): Router {
  const { settings, report, rendering } = context;
  const router = Router();
  router.use(secureTransport(settings));
  router.get(
    '/',
    handlePage(async (req, res, now) => {
      const request = await readLogoutRequest(context, queryOf(req));
      const person = resourceOwnerOf(settings, req);
      const userId = person === undefined ? NOBODY : settings.people.id(person);
      // undefined without an answer to the form, and if the user logged in again after a confirmed logout; a HEAD
      // leaves the answer for the GET
      const signIns =
        req.method === 'GET' ? takeAnswer(settings, request.name, { req, res, userId }) : undefined;
      await (signIns === undefined
        ? ask(context, { req, res, now }, request, person)
        : goOn(context, { req, res, now }, request, signIns));
    }),
  );
  router.post(
    '/',
    ...formBody(),
    handlePage(async (req, res, now) => {
      const form = req.body as Form;
      if (hasField(form, 'csrf_token')) return decide(context, { req, res, now }, form);
      // a form of a client on another site, whose request usually lacks the session cookie (SameSite)
      seeOther(res, logoutAddress(context, await readLogoutRequest(context, form)));
    }),
  );
  router.all('/', refuseOtherMethods('GET', 'POST'));
  router.use(
    pageErrors({ endpoint: 'end_session', report, renderError: rendering.renderError, sender: 'client' }),
  );
  return router;
}

/** The address of the page, to which each form redirects. */
function logoutAddress({ settings }: Context, { name }: LogoutRequest): string {
  return `${pathOf(settings, 'end_session')}?${name}`;
}

async function ask(
  context: Context,
  visit: RequestContext,
  request: LogoutRequest,
  person: Express.User | undefined,
): Promise<void> {
  const { settings, rendering } = context;
  const { client, redirectTo, isHinted, uiLocales, name } = request;
  if (person === undefined) {
    // §3: without an ID token anybody may have made the link, so the user decides
    const cause = { pages: settings.pages, isAnonymous: true };
    if (redirectTo !== undefined && isHinted && client !== undefined && mayRedirectTo(client, cause))
      return redirect(visit.res, 302, redirectTo);
    return showDone(context, visit, request, []);
  }
  await rendering.renderPage(visit.req, visit.res, {
    view: 'end-session',
    uiLocales,
    formTargets: redirectTo === undefined ? [] : formTargetsOf(redirectTo),
    locals: ({ text }) => ({
      title: text('logout.title'),
      action: pathOf(settings, 'end_session'),
      csrfToken: personalCsrfTokenOf(visit.req, settings.people.id(person)),
      logoutRequest: carryText(name),
      clientName: client?.name,
      userName: personLabel(settings, person),
    }),
  });
}

/** Handles the user's decision on this page, and leaves the result to the GET after it. */
async function decide(context: Context, { req, res, now }: RequestContext, form: Form): Promise<void> {
  const { settings, endSignIns } = context;
  const request = await readLogoutRequest(context, parseForm(carriedField(form, 'logout_request')));
  const address = logoutAddress(context, request);
  const person = resourceOwnerOf(settings, req);
  // the form was sent twice
  if (person === undefined) return seeOther(res, address);
  const userId = settings.people.id(person);
  verifyCsrfToken(req, userId);
  if (textField(form, 'logout') !== 'yes') {
    // §3: without an ID token anybody may have chosen the redirect URI
    if (!request.isHinted || request.redirectTo === undefined) return seeOther(res, settings.pages.home);
    keepAnswer(settings, request.name, { req, res, userId }, []);
    return seeOther(res, address);
  }
  const sid = sidOf(req, userId);
  const ended = sid === undefined ? [] : await endSignIns({ userId, sid }, now, { isFramed: true });
  await endLogin(req);
  noteBrowserState(settings, { req, res });
  const signIns = ended.flatMap(({ client: { clientId, frontchannelLogoutUri }, sid: sidOfClient }) =>
    frontchannelLogoutUri === undefined || sidOfClient === undefined ? [] : [{ clientId, sid: sidOfClient }],
  );
  if (keepAnswer(settings, request.name, { req, res, userId: NOBODY }, signIns))
    return seeOther(res, address);
  // too many frames for a cookie; each client has to be notified
  await goOn(context, { req, res, now }, request, signIns);
}

/** Follows the user's answer, once. */
async function goOn(
  context: Context,
  visit: RequestContext,
  request: LogoutRequest,
  signIns: readonly FrontChannelSignIn[],
): Promise<void> {
  const { models, settings } = context;
  const clientIds = signIns.map(({ clientId }) => clientId);
  const clients = clientIds.length === 0 ? [] : await models.clients.findAll(clientIds);
  // RFC 9700 §4.11.2: the page of a blocked client is not loaded
  const trusted = clients.filter(({ blocked }) => blocked === undefined);
  const uris = new Map(trusted.map((client) => [client.clientId, client.frontchannelLogoutUri]));
  // Front-Channel Logout §2: the issuer and the session are added to the client's query
  const frames = signIns.flatMap(({ clientId, sid }) => {
    const uri = uris.get(clientId);
    return uri === undefined ? [] : [withParameters(uri, { iss: settings.issuer, sid })];
  });
  if (frames.length === 0 && request.redirectTo !== undefined && mayGoOn(context, request))
    return redirect(visit.res, 302, request.redirectTo);
  await showDone(context, visit, request, frames);
}

/** Whether the browser may redirect after the confirmation without another click. */
function mayGoOn({ settings }: Context, { client }: LogoutRequest): boolean {
  return client !== undefined && mayRedirectTo(client, { pages: settings.pages, isAnonymous: false });
}

/**
 * The page after a logout, with the clients' logout pages in frames, and a link back to the client.
 *
 * @see OpenID Connect Front-Channel Logout §2, §3
 */
async function showDone(
  context: Context,
  visit: RequestContext,
  request: LogoutRequest,
  frames: readonly string[],
): Promise<void> {
  const { rendering } = context;
  const { client, redirectTo, uiLocales } = request;
  // the frames have three seconds to load; then the browser goes on without a click
  if (frames.length > 0 && redirectTo !== undefined && mayGoOn(context, request))
    visit.res.set('Refresh', `3;url=${redirectTo}`);
  await rendering.renderPage(visit.req, visit.res, {
    view: 'end-session-done',
    uiLocales,
    frameSources: [...new Set(frames.map((frame) => new URL(frame).origin))],
    locals: ({ text }) => ({
      title: text('endSession.done'),
      frames,
      backTo: redirectTo,
      clientName: client?.name,
    }),
  });
}

export const endSession: Endpoint = {
  name: 'end_session',
  isPage: true,
  create(server) {
    const { endSignIns } = server;
    if (endSignIns === undefined) throw new Error('openid is off');
    return createEndSession({ ...server, endSignIns });
  },
  metadata: (_server, url) => ({ end_session_endpoint: url }),
};
