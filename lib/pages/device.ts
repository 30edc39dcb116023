import { Router, type Request, type RequestHandler, type Response } from 'express';
import { OAuthError } from '../errors.js';
import { hasCsrfToken } from '../http/csrf.js';
import { formBody } from '../http/form-body.js';
import { createGuessLimit, type GuessLimit } from '../http/guess-limit.js';
import { handle } from '../http/handle.js';
import { loginPath } from '../http/login-path.js';
import { refuseOtherMethods } from '../http/methods.js';
import { queryOf } from '../http/query.js';
import type { Report } from '../http/report.js';
import { resourceOwnerOf } from '../http/resource-owner.js';
import { secureTransport } from '../http/secure-transport.js';
import type { StoredClient } from '../models/clients.js';
import type { StoredDeviceCode } from '../models/device-grants.js';
import type { Grant } from '../models/grants.js';
import type { Models } from '../models/index.js';
import type { Settings } from '../settings.js';
import { hashSecret } from '../tokens/secrets.js';
import { parseUserCode, type UserCode } from '../tokens/user-codes.js';
import type { RenderPage } from '../views.js';
import { CONNECTION_TEXTS } from './connection-texts.js';
import type { RenderConsent } from './consent-page.js';
import { createDevicePages, type DevicePages } from './device-pages.js';
import type { RenderError } from './error-page.js';
import { listField, textField } from './form-fields.js';
import { pageErrors } from './page-errors.js';

export interface DevicePageOptions {
  readonly settings: Settings;
  readonly models: Models;
  readonly renderPage: RenderPage;
  readonly renderConsent: RenderConsent;
  readonly renderError: RenderError;
  readonly report: Report;
}

interface Context extends Omit<DevicePageOptions, 'renderPage' | 'renderError'> {
  readonly pages: DevicePages;
  readonly limit: GuessLimit;
}

/** A device that waits for a person, found by the code it shows. */
interface WaitingDevice {
  readonly grant: Grant;
  readonly device: StoredDeviceCode;
  readonly client: StoredClient;
  readonly userCode: UserCode;
}

/** Of what was typed, to be shown again. */
const MAX_TYPED = 40;

/**
 * The page on which a person types the code of a device and decides. A code is looked up only when it is sent with the
 * page's own form: an address that somebody sent to the person does nothing but fill in the field.
 *
 * @see RFC 8628 §3.3, §3.3.1, §5.1, §5.4
 */
export function createDevicePage({ renderPage, renderError, ...options }: DevicePageOptions): Router {
  const { settings, report } = options;
  // by person whatever the address, and by address whoever the person is
  const limit = createGuessLimit(settings.rateLimits && settings.rateLimits.device, (_req, userId) => hashSecret(userId));
  const context: Context = { ...options, limit, pages: createDevicePages({ settings, renderPage }) };

  const router = Router();
  router.use(secureTransport(settings));
  router.get('/', requireLogin(context), handle((req, res) => context.pages.code(req, res, { userCode: prefilledCode(req), isFromLink: prefilledCode(req) !== '' })));
  router.post('/', requireLogin(context), ...formBody(), handle((req, res) => takeForm(context, req, res)));
  router.all('/', refuseOtherMethods('GET', 'POST'));
  router.use(pageErrors({ endpoint: 'device', report, renderError, sender: 'person' }));
  return router;
}

function requireLogin({ settings, pages }: Context): RequestHandler {
  return function redirectToLogin(req, res, next) {
    if (resourceOwnerOf(req) !== undefined) return next();
    const userCode = prefilledCode(req);
    res.redirect(303, loginPath(settings, `${pages.root}${userCode === '' ? '' : `?${new URLSearchParams({ user_code: userCode }).toString()}`}`));
  };
}

/** The code in the address (RFC 8628 §3.3.1), as we write it; what cannot be one is not shown. */
function prefilledCode(req: Request): string {
  const { user_code: userCode } = queryOf(req);
  return typeof userCode === 'string' ? (parseUserCode(userCode)?.text ?? '') : '';
}

async function takeForm(context: Context, req: Request, res: Response): Promise<void> {
  const { pages, settings } = context;
  const typed = textField(req.body, 'user_code');
  const { outOfDate, wrongCode } = CONNECTION_TEXTS.device;
  const askAgain = (problem: string, status: number) => pages.code(req, res, { userCode: typed.slice(0, MAX_TYPED), problem, status });
  if (!hasCsrfToken(req)) return askAgain(outOfDate, 403);
  const userId = settings.userId(req.user as NonNullable<Request['user']>);
  const userCode = parseUserCode(typed);
  // what cannot be a code is no guess
  const found = userCode && (await context.limit(req, userId, () => findDevice(context.models, userCode)));
  if (found === null) {
    if (userCode !== null) context.report(new OAuthError('invalid_request', 'the user code is unknown, used or expired', { detail: `typed by user ${userId}` }), { endpoint: 'device', req, res });
    return askAgain(wrongCode, 422);
  }
  await decide(context, { req, res, userId, found });
}

async function findDevice({ userCodes, grants, clients }: Models, userCode: UserCode): Promise<WaitingDevice | null> {
  const grantId = await userCodes.findGrantId(userCode.hash);
  const grant = grantId === null ? null : await grants.find(grantId);
  const device = grant?.device;
  if (!grant || device === undefined || grant.revokedAt !== undefined || device.expiresAt <= new Date()) return null;
  const client = await clients.find(grant.clientId);
  return client === null ? null : { grant, device, client, userCode };
}

interface DecisionRequest {
  readonly req: Request;
  readonly res: Response;
  readonly userId: string;
  readonly found: WaitingDevice;
}

async function decide(context: Context, { req, res, userId, found }: DecisionRequest): Promise<void> {
  const { models, pages, renderConsent } = context;
  const { grant, device, client, userCode } = found;
  const given = textField(req.body, 'decision');
  const ticked = listField(req.body, 'granted_scope');
  if (device.decision !== undefined) return showDecided(context, { req, res, userId, found });
  if (given !== 'allow' && given !== 'deny') {
    const notice = given === '' ? undefined : CONNECTION_TEXTS.device.choose;
    return renderConsent(req, res, { client, scopes: grant.scopes, userCode: userCode.text, ...(notice !== undefined && { notice, status: 403 }) });
  }
  const scopes = grant.scopes.filter((scope) => ticked.includes(scope));
  const decision = scopes.length === 0 && grant.scopes.length > 0 ? 'deny' : given;
  if (await models.grants.decideDeviceCode(grant._id, { decision, userId, scopes }, new Date())) return pages.done(req, res, decision);
  // somebody else was faster, or the same form was sent twice at the same moment
  const decided = await findDevice(models, userCode);
  await showDecided(context, { req, res, userId, found: decided ?? found });
}

/** The same form sent twice has the same answer; for everybody else the code is used. */
async function showDecided({ pages }: Context, { req, res, userId, found: { grant, device, userCode } }: DecisionRequest): Promise<void> {
  if (device.decision !== undefined && grant.userId === userId && textField(req.body, 'decision') !== '') return pages.done(req, res, device.decision);
  await pages.code(req, res, { userCode: userCode.text, problem: CONNECTION_TEXTS.device.wrongCode, status: 422 });
}
