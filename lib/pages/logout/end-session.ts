import { Router } from 'express';

import { withParameters } from '../../authorization/response-modes/query.js';
import { noteBrowserState } from '../../http/browser-state.js';
import { personalCsrfTokenOf, verifyCsrfToken } from '../../http/csrf.js';
import { formBody } from '../../http/form-body.js';
import { type Asked, handlePage } from '../../http/handle.js';
import { endLogin } from '../../http/login-session.js';
import { refuseOtherMethods } from '../../http/methods.js';
import { queryOf } from '../../http/query.js';
import { redirect, seeOther } from '../../http/redirect.js';
import { resourceOwnerOf } from '../../http/resource-owner.js';
import { secureTransport } from '../../http/secure-transport.js';
import { sidOf } from '../../http/sign-in-session.js';
import type { EndedSignIn } from '../../openid/end-sign-ins.js';
import { type Form, parseForm } from '../../protocol/parameters.js';
import { formTargetsOf } from '../../rendering/form-targets.js';
import { pageErrors } from '../../rendering/page-errors.js';
import type { Endpoint } from '../../server/endpoint.js';
import type { Server } from '../../server/server.js';
import { pathOf } from '../../settings/endpoint-urls.js';
import { personLabel } from '../person.js';
import { type LogoutRequest, readLogoutRequest } from './logout-request.js';

type Context = Server & { readonly endSignIns: NonNullable<Server['endSignIns']> };

/**
 * Where clients send people to log out. Nobody is logged out without having said so on our page, because anybody can
 * send somebody else here.
 *
 * @see OpenID Connect RP-Initiated Logout §2
 */
function createEndSession(context: Context): Router {
  const { settings, report, rendering } = context;
  const router = Router();
  router.use(secureTransport(settings));
  router.get(
    '/',
    handlePage(async (req, res, now) => ask(context, { req, res, now }, queryOf(req))),
  );
  router.post(
    '/',
    ...formBody(),
    handlePage(async (req, res, now) => {
      const form = (req.body ?? {}) as Form;
      if (form.csrf_token !== undefined) return decide(context, { req, res, now }, form);
      // from a client on another site, so usually without the session (SameSite)
      const { name } = await read(context, form);
      seeOther(res, `${pathOf(settings, 'end_session')}?${name}`);
    }),
  );
  router.all('/', refuseOtherMethods('GET', 'POST'));
  router.use(
    pageErrors({ endpoint: 'end_session', report, renderError: rendering.renderError, sender: 'client' }),
  );
  return router;
}

function read({ settings, signingKeys, clientSource }: Context, form: Form): Promise<LogoutRequest> {
  const { issuer, serverSecret: secret } = settings;
  return readLogoutRequest(form, { issuer, signingKeys, clientSource, secret });
}

async function ask(context: Context, { req, res }: Asked, form: Form): Promise<void> {
  const { settings, rendering } = context;
  const request = await read(context, form);
  const { client, redirectTo, isHinted, uiLocales, name } = request;
  const person = resourceOwnerOf(settings, req);
  if (person === undefined) {
    // §3: without an ID token it may be anybody, so the person decides
    if (redirectTo !== undefined && isHinted) return redirect(res, 302, redirectTo);
    return showDone(context, { req, res }, request, []);
  }
  await rendering.renderPage(req, res, {
    view: 'end-session',
    uiLocales,
    formTargets: formTargetsOfRequest(request),
    locals: ({ text }) => ({
      title: text('logout.title'),
      action: pathOf(settings, 'end_session'),
      csrfToken: personalCsrfTokenOf(req, settings.userId(person)),
      logoutRequest: name,
      clientName: client?.name,
      userName: personLabel(settings, person),
    }),
  });
}

/** Does what the person says on our page. */
async function decide(context: Context, asked: Asked, form: Form): Promise<void> {
  const { settings, endSignIns } = context;
  const { req, res, now } = asked;
  const request = await read(context, parseForm(String(form.logout_request ?? '')));
  const person = resourceOwnerOf(settings, req);
  // the form was sent twice
  if (person === undefined) return seeOther(res, `${pathOf(settings, 'end_session')}?${request.name}`);
  const userId = settings.userId(person);
  verifyCsrfToken(req, userId);
  const { redirectTo } = request;
  if (form.logout !== 'yes')
    // §3: without an ID token it may be anybody who wants them there
    return redirect(res, 303, (request.isHinted ? redirectTo : undefined) ?? settings.pages.home);
  const sid = sidOf(req, userId);
  const ended = sid === undefined ? [] : await endSignIns({ userId, sid }, now, { isFramed: true });
  await endLogin(req);
  noteBrowserState(settings, { req, res });
  const framed = ended.filter(
    ({ client, sid: told }) => client.frontchannelLogoutUri !== undefined && told !== undefined,
  );
  if (framed.length > 0) return showDone(context, asked, request, framed);
  if (redirectTo !== undefined) return redirect(res, 303, redirectTo);
  seeOther(res, `${pathOf(settings, 'end_session')}?${request.name}`);
}

/**
 * Says that nobody is logged in, with the logout pages of clients in frames, and the way back to where the person came
 * from.
 *
 * @see OpenID Connect Front-Channel Logout §2, §3
 */
async function showDone(
  { settings, rendering }: Context,
  { req, res }: Pick<Asked, 'req' | 'res'>,
  { client, redirectTo, uiLocales }: LogoutRequest,
  ended: readonly EndedSignIn[],
): Promise<void> {
  const frames = ended.map((each) => frameOf(each, settings.issuer));
  // the frames have these three seconds, and nobody has to click
  if (frames.length > 0 && redirectTo !== undefined) res.set('Refresh', `3;url=${redirectTo}`);
  await rendering.renderPage(req, res, {
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

/** Front-Channel Logout §2: the issuer and the session are added to its own query. */
function frameOf({ client, sid }: EndedSignIn, issuer: string): string {
  return withParameters(client.frontchannelLogoutUri ?? '', { iss: issuer, sid });
}

function formTargetsOfRequest({ redirectTo }: LogoutRequest): readonly string[] {
  return redirectTo === undefined ? [] : formTargetsOf(redirectTo);
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
