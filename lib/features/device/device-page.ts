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

/** A device whose user code is valid. */
type WaitingDevice = NonNullable<Awaited<ReturnType<typeof findDevice>>>;

/** Why a form was refused: the user code, or a problem with the decision. */
type Refused = 'wrongCode' | FormProblem;

interface DeviceSession {
  session: { oauthDeviceCodes?: unknown };
}

/** Maximum number of devices that one session connects at once; the oldest is dropped first. */
const MAX_CODES = 10;
/** Maximum length of the input when the form is displayed again. */
const MAX_TYPED = 40;
const WRONG_CODE = { problem: 'device.wrongCode', status: REFUSED_STATUS } as const;

/**
 * The page on which a user types the code of a device and decides. A code is looked up only after a POST with the
 * page's CSRF token; a link only fills in the field.
 *
 * @see RFC 8628 §3.3, §3.3.1, §5.1, §5.4
 */
export function createDevicePage(server: Server): Router {
  const { settings, models, rendering, report, events } = server;
  // RFC 8628 §5.1: per user at any address. A code has 8 of 20 letters (2.56 × 10^10): with 10 tries in 15 minutes and
  // 1,000 pending codes, a user guesses one in 15 minutes with a chance of 1 in 2.5 million
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
  // before the login check, so that the typed code survives a login
  router.post('/', ...formBody());
  router.use(
    requireLogin(settings, (req) => {
      // if the login ended before the POST, the typed code fills in the field, as a code in the address does
      const typed = peekParameter(req.body, 'user_code');
      return deviceAddress(
        settings,
        readCodeInAddress(req) ?? (typed === undefined ? null : parseUserCode(typed)),
      );
    }),
  );
  router.get(
    '/',
    // the form: empty, with the code from the address, or as submitted with its problem
    answer((_context, visit) => {
      const userCode = readCodeInAddress(visit.req);
      const isRefused = takeRefused<Refused>(visit, deviceAddress(settings, userCode)) === 'wrongCode';
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

/** The address of the form, with the code if there is one, or of `/request`, the consent page of the code. */
function deviceAddress(settings: Settings, userCode: UserCode | null, page: '' | '/request' = ''): string {
  const query = userCode && new URLSearchParams({ user_code: userCode.text }).toString();
  return `${pathOf(settings, 'device')}${page}${query === null ? '' : `?${query}`}`;
}

interface DisplayedForm {
  readonly userCode: string;
  /** Whether the code came from a link, and the user has not typed it. */
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

/** The code in the address (RFC 8628 §3.3.1), in normal form; null if it is no code. */
function readCodeInAddress(req: Request): UserCode | null {
  const userCode = peekParameter(queryOf(req), 'user_code');
  return userCode === undefined ? null : parseUserCode(userCode);
}

/** Handles both forms: the code alone, and the decision. */
async function takeForm(context: Context, visit: FormRequest): Promise<void> {
  const { settings, limit, report } = context;
  const { req, res, userId } = visit;
  const typed = textField(req.body, 'user_code').slice(0, MAX_TYPED);
  // responds without a redirect: a form of another site must not write to the user's session
  if (!hasCsrfToken(req, userId))
    return renderForm(context, visit, { userCode: typed, problem: 'device.outOfDate', status: 403 });
  const userCode = parseUserCode(textField(req.body, 'user_code'));
  // Input that cannot be a code is no guess. But it may contain a code, as in "code: WDJB-MJHT", and the session must
  // not store one. So the POST renders the page; a reload does no harm.
  if (userCode === null)
    return renderForm(context, visit, { userCode: typed, ...WRONG_CODE, problem: 'device.notACode' });
  const waiting = await limit(req, userId, () => findDevice(context, visit, userCode));
  if (waiting === null) {
    const detail = `typed by user ${userId}`;
    report(new OAuthError('invalid_request', 'the user code is unknown, used or expired', { detail }), {
      endpoint: 'device',
      req,
      res,
    });
    // the address has the code, as after a correct one
    const refused = { path: deviceAddress(settings, userCode), value: 'wrongCode' } as const;
    return answerRefused(visit, refused, () =>
      renderForm(context, visit, { userCode: typed, ...WRONG_CODE }),
    );
  }
  const problem = await decide(context, visit, waiting);
  // The consent page needs a code that the user has submitted with the CSRF token. The POST therefore redirects: back
  // and reload work, and a link from somebody else still leads to the form
  const accepted = [...new Set([...acceptedCodesOf(req), hashAcceptance(userCode, userId)])];
  (req as unknown as DeviceSession).session.oauthDeviceCodes = accepted.slice(-MAX_CODES);
  const path = deviceAddress(settings, userCode, '/request');
  if (problem === undefined) return seeOther(res, path);
  await answerRefused(visit, { path, value: problem }, () => ask(context, visit, waiting, problem));
}

/** Stores the decision; returns the problem if that is impossible. */
async function decide(
  { models, events, settings, countNewClient, loginPolicy }: Context,
  { req, res, now, userId }: FormRequest,
  waiting: WaitingDevice,
): Promise<FormProblem | undefined> {
  const { grant, device, client, userCode } = waiting;
  // refuses a repeated field; the form with the code alone has no decision
  textField(req.body, 'decision');
  if (!hasField(req.body, 'decision') || device.decision !== undefined) return undefined;
  const prompt = toConsentPrompt(waiting);
  const requested = { prompt, userId, userCode: userCode.text };
  const decision = await readConsent(req, req.body, requested, settings);
  // any other value decides nothing, and the page is displayed again
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
  // false if another request decided first; the next page says so
  if (!(await models.grants.decideDeviceCode(grant.grantId, decided, now))) return undefined;
  const scopes = isAllowed ? decision.scopes : grant.authorization.scopes;
  const data = { clientId: grant.clientId, userId, grantId: grant.grantId, scopes };
  await events.emit(isAllowed ? 'consent.given' : 'consent.denied', data, req);
  return undefined;
}

function toConsentPrompt({ grant, client }: WaitingDevice): ConsentPrompt {
  const { scopes, resources = [], authorizationDetails = [] } = grant.authorization;
  return { client: consentClientOf(client), scopes, resources, authorizationDetails };
}

/** Renders the consent page of a user code. */
function ask(
  { renderConsent }: Context,
  { req, res, now }: FormRequest,
  device: WaitingDevice,
  problem: FormProblem | undefined,
): Promise<void> {
  return renderConsent(req, res, {
    ...toConsentPrompt(device),
    now,
    consented: [],
    userCode: device.userCode.text,
    problem,
  });
}

/** @throws OAuthError if the client may have no grant, or the policy of the site refuses */
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

/** Shows the request of a submitted user code, or the decision about it. */
async function showRequest(context: Context, visit: FormRequest): Promise<void> {
  const { settings, rendering } = context;
  const { req, res, userId } = visit;
  const userCode = readCodeInAddress(req);
  if (userCode === null || !acceptedCodesOf(req).includes(hashAcceptance(userCode, userId)))
    return seeOther(res, deviceAddress(settings, userCode));
  const refused = takeRefused<Refused>(visit, deviceAddress(settings, userCode, '/request'));
  const problem = refused === 'wrongCode' ? undefined : refused;
  const waiting = await findDevice(context, visit, userCode);
  const decision = waiting?.device.decision;
  if (waiting !== null && decision === undefined) return ask(context, visit, waiting, problem);
  if (decision === undefined || waiting?.grant.authorization.userId !== userId)
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

/** Binds a submitted code to its user: a session may outlive a login, and the next user starts without codes. */
function hashAcceptance({ hash }: UserCode, userId: string): string {
  return hashSecret(JSON.stringify([hash, userId]));
}

function acceptedCodesOf(req: Request): readonly string[] {
  const { oauthDeviceCodes: codes } = (req as unknown as DeviceSession).session;
  return Array.isArray(codes) ? codes.filter((code) => typeof code === 'string') : [];
}
