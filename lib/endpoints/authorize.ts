import { Router, type Request, type Response } from 'express';
import { OAuthError } from '../errors.js';
import { emitFor, type OAuthEvents } from '../events.js';
import { hasCsrfToken } from '../http/csrf.js';
import { formBody } from '../http/form-body.js';
import { handle } from '../http/handle.js';
import { refuseOtherMethods } from '../http/methods.js';
import { queryOf } from '../http/query.js';
import type { Report } from '../http/report.js';
import { resourceOwnerOf } from '../http/resource-owner.js';
import { secureTransport } from '../http/secure-transport.js';
import type { Models } from '../models/index.js';
import type { RenderConsent } from '../pages/consent-page.js';
import type { RenderError } from '../pages/error-page.js';
import type { MessageKey } from '../pages/messages/index.js';
import { pageErrors } from '../pages/page-errors.js';
import { errorModeOf, findState, parseAuthorizationRequest, parseTarget, type AuthorizationRequest, type RequestRules } from '../protocol/authorization-request.js';
import { formatForm, parseForm, type Form } from '../protocol/parameters.js';
import { buildRedirect, isRedirectUriProven } from '../protocol/redirect-uri.js';
import { toConsent } from '../protocol/resource.js';
import { isSubset } from '../protocol/scope.js';
import type { Settings } from '../settings.js';

export interface AuthorizeEndpointDependencies {
  readonly settings: Settings;
  readonly models: Models;
  readonly rules: RequestRules;
  readonly renderConsent: RenderConsent;
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
  | { readonly kind: 'login' }
  | { readonly kind: 'consent'; readonly request: AuthorizationRequest; readonly notice?: MessageKey }
  | { readonly kind: 'respond'; readonly parameters: Readonly<Record<string, string>> };

/** Longer requests would not fit into the URL of the login page, nor their answer into that of the client. */
const MAX_REQUEST_LENGTH = 6144;

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
  router.get('/', handle((req, res) => answer(dependencies, { req, res, form: queryOf(req) })));
  // RFC 6749 §3.1: MAY support POST as well; the consent page posts here too, with the request in one field
  router.post('/', ...formBody(), handle(async (req, res) => {
    const form = req.body as Form;
    const { authorization_request: pending } = form;
    if (pending === undefined) return answer(dependencies, { req, res, form });
    if (typeof pending !== 'string') throw new OAuthError('invalid_request', 'the form is malformed');
    return answer(dependencies, { req, res, form: parseForm(pending), decision: form });
  }));
  router.all('/', refuseOtherMethods('GET', 'POST'));
  router.use(pageErrors({ endpoint: 'authorize', report, renderError, sender: 'client' }));
  return router;
}

async function answer(dependencies: AuthorizeEndpointDependencies, exchange: Exchange): Promise<void> {
  const { models, settings, renderConsent } = dependencies;
  const { req, res, form } = exchange;
  const authorizationRequest = formatForm(form);
  if (authorizationRequest.length > MAX_REQUEST_LENGTH) throw new OAuthError('invalid_request', 'the authorization request is too long', { status: 414 });
  const target = await parseTarget(form, (id) => models.clients.find(id));
  const step = await findStep(dependencies, exchange, () => parseAuthorizationRequest(target, form, dependencies.rules));
  if (step.kind === 'login') return redirect(exchange, loginUrl(settings, authorizationRequest));
  if (step.kind === 'consent') {
    return renderConsent(req, res, { ...step.request, authorizationRequest, ...(step.notice !== undefined && { notice: step.notice, status: 403 }) });
  }
  // RFC 6749 §4.1.2: the exact state; RFC 9207 §2: iss in every response, errors included
  const parameters = { ...step.parameters, state: findState(form), iss: settings.issuer };
  redirect(exchange, buildRedirect(target.redirectUri, errorModeOf(form, dependencies.rules.responseTypes), parameters));
}

/** The next step, or the error response where the request is wrong or something fails (RFC 6749 §4.1.2.1). */
async function findStep(dependencies: AuthorizeEndpointDependencies, exchange: Exchange, parse: () => AuthorizationRequest): Promise<Step> {
  const { req, res } = exchange;
  const person = resourceOwnerOf(req);
  try {
    const request = parse();
    if (person === undefined) return { kind: 'login' };
    const userId = dependencies.settings.userId(person);
    return exchange.decision === undefined ? await askOrRespond(dependencies, request, { req, userId }) : await decide(dependencies, request, { req, form: exchange.decision, userId });
  } catch (thrown) {
    const { error } = dependencies.report(thrown, { endpoint: 'authorize', req, res });
    return { kind: 'respond', parameters: { error: error.error, error_description: error.description } };
  }
}

async function askOrRespond(dependencies: AuthorizeEndpointDependencies, request: AuthorizationRequest, { req, userId }: { req: Request; userId: string }): Promise<Step> {
  const { client } = request;
  if (!isClientProven(request)) return { kind: 'consent', request };
  if (!client.trusted && !(await isConsentRemembered(dependencies, request, userId))) return { kind: 'consent', request };
  return { kind: 'respond', parameters: await request.responseType.issue({ ...request, userId, emit: emitFor(dependencies.events, req) }) };
}

/**
 * Whether only that client can use the answer: it authenticates, or TLS proves who takes the answer. Any program on the
 * device can be at a loopback port or a private-use scheme, and so does not get one without the person, trusted or not.
 *
 * @see RFC 6749 §10.2, RFC 8252 §8.6
 */
function isClientProven({ client, redirectUri, responseType }: AuthorizationRequest): boolean {
  return isRedirectUriProven(redirectUri) || (client.type === 'confidential' && responseType.authenticatesClient);
}

async function isConsentRemembered({ models }: AuthorizeEndpointDependencies, { client, scopes, resources }: AuthorizationRequest, userId: string): Promise<boolean> {
  const remembered = await models.consents.findScopes(userId, client._id);
  return remembered !== null && isSubset(toConsent(scopes, resources), remembered);
}

async function decide({ models, events }: AuthorizeEndpointDependencies, request: AuthorizationRequest, { req, form, userId }: { req: Request; form: Form; userId: string }): Promise<Step> {
  if (!hasCsrfToken(req)) return { kind: 'consent', request, notice: 'consent.outOfDate' };
  if (form.decision !== 'allow' && form.decision !== 'deny') return { kind: 'consent', request, notice: 'consent.undecided' };
  const emit = emitFor(events, req);
  const facts = { clientId: request.client._id, userId };
  const ticked = [form.granted_scope ?? []].flat();
  const scopes = request.scopes.filter((scope) => ticked.includes(scope));
  if (form.decision === 'deny' || (scopes.length === 0 && request.scopes.length > 0)) {
    emit('consent.denied', { ...facts, scopes: request.scopes });
    throw new OAuthError('access_denied', 'the resource owner denied the request');
  }
  await models.consents.remember(userId, request.client._id, toConsent(scopes, request.resources));
  emit('consent.given', { ...facts, scopes });
  return { kind: 'respond', parameters: await request.responseType.issue({ ...request, userId, scopes, emit }) };
}

/** The host's login page, with the way back to this request (a path on this site) as a parameter. */
function loginUrl({ login, issuerPath, basePath }: Settings, authorizationRequest: string): string {
  const back = `${issuerPath}${basePath}/authorize?${authorizationRequest}`;
  return `${login.path}?${new URLSearchParams({ [login.returnParameter]: back }).toString()}`;
}

/** RFC 9700 §4.12: 303 after a form, so that no browser sends its fields on to the client. */
function redirect({ req, res }: Exchange, location: string): void {
  // not res.redirect: it would re-encode the client's URI
  res.status(req.method === 'POST' ? 303 : 302);
  res.set({ Location: location, 'Cache-Control': 'no-store', Pragma: 'no-cache', 'Referrer-Policy': 'no-referrer' }).end();
}
