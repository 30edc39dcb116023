import { type Request, Router } from 'express';

import { consentClientOf, type ConsentPrompt } from '../../core/authorization/consent-client.js';
import { type FormProblem, isProblem } from '../../core/authorization/pending-decisions.js';
import { constraintsFrom } from '../../core/authorization-details/selections.js';
import { refuseBlocked } from '../../core/clients/status/blocked-client.js';
import { refuseUnapproved } from '../../core/clients/status/pending-client.js';
import { formBody } from '../../core/http/body.js';
import { hasCsrfToken, personalCsrfTokenOf } from '../../core/http/csrf.js';
import { hasField, textField } from '../../core/http/form-fields.js';
import { handlePage, refuseOtherMethods } from '../../core/http/handle.js';
import { queryOf } from '../../core/http/query.js';
import { seeOther } from '../../core/http/redirect.js';
import { secureTransport } from '../../core/http/secure-transport.js';
import { emitRateLimited } from '../../core/observability/events.js';
import type { MessageKey } from '../../messages/index.js';
import { createRenderConsent } from '../../pages/consent/consent-page.js';
import { readConsent } from '../../pages/consent/read-consent.js';
import { answerRefused, type FormRequest, REFUSED_STATUS, takeRefused } from '../../pages/form-answers.js';
import { requireLogin, userIdOf, userNameOf } from '../../pages/person.js';
import { pageErrors } from '../../pages/rendering/page-errors.js';
import type { Server } from '../../server/server.js';
import { pathOf } from '../../settings/endpoint-urls.js';
import type { Settings } from '../../settings/settings.js';
import { hashSecret } from '../../shared/crypto/secrets.js';
import { OAuthError } from '../../shared/errors.js';
import { createGuessLimit } from '../../shared/limits/guess-limit.js';
import { peekParameter } from '../../shared/protocol/parameters.js';
import { parseUserCode, type UserCode } from './user-codes.js';

type Context = Server & {
  readonly limit: ReturnType<typeof createGuessLimit>;
  readonly renderConsent: ReturnType<typeof createRenderConsent>;
};

/** A device that waits for a user, by the code it shows. */
type WaitingDevice = NonNullable<Awaited<ReturnType<typeof findDevice>>>;

/** Why a form was refused: because of the code, or of what was decided. */
type Refused = 'wrongCode' | FormProblem;

interface DeviceSession {
  session: { oauthDeviceCodes?: unknown };
}

/** More devices than anybody connects at the same time; the oldest goes first. */
const MAX_CODES = 10;
/** Characters of what was typed that are shown again. */
const MAX_TYPED = 40;
const WRONG_CODE = { problem: 'device.wrongCode', status: REFUSED_STATUS } as const;

/**
 * The page on which a user types the code of a device and decides. A code is looked up only if it was sent with the
 * page's own form: an address that somebody sent to the user only fills in the field.
 *
 * @see RFC 8628 §3.3, §3.3.1, §5.1, §5.4
 */
export function createDevicePage(server: Server): Router {
  const { settings, models, rendering, report, events } = server;
  // RFC 8628 §5.1: per user at any address. A code has 8 of 20 letters (2.56 × 10^10): with 10 tries in 15
  // minutes and 1,000 codes that wait, a user finds one of them in 15 minutes with a chance of 1 in 2.5 million
  const limit = createGuessLimit({
    failures: settings.security.rateLimits !== false && 10,
    shared: { name: 'device', store: models.failures },
    keyOf: (_req, userId) => hashSecret(userId),
    perAddress: false,
  });
  const context: Context = {
    ...server,
    limit,
    renderConsent: createRenderConsent({ ...server, ...rendering }),
  };
  const answer = (handler: (context: Context, visit: FormRequest) => Promise<void>) =>
    handlePage((req, res, now) => handler(context, { req, res, now, userId: userIdOf(settings, req) }));

  const router = Router();
  router.use(secureTransport(settings));
  // before the login, so that what was typed is kept on the way through it
  router.post('/', ...formBody());
  router.use(
    requireLogin(settings, (req) => {
      // the code in a form that was sent after the login had ended fills in the field, as one in the address does
      const typed = peekParameter(req.body, 'user_code');
      return addressOf(settings, codeOf(req) ?? (typed === undefined ? null : parseUserCode(typed)));
    }),
  );
  router.get(
    '/',
    // the form empty, filled in from the address, or as it was sent, with what was wrong with it
    answer((_context, visit) => {
      const userCode = codeOf(visit.req);
      const isRefused = takeRefused<Refused>(visit, addressOf(settings, userCode)) === 'wrongCode';
      return renderForm(context, visit, {
        userCode: userCode?.text ?? '',
        isFromLink: userCode !== null && !isRefused,
        ...(isRefused && WRONG_CODE),
      });
    }),
  );
  router.post('/', answer(takeForm));
  router.all('/', refuseOtherMethods('GET', 'POST'));
  router.get('/request', answer(showRequest));
  router.use(emitRateLimited('device', events));
  router.use(pageErrors({ ...rendering, endpoint: 'device', report, sender: 'person' }));
  return router;
}

/** The page that asks for the code, filled in if there is one already, or `/request`, which shows what waits behind it. */
function addressOf(settings: Settings, userCode: UserCode | null, page: '' | '/request' = ''): string {
  const query = userCode && new URLSearchParams({ user_code: userCode.text }).toString();
  return `${pathOf(settings, 'device')}${page}${query === null ? '' : `?${query}`}`;
}

interface DisplayedForm {
  readonly userCode: string;
  /** Whether the code came with the address, and nobody has typed it. */
  readonly isFromLink?: boolean;
  readonly problem?: MessageKey;
  readonly status?: number;
}

function renderForm(
  { settings, rendering }: Context,
  { req, res, userId }: FormRequest,
  { userCode, isFromLink = false, problem, status }: DisplayedForm,
): Promise<void> {
  const address = pathOf(settings, 'device');
  return rendering.renderPage(req, res, {
    view: 'device',
    status,
    address,
    locals: ({ text }) => ({
      title: text('device.title'),
      action: address,
      csrfToken: personalCsrfTokenOf(req, userId),
      userCode,
      isFromLink,
      problem: problem && text(problem),
      userName: userNameOf(settings, req),
    }),
  });
}

/** The code in the address (RFC 8628 §3.3.1), as we write it; what cannot be one is not shown. */
function codeOf(req: Request): UserCode | null {
  const userCode = peekParameter(queryOf(req), 'user_code');
  return userCode === undefined ? null : parseUserCode(userCode);
}

/** Takes a form with the code alone, or with the decision. */
async function takeForm(context: Context, visit: FormRequest): Promise<void> {
  const { settings, limit, report } = context;
  const { req, res, userId } = visit;
  const typed = textField(req.body, 'user_code').slice(0, MAX_TYPED);
  // answered here: another site may have sent it, and must not put anything into the user's session
  if (!hasCsrfToken(req, userId))
    return renderForm(context, visit, { userCode: typed, problem: 'device.outOfDate', status: 403 });
  const userCode = parseUserCode(textField(req.body, 'user_code'));
  // what cannot be a code is not a guess; but it may contain one, as in "code: WDJB-MJHT", and no code may get into the
  // session: so this is answered here, and to send it again does nothing
  if (userCode === null)
    return renderForm(context, visit, { userCode: typed, ...WRONG_CODE, problem: 'device.notACode' });
  const found = await limit(req, userId, () => findDevice(context, visit, userCode));
  if (found === null) {
    const detail = `typed by user ${userId}`;
    report(new OAuthError('invalid_request', 'the user code is unknown, used or expired', { detail }), {
      endpoint: 'device',
      req,
      res,
    });
    // the code goes in the address, as it does once it is found
    const refused = { path: addressOf(settings, userCode), value: 'wrongCode' } as const;
    return answerRefused(visit, refused, () =>
      renderForm(context, visit, { userCode: typed, ...WRONG_CODE }),
    );
  }
  const problem = await decide(context, visit, found);
  // Only a user who has sent the code with our form is shown what waits behind it. So the answer to a form is a redirect,
  // back and reload work, and a link that somebody else made still asks for the form
  const accepted = [...new Set([...acceptedCodesOf(req), acceptanceOf(userCode, userId)])];
  (req as unknown as DeviceSession).session.oauthDeviceCodes = accepted.slice(-MAX_CODES);
  const path = addressOf(settings, userCode, '/request');
  if (problem === undefined) return seeOther(res, path);
  await answerRefused(visit, { path, value: problem }, () => ask(context, visit, found, problem));
}

/** Does what the form says; returns the reason if that cannot be done. */
async function decide(
  { models, events, settings, countNewClient, loginPolicy }: Context,
  { req, res, now, userId }: FormRequest,
  waiting: WaitingDevice,
): Promise<FormProblem | undefined> {
  const { grant, device, client, userCode } = waiting;
  // refuses a repeated field; a form with the code alone has none
  textField(req.body, 'decision');
  if (!hasField(req.body, 'decision') || device.decision !== undefined) return undefined;
  const prompt = displayedOf(waiting);
  const requested = { prompt, userId, userCode: userCode.text };
  const decision = await readConsent(req, req.body, requested, settings);
  // a value that is not a decision decides nothing, and the page is shown again
  if (decision === 'undecided') return undefined;
  if (isProblem(decision)) return decision;
  if (decision.decision === 'allow') {
    if (!(await countNewClient({ req, client, userId }, 'device'))) return 'tooManyClients';
    await models.clients.prolong(client, now);
  }
  const isAllowed = decision.decision === 'allow';
  const decided = {
    decision: decision.decision,
    scopes: decision.scopes,
    ...(isAllowed && constraintsFrom(prompt, decision, { settings, now })),
    userId,
    authentication: loginPolicy.read({ req, res, userId }),
  };
  // false if somebody else was faster, which the next page says
  if (!(await models.grants.decideDeviceCode(grant.grantId, decided, now))) return undefined;
  const scopes = isAllowed ? decision.scopes : grant.authorization.scopes;
  const data = { clientId: grant.clientId, userId, grantId: grant.grantId, scopes };
  await events.emit(isAllowed ? 'consent.given' : 'consent.denied', data, req);
  return undefined;
}

function displayedOf({ grant, client }: WaitingDevice): ConsentPrompt {
  const { scopes, resources = [], authorizationDetails = [] } = grant.authorization;
  return { client: consentClientOf(client), scopes, resources, authorizationDetails };
}

/** Shows what waits behind a code, to be decided on. */
function ask(
  { renderConsent }: Context,
  { req, res, now }: FormRequest,
  device: WaitingDevice,
  problem: FormProblem | undefined,
): Promise<void> {
  return renderConsent(req, res, {
    ...displayedOf(device),
    now,
    consented: [],
    userCode: device.userCode.text,
    problem,
  });
}

/** @throws OAuthError if the client gets nothing, or the site's rules are against it */
async function findDevice(
  { models: { userCodes, grants }, clientSource, policy }: Context,
  { req, userId, now }: FormRequest,
  userCode: UserCode,
) {
  const grantId = await userCodes.findGrantId(userCode.hash);
  const grant = grantId === null ? null : await grants.find(grantId);
  const device = grant?.device;
  if (!grant || device === undefined || grant.revokedAt !== undefined || device.expiresAt <= now) return null;
  const client = await clientSource.find(grant.clientId);
  if (client === null) return null;
  refuseBlocked(client);
  refuseUnapproved(client, userId);
  if (device.decision !== undefined) return { grant, device, client, userCode };
  const { authorization, grantType } = grant;
  const scopes = await policy.authorize({ ...authorization, client, userId, grantType, now }, req);
  return { grant: { ...grant, authorization: { ...authorization, scopes } }, device, client, userCode };
}

/** Shows what waits behind a code that the user has sent, or what the user has decided about it. */
async function showRequest(context: Context, visit: FormRequest): Promise<void> {
  const { settings, rendering } = context;
  const { req, res, userId } = visit;
  const userCode = codeOf(req);
  if (userCode === null || !acceptedCodesOf(req).includes(acceptanceOf(userCode, userId)))
    return seeOther(res, addressOf(settings, userCode));
  const refused = takeRefused<Refused>(visit, addressOf(settings, userCode, '/request'));
  const problem = refused === 'wrongCode' ? undefined : refused;
  const found = await findDevice(context, visit, userCode);
  const decision = found?.device.decision;
  if (found !== null && decision === undefined) return ask(context, visit, found, problem);
  if (decision === undefined || found?.grant.authorization.userId !== userId)
    return renderForm(context, visit, { userCode: userCode.text, ...WRONG_CODE });
  await rendering.renderPage(req, res, {
    view: 'device-done',
    locals: ({ text }) => ({
      title: text(decision === 'allow' ? 'device.allowed' : 'device.denied'),
      isAllowed: decision === 'allow',
      authorizations: pathOf(settings, 'authorizations'),
      userName: userNameOf(settings, req),
    }),
  });
}

/** Who has sent which code. A session may outlive a login: the next user starts without codes. */
function acceptanceOf({ hash }: UserCode, userId: string): string {
  return hashSecret(JSON.stringify([hash, userId]));
}

function acceptedCodesOf(req: Request): readonly string[] {
  const { oauthDeviceCodes: codes } = (req as unknown as DeviceSession).session;
  return Array.isArray(codes) ? codes.filter((code) => typeof code === 'string') : [];
}
