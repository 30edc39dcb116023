import { type Request, type Response, Router } from 'express';

import {
  type AuthorizationRequest,
  formatName,
  isRefused,
  type RefusedRequest,
  type RequestRules,
  resolveRequest,
} from '../authorization/authorization-request.js';
import { readDecision } from '../authorization/decision.js';
import { ACCOUNT_PROMPTS } from '../authorization/prompt.js';
import { RESPONSE_MODES } from '../authorization/response-modes/index.js';
import { sendOn } from '../authorization/response-modes/response-mode.js';
import { REQUEST_SOURCES } from '../authorization/sources/index.js';
import { OAuthError } from '../errors.js';
import { hasCsrfToken } from '../http/csrf.js';
import { formBody } from '../http/form-body.js';
import { handle } from '../http/handle.js';
import { loginPath } from '../http/login-path.js';
import { refuseOtherMethods } from '../http/methods.js';
import { queryOf } from '../http/query.js';
import { resourceOwnerOf } from '../http/resource-owner.js';
import { secureTransport } from '../http/secure-transport.js';
import type { MessageKey } from '../messages/index.js';
import type { Stores } from '../models/stores.js';
import { emitFor, type OAuthEvents } from '../observability/events.js';
import type { Report } from '../observability/report.js';
import { createRenderAccount, type RenderAccount } from '../pages/account/account-page.js';
import { createRenderConsent, type RenderConsent } from '../pages/consent/consent-page.js';
import { type Form, parseForm } from '../protocol/parameters.js';
import { isRedirectUriProven } from '../protocol/redirect-uri.js';
import { fromConsent, toConsent } from '../protocol/resource.js';
import { isSubset } from '../protocol/scope.js';
import type { RenderError } from '../rendering/error-page.js';
import { pageErrors } from '../rendering/page-errors.js';
import type { Endpoint } from '../server/endpoint.js';
import { pathOf } from '../settings/endpoint-urls.js';
import type { Settings } from '../settings/settings.js';
import { chooseAccount, isAccountForm } from './account-choice.js';

export interface AuthorizeEndpointDependencies {
  readonly settings: Settings;
  readonly models: Stores;
  readonly rules: RequestRules;
  readonly renderConsent: RenderConsent;
  readonly renderAccount: RenderAccount;
  readonly renderError: RenderError;
  readonly report: Report;
  readonly events: OAuthEvents;
}

/** An authorization request on its way, and the form of the consent page where that was sent. */
interface Exchange {
  readonly req: Request;
  readonly res: Response;
  readonly form: Form;
  readonly decision?: Form;
}

/** What comes next for a request whose client and redirect URI are right. */
type Step =
  | { readonly kind: 'login'; readonly request: AuthorizationRequest }
  | {
      readonly kind: 'account';
      readonly request: AuthorizationRequest;
      readonly isLoginAsked: boolean;
      readonly notice?: MessageKey;
    }
  | {
      readonly kind: 'consent';
      readonly request: AuthorizationRequest;
      readonly remembered: readonly string[];
      readonly notice?: MessageKey;
    }
  | { readonly kind: 'respond'; readonly parameters: Readonly<Record<string, string>> };

/** A longer list of languages is nobody's, and would be in the address twice. */
const MAX_UI_LOCALES_LENGTH = 200;

/**
 * The authorization endpoint. Stage one checks client and redirect URI (an error is a page), stage two all else (an
 * error goes back to the client). Nothing is stored before the person has decided.
 *
 * @see RFC 6749 §3.1, §4.1.1, §4.1.2, §4.2, RFC 9207
 */
export function createAuthorizeEndpoint(dependencies: AuthorizeEndpointDependencies): Router {
  const { settings, renderError, report } = dependencies;

  const router = Router();
  router.use(secureTransport(settings));
  // Express would take HEAD for GET, and so hand out codes to link checkers
  router.head('/', refuseOtherMethods('GET', 'POST'));
  router.get(
    '/',
    handle((req, res) => answer(dependencies, { req, res, form: queryOf(req) })),
  );
  // RFC 6749 §3.1: MAY support POST as well; the consent page posts here too, with the request in one field
  router.post(
    '/',
    ...formBody(),
    handle(async (req, res) => {
      const form = req.body as Form;
      const { authorization_request: pending } = form;
      if (pending === undefined) return answer(dependencies, { req, res, form });
      if (typeof pending !== 'string') throw new OAuthError('invalid_request', 'the form is malformed');
      return answer(dependencies, { req, res, form: parseForm(pending), decision: form });
    }),
  );
  router.all('/', refuseOtherMethods('GET', 'POST'));
  router.use(pageErrors({ endpoint: 'authorize', report, renderError, sender: 'client' }));
  return router;
}

async function answer(dependencies: AuthorizeEndpointDependencies, exchange: Exchange): Promise<void> {
  const { settings } = dependencies;
  const request = await resolveRequest(exchange.form, dependencies.rules);
  const step = await findStep(dependencies, exchange, request);
  if (step.kind === 'login') return sendOn(exchange.res, pathToLogin(settings, step.request));
  if (step.kind === 'account' || step.kind === 'consent') return ask(dependencies, exchange, step);
  // RFC 6749 §4.1.2: the exact state; RFC 9207 §2: iss in every response, errors included
  const parameters = { ...step.parameters, state: request.state, iss: settings.issuer };
  request.responseMode.respond(exchange.res, request.redirectUri, parameters);
}

/** Shows the page that the step asks for; where an answer to it did not count, with the reason. */
function ask(
  { renderAccount, renderConsent }: AuthorizeEndpointDependencies,
  { req, res }: Exchange,
  step: Extract<Step, { kind: 'account' | 'consent' }>,
): Promise<void> {
  const again = step.notice !== undefined && { notice: step.notice, status: 403 };
  if (step.kind === 'account')
    return renderAccount(req, res, {
      ...step.request,
      isLoginAsked: step.isLoginAsked,
      authorizationRequest: formatName(step.request),
      ...again,
    });
  // who is shown this page has chosen the account already
  return renderConsent(req, res, {
    ...step.request,
    remembered: step.remembered,
    authorizationRequest: formatName(step.request, ACCOUNT_PROMPTS),
    ...again,
  });
}

/** The next step, or the error response where the request is wrong or something fails (RFC 6749 §4.1.2.1). */
async function findStep(
  dependencies: AuthorizeEndpointDependencies,
  exchange: Exchange,
  request: AuthorizationRequest | RefusedRequest,
): Promise<Step> {
  const { req, res } = exchange;
  const person = resourceOwnerOf(req);
  try {
    if (isRefused(request)) throw request.refusal;
    if (person === undefined) return logIn(request);
    const userId = dependencies.settings.userId(person);
    if (exchange.decision === undefined)
      return findAccountStep(request) ?? (await askOrRespond(dependencies, request, { req, userId }));
    if (isAccountForm(exchange.decision))
      return await goOnWithAccount(dependencies, request, { req, form: exchange.decision, userId });
    return await decide(dependencies, request, { req, form: exchange.decision, userId });
  } catch (thrown) {
    const { error } = dependencies.report(thrown, { endpoint: 'authorize', req, res });
    return { kind: 'respond', parameters: { error: error.error, error_description: error.description } };
  }
}

/** @throws OAuthError login_required where the client does not want the person to be asked (OpenID Connect Core §3.1.2.6) */
function logIn(request: AuthorizationRequest): Step {
  if (request.prompt.has('none')) throw new OAuthError('login_required', 'nobody is logged in');
  return { kind: 'login', request };
}

/** The page on which the person chooses an account or logs in again, where the client asks for that. */
function findAccountStep(request: AuthorizationRequest, notice?: MessageKey): Step | undefined {
  if (!ACCOUNT_PROMPTS.some((prompt) => request.prompt.has(prompt))) return undefined;
  return { kind: 'account', request, isLoginAsked: request.prompt.has('login'), ...(notice && { notice }) };
}

/** "Not you?" on the consent page comes here, too, whose form has no account prompt left in its request. */
async function goOnWithAccount(
  dependencies: AuthorizeEndpointDependencies,
  request: AuthorizationRequest,
  { req, form, userId }: { req: Request; form: Form; userId: string },
): Promise<Step> {
  const choice = await chooseAccount(req, form, request.prompt);
  if (choice.kind === 'switch') return { kind: 'login', request };
  if (choice.kind === 'continue') return askOrRespond(dependencies, request, { req, userId });
  return (
    findAccountStep(request, choice.notice) ??
    askAgain(dependencies, request, { userId, notice: 'consent.outOfDate' })
  );
}

async function askOrRespond(
  { models, events }: AuthorizeEndpointDependencies,
  request: AuthorizationRequest,
  { req, userId }: { req: Request; userId: string },
): Promise<Step> {
  const { client, scopes, resources } = request;
  const respond = async (): Promise<Step> => ({
    kind: 'respond',
    parameters: await request.responseType.issue({
      ...request,
      userId,
      now: new Date(),
      emit: emitFor(events, req),
    }),
  });
  const isAsked = request.prompt.has('consent') || !isClientProven(request);
  if (!isAsked && client.trusted) return respond();
  const remembered = await models.consents.findScopes(userId, client.clientId);
  if (!isAsked && remembered !== null && isSubset(toConsent(scopes, resources), remembered)) return respond();
  if (request.prompt.has('none'))
    throw new OAuthError('consent_required', 'the resource owner has to be asked');
  return { kind: 'consent', request, remembered: fromConsent(remembered ?? [], resources) };
}

async function askAgain(
  { models }: AuthorizeEndpointDependencies,
  request: AuthorizationRequest,
  { userId, notice }: { userId: string; notice: MessageKey },
): Promise<Step> {
  return {
    kind: 'consent',
    request,
    remembered: fromConsent(
      (await models.consents.findScopes(userId, request.client.clientId)) ?? [],
      request.resources,
    ),
    notice,
  };
}

/**
 * Whether only that client can use the answer: it authenticates, or TLS proves who takes the answer. Any program on the
 * device can be at a loopback port or a private-use scheme, and so does not get one without the person, trusted or not.
 *
 * @see RFC 6749 §10.2, RFC 8252 §8.6
 */
function isClientProven({ client, redirectUri, responseType }: AuthorizationRequest): boolean {
  return (
    isRedirectUriProven(redirectUri) || (client.type === 'confidential' && responseType.authenticatesClient)
  );
}

async function decide(
  dependencies: AuthorizeEndpointDependencies,
  request: AuthorizationRequest,
  { req, form, userId }: { req: Request; form: Form; userId: string },
): Promise<Step> {
  const { models, settings, events } = dependencies;
  if (!hasCsrfToken(req)) return askAgain(dependencies, request, { userId, notice: 'consent.outOfDate' });
  const decided = readDecision(form, request.scopes, settings);
  if (decided === undefined) return askAgain(dependencies, request, { userId, notice: 'consent.undecided' });
  const { decision, scopes } = decided;
  const emit = emitFor(events, req);
  const facts = { clientId: request.client.clientId, userId };
  if (decision === 'deny') {
    emit('consent.denied', { ...facts, scopes: request.scopes });
    throw new OAuthError('access_denied', 'the resource owner denied the request');
  }
  await models.consents.remember(userId, request.client.clientId, toConsent(scopes, request.resources));
  emit('consent.given', { ...facts, scopes });
  return {
    kind: 'respond',
    parameters: await request.responseType.issue({ ...request, userId, scopes, now: new Date(), emit }),
  };
}

/** The host's login page, with the way back to this request and what may help the person there. */
function pathToLogin(settings: Settings, request: AuthorizationRequest): string {
  // who comes back from there has just chosen an account and logged in
  const back = `${pathOf(settings, 'authorize')}?${formatName(request, ACCOUNT_PROMPTS)}`;
  const uiLocales = request.uiLocales.join(' ');
  return loginPath(settings, back, {
    ...(request.loginHint !== undefined && { login_hint: request.loginHint }),
    ...(uiLocales !== '' && uiLocales.length <= MAX_UI_LOCALES_LENGTH && { ui_locales: uiLocales }),
  });
}

export const authorize: Endpoint = {
  name: 'authorize',
  create(server) {
    const { settings, models, responseTypes, resolveScopes, rendering } = server;
    const { pkce, resources } = settings;
    return createAuthorizeEndpoint({
      ...server,
      rules: {
        sources: REQUEST_SOURCES,
        findClient: (id) => models.clients.find(id),
        responseTypes,
        responseModes: RESPONSE_MODES,
        pkce,
        resources,
        resolveScopes,
      },
      renderConsent: createRenderConsent({ settings, ...rendering }),
      renderAccount: createRenderAccount({ settings, ...rendering }),
      renderError: rendering.renderError,
    });
  },
  metadata: ({ responseTypes }, url) => ({
    ...(responseTypes.size > 0 && { authorization_endpoint: url }),
    code_challenge_methods_supported: ['S256'],
    // RFC 9207 §3
    authorization_response_iss_parameter_supported: true,
  }),
};
