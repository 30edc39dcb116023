import { type Request, type Response, Router } from 'express';

import { readDecision } from '../../authorization/decision.js';
import { digestOf, type Shown } from '../../authorization/shown.js';
import type { Client } from '../../clients/client.js';
import { hashSecret } from '../../crypto/secrets.js';
import { parseUserCode, type UserCode } from '../../crypto/user-codes.js';
import { OAuthError } from '../../errors.js';
import type { Grant, StoredDeviceCode } from '../../grants/grant.js';
import { hasCsrfToken } from '../../http/csrf.js';
import { formBody } from '../../http/form-body.js';
import { textField } from '../../http/form-fields.js';
import { handle } from '../../http/handle.js';
import { refuseOtherMethods } from '../../http/methods.js';
import { queryOf } from '../../http/query.js';
import { seeOther } from '../../http/redirect.js';
import { secureTransport } from '../../http/secure-transport.js';
import { createGuessLimit, type GuessLimit } from '../../limits/guess-limit.js';
import type { MessageKey } from '../../messages/index.js';
import type { Stores } from '../../models/stores.js';
import type { OAuthEvents } from '../../observability/events.js';
import type { Report } from '../../observability/report.js';
import type { RenderError } from '../../rendering/error-page.js';
import { pageErrors } from '../../rendering/page-errors.js';
import type { RenderPage } from '../../rendering/views.js';
import type { Endpoint } from '../../server/endpoint.js';
import { emitRateLimited } from '../../server/refusal.js';
import type { Settings } from '../../settings/settings.js';
import { acceptCode, isAcceptedCode } from '../accepted-codes.js';
import { createRenderConsent, type RenderConsent } from '../consent/consent-page.js';
import { requireLogin, userIdOf } from '../person.js';
import { createDevicePages, type DevicePages } from './device-pages.js';

export interface DevicePageOptions {
  readonly settings: Settings;
  readonly models: Stores;
  readonly renderPage: RenderPage;
  readonly renderConsent: RenderConsent;
  readonly renderError: RenderError;
  readonly report: Report;
  readonly events: OAuthEvents;
}

interface Context extends Omit<DevicePageOptions, 'renderPage' | 'renderError'> {
  readonly pages: DevicePages;
  readonly limit: GuessLimit;
}

/** A device that waits for a person, found by the code it shows. */
interface WaitingDevice {
  readonly grant: Grant;
  readonly device: StoredDeviceCode;
  readonly client: Client;
}

/** Of what was typed, to be shown again. */
const MAX_TYPED = 40;

/**
 * The page on which a person types the code of a device and decides. A code is looked up only when it was sent with the
 * page's own form: an address that somebody sent to the person does nothing but fill in the field.
 *
 * @see RFC 8628 §3.3, §3.3.1, §5.1, §5.4
 */
export function createDevicePage({ renderPage, renderError, ...options }: DevicePageOptions): Router {
  const { settings, report } = options;
  // by person whatever the address, and by address whoever the person is
  const limit = createGuessLimit({
    failures: settings.rateLimits && settings.rateLimits.device,
    shared: { name: 'device', store: options.models.failures },
    keyOf: (_req, userId) => hashSecret(userId),
  });
  const context: Context = { ...options, limit, pages: createDevicePages({ settings, renderPage }) };

  const router = Router();
  router.use(
    secureTransport(settings),
    requireLogin(settings, (req) => context.pages.pathOf(codeOf(req))),
  );
  router.get(
    '/',
    handle((req, res) =>
      context.pages.code(req, res, { userCode: codeOf(req)?.text ?? '', isFromLink: codeOf(req) !== null }),
    ),
  );
  router.post(
    '/',
    ...formBody(),
    handle((req, res) => takeForm(context, req, res)),
  );
  router.all('/', refuseOtherMethods('GET', 'POST'));
  router.get(
    '/request',
    handle((req, res) => showRequest(context, req, res)),
  );
  router.use(emitRateLimited('device', options.events));
  router.use(pageErrors({ endpoint: 'device', report, renderError, sender: 'person' }));
  return router;
}

/** The code in the address (RFC 8628 §3.3.1), as we write it; what cannot be one is not shown. */
function codeOf(req: Request): UserCode | null {
  const { user_code: userCode } = queryOf(req);
  return typeof userCode === 'string' ? parseUserCode(userCode) : null;
}

/** The code alone, or with the decision. */
async function takeForm(context: Context, req: Request, res: Response): Promise<void> {
  const { pages, settings } = context;
  const typed = textField(req.body, 'user_code');
  const askAgain = (problem: MessageKey, status: number) =>
    pages.code(req, res, { userCode: typed.slice(0, MAX_TYPED), problem, status });
  const userId = userIdOf(settings, req);
  if (!hasCsrfToken(req, userId)) return askAgain('device.outOfDate', 403);
  const userCode = parseUserCode(typed);
  // what cannot be a code is no guess
  if (userCode === null) return askAgain('device.wrongCode', 422);
  const found = await context.limit(req, userId, () => findDevice(context.models, userCode));
  if (found === null) {
    context.events.emit('user_code.failed', { userId }, req);
    context.report(
      new OAuthError('invalid_request', 'the user code is unknown, used or expired', {
        detail: `typed by user ${userId}`,
      }),
      { endpoint: 'device', req, res },
    );
    return askAgain('device.wrongCode', 422);
  }
  const isOutOfDate = !(await decide(context, req, { ...found, userId }));
  acceptCode(req, { codeHash: userCode.hash, userId });
  if (isOutOfDate) return ask(context, { req, res }, found, { userCode, isOutOfDate });
  seeOther(res, pages.requestPathOf(userCode));
}

/** Does what the form says; false if that is about something else than waits there now. */
async function decide(
  { models, events, settings }: Context,
  req: Request,
  { grant, device, client, userId }: WaitingDevice & { readonly userId: string },
): Promise<boolean> {
  // a repeated field is refused; there is none in the form with the code alone
  textField(req.body, 'decision');
  const decision = readDecision(req.body, grant.authorization.scopes, settings);
  if (decision === undefined || device.decision !== undefined) return true;
  if (textField(req.body, 'shown') !== digestOf(shownOf({ grant, client }))) return false;
  if (decision.decision === 'allow') await models.clients.keep(client);
  // false where somebody else was faster, which the page that follows says
  if (!(await models.grants.decideDeviceCode(grant.grantId, { ...decision, userId }, new Date())))
    return true;
  const scopes = decision.decision === 'allow' ? decision.scopes : grant.authorization.scopes;
  const facts = { clientId: grant.clientId, userId, grantId: grant.grantId, scopes };
  events.emit(decision.decision === 'allow' ? 'consent.given' : 'consent.denied', facts, req);
  return true;
}

function shownOf({ grant, client }: Pick<WaitingDevice, 'grant' | 'client'>): Shown {
  const { scopes, resources = [] } = grant.authorization;
  return { client, scopes, resources };
}

/** Shows what waits behind a code, to be decided on. */
function ask(
  { renderConsent }: Context,
  { req, res }: { readonly req: Request; readonly res: Response },
  device: WaitingDevice,
  { userCode, isOutOfDate = false }: { readonly userCode: UserCode; readonly isOutOfDate?: boolean },
): Promise<void> {
  return renderConsent(req, res, {
    ...shownOf(device),
    remembered: [],
    userCode: userCode.text,
    ...(isOutOfDate && { notice: 'consent.outOfDate', status: 403 }),
  });
}

async function findDevice(
  { userCodes, grants, clients }: Stores,
  userCode: UserCode,
): Promise<WaitingDevice | null> {
  const grantId = await userCodes.findGrantId(userCode.hash);
  const grant = grantId === null ? null : await grants.find(grantId);
  const device = grant?.device;
  if (!grant || device === undefined || grant.revokedAt !== undefined || device.expiresAt <= new Date())
    return null;
  const client = await clients.find(grant.clientId);
  return client === null ? null : { grant, device, client };
}

/** What waits behind a code that the person has sent, or what the person has decided on it. */
async function showRequest(context: Context, req: Request, res: Response): Promise<void> {
  const { models, settings, pages } = context;
  const userCode = codeOf(req);
  const userId = userIdOf(settings, req);
  if (userCode === null || !isAcceptedCode(req, { codeHash: userCode.hash, userId }))
    return res.redirect(303, pages.pathOf(userCode));
  const found = await findDevice(models, userCode);
  const decision = found?.device.decision;
  if (found !== null && decision === undefined) return ask(context, { req, res }, found, { userCode });
  const isOwn = found?.grant.authorization.userId === userId;
  if (decision !== undefined && isOwn) return pages.done(req, res, decision);
  await pages.code(req, res, { userCode: userCode.text, problem: 'device.wrongCode', status: 422 });
}

export const device: Endpoint = {
  name: 'device',
  create(server) {
    const { settings, rendering } = server;
    return createDevicePage({
      ...server,
      ...rendering,
      renderConsent: createRenderConsent({ settings, ...rendering }),
    });
  },
};
