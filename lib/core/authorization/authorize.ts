import type { Settings } from '../../settings/settings.js';
import { OAuthError } from '../../shared/errors.js';
import type { Form } from '../../shared/protocol/parameters.js';
import { constraintsFrom, type GrantConstraints } from '../authorization-details/selections.js';
import { mayRedirectTo } from '../clients/may-redirect-to.js';
import { refuseUnapproved } from '../clients/status/pending-client.js';
import type { ConsentStore } from '../grants/consent-store.js';
import type { Policy } from '../grants/policy.js';
import type { RenderFormPost } from '../http/form-post.js';
import type { RequestContext } from '../http/handle.js';
import type { RenderError } from '../http/page-error.js';
import { redirect, seeOther } from '../http/redirect.js';
import { emitFor, type OAuthEvents } from '../observability/events.js';
import type { Report, ReportedError } from '../observability/report.js';
import { resourceOwnerOf } from '../sessions/resource-owner.js';
import type { ResolvedRequest } from './authorization-request.js';
import { narrowScopesAndClaims } from './claim-scopes.js';
import { consentClientOf } from './consent-client.js';
import { consentDigest } from './consent-digest.js';
import type {
  AuthenticatedContext,
  Interaction,
  InteractionContext,
  InteractionResult,
  RenderPrompt,
  ToLogin,
} from './interaction.js';
import { findFirstPage, isAuthenticated, requireFirstPage, submitForm } from './interactions.js';
import type { LoginPolicy } from './login-policy.js';
import { scopesForTokens } from './openid-request.js';
import {
  consumeDecision,
  type FinalDecision,
  hasDecisions,
  isProblem,
  saveDecision,
} from './pending-decisions.js';
import { hasOnlyStrings, readPendingRequest } from './pending-request.js';
import type { FindPriorConsent } from './prior-consent.js';
import type { RefusalEvents } from './refusal-events.js';
import { resolveOrDefer } from './resolve-request.js';
import type { ResponseParameters } from './response-modes/response-mode.js';
import type { AuthorizedRequest } from './response-types/response-type.js';
import { pathTo, serializeRequest } from './serialize-request.js';
import { storeConsent } from './store-consent.js';
import { type FindVisitor, loggedInUserId } from './visitor.js';

/*
 * The authorization endpoint, in the order in which a request passes: `resolve-request.ts` reads and checks it,
 * `visitor.ts` finds who is logged in, `interactions.ts` asks which page comes first (the pages are in `lib/pages`),
 * `pending-decisions.ts` carries a decision from the POST to the GET, `prior-consent.ts` and `store-consent.ts` know
 * earlier decisions, a response type issues the response and a response mode sends it.
 */

export interface AuthorizeDependencies {
  readonly settings: Pick<
    Settings,
    | 'issuer'
    | 'issuerPath'
    | 'basePath'
    | 'advanced'
    | 'people'
    | 'pages'
    | 'scopes'
    | 'impliedScopes'
    | 'openid'
    | 'authorizationDetails'
    | 'choices'
  >;
  readonly refusalEvents: RefusalEvents;
  readonly interactions: readonly Interaction[];
  readonly policy: Pick<Policy, 'authorize'>;
  readonly toLogin: ToLogin;
  readonly renderError: RenderError;
  readonly renderFormPost: RenderFormPost;
  readonly consents: Pick<ConsentStore, 'findOfUser' | 'remember' | 'withdraw'>;
  readonly findPriorConsent: FindPriorConsent;
  readonly findVisitor: FindVisitor;
  readonly loginPolicy: LoginPolicy;
  readonly events: OAuthEvents;
  readonly report: Report;
}

/** A page that the user has to see, or the response to the client, which may be an error. */
type NextStep =
  | { readonly kind: 'page'; readonly render: RenderPrompt }
  | {
      readonly kind: 'response';
      readonly parameters: ResponseParameters;
      readonly reported?: ReportedError;
    };

/**
 * Answers GET /authorize: with the first page that the user has to see, or by sending them on to the client.
 *
 * @throws OAuthError which is shown to the user (RFC 6749 §4.1.2.1)
 */
export async function handleGet(
  dependencies: AuthorizeDependencies,
  { query, ...context }: RequestContext & { readonly query: Form },
): Promise<void> {
  const { req, res } = context;
  const { settings, refusalEvents, toLogin } = dependencies;
  const request = await resolveOrDefer(query, refusalEvents.trackedDependencies(req), context.now);
  // RFC 9101 §10.4.1: nothing is fetched for a visitor who is not logged in
  if (request.kind === 'deferred') return toLogin({ req, res, request });
  // RFC 9700 §4.11.2: MUST always authenticate the user first, before errors as well
  if (request.kind === 'refused' && !request.isSilent && resourceOwnerOf(settings, req) === undefined)
    return toLogin({ req, res, request });
  await checkApproval(dependencies, context, request);
  const next = await findNextStep(dependencies, context, request);
  if (next.kind === 'page') return next.render();
  await sendResponse(dependencies, { context, request }, next);
}

/**
 * Refuses clients that nobody has approved with a page, not a redirect: nobody has checked where it would lead (RFC
 * 9700 §4.11.2). Users who still have to log in see that page after the login.
 *
 * @throws PendingClient
 */
async function checkApproval(
  { findVisitor }: AuthorizeDependencies,
  context: RequestContext,
  request: ResolvedRequest,
): Promise<void> {
  const { client, isSilent } = request;
  // visitors of all other clients are looked up later, where an error is a response (RFC 6749 §4.1.2.1)
  if (client.awaitsApprovalSince === undefined) return;
  const { userId } = await findVisitor(context, request);
  if (userId !== undefined || isSilent) refuseUnapproved(client, userId);
}

/** The next step. Whatever is wrong with the request, or fails, becomes an error response (RFC 6749 §4.1.2.1). */
async function findNextStep(
  dependencies: AuthorizeDependencies,
  context: RequestContext,
  request: ResolvedRequest,
): Promise<NextStep> {
  try {
    if (request.kind === 'refused') throw request.error;
    const visitor = await dependencies.findVisitor(context, request);
    return await advance(dependencies, await applyPolicy(dependencies, { ...context, request, ...visitor }));
  } catch (thrown) {
    const { req, res } = context;
    const reported = dependencies.report(thrown, { endpoint: 'authorize', req, res });
    const { error, description } = reported.error;
    dependencies.refusalEvents.emit(reported.error, req);
    return { kind: 'response', parameters: { error, error_description: description }, reported };
  }
}

/**
 * Goes on with a valid request: by the form that the user has just sent, or else by what they have to do first, or
 * else by their prior consent.
 *
 * @throws OAuthError
 */
async function advance(
  dependencies: AuthorizeDependencies,
  interaction: InteractionContext,
): Promise<NextStep> {
  const { interactions } = dependencies;
  if (!isAuthenticated(interaction))
    return { kind: 'page', render: await requireFirstPage(interactions, interaction) };
  const { req, now } = interaction;
  const submitted = hasDecisions(req) ? consumeDecision(req, keyOf(interaction), now) : undefined;
  if (submitted === undefined) {
    const page = await findFirstPage(interactions, interaction);
    if (page !== undefined) return { kind: 'page', render: page };
    return { kind: 'response', parameters: await issueByPriorConsent(dependencies, interaction) };
  }
  if (isProblem(submitted)) {
    const page = await requireFirstPage(interactions, { ...interaction, isPromptRepeated: true });
    return { kind: 'page', render: () => page(submitted) };
  }
  return { kind: 'response', parameters: await issueByDecision(dependencies, interaction, submitted) };
}

/**
 * Narrows the request to what the site's rules (`policy.onAuthorize`) let this user be asked for.
 *
 * @throws OAuthError access_denied
 */
async function applyPolicy(
  { policy, settings }: Pick<AuthorizeDependencies, 'policy' | 'settings'>,
  interaction: InteractionContext,
): Promise<InteractionContext> {
  const { req, request, userId, now } = interaction;
  if (userId === undefined) return interaction;
  const { client, resources, authorizationDetails, responseType } = request;
  const { grantType } = responseType;
  const requested = { client, userId, resources, authorizationDetails, grantType, now };
  const scopes = await narrowScopesAndClaims(request, settings, (each) =>
    policy.authorize({ ...requested, scopes: each }, req),
  );
  return scopes === request.scopes ? interaction : { ...interaction, request: { ...request, scopes } };
}

/** Issues what the user has consented to before. @throws OAuthError */
async function issueByPriorConsent(
  dependencies: AuthorizeDependencies,
  interaction: AuthenticatedContext,
): Promise<ResponseParameters> {
  const { scopes, responseType } = interaction.request;
  const prior = await dependencies.findPriorConsent(interaction);
  if (prior.kind === 'insufficient') throw new Error('no interaction asks for the consent that is missing');
  const { constraints } = prior;
  return responseType.issue(await authorizedRequest(dependencies, interaction, { scopes, constraints }));
}

/**
 * Does what the user has just decided.
 *
 * @throws OAuthError access_denied unless they allow it
 */
async function issueByDecision(
  dependencies: AuthorizeDependencies,
  interaction: AuthenticatedContext,
  decision: FinalDecision,
): Promise<ResponseParameters> {
  const { settings } = dependencies;
  const { request, userId, now } = interaction;
  const { client, responseType } = request;
  const { scopes } = decision;
  const isAllowed = decision.decision === 'allow';
  const constraints = isAllowed ? constraintsFrom(request, decision, { settings, now }) : {};
  const authorized = await authorizedRequest(dependencies, interaction, { scopes, constraints });
  const { emit } = authorized;
  const ids = { clientId: client.clientId, userId };
  if (decision.decision === 'deny') emit('consent.denied', { ...ids, scopes: request.scopes });
  const store = () =>
    storeConsent(dependencies.consents, { request, userId, now, constraints }, decision, settings);
  if (!isAllowed) {
    await store();
    throw new OAuthError('access_denied', 'the resource owner denied the request', {
      reason: 'denied_by_user',
    });
  }
  const stored = emit('consent.given', { ...ids, scopes });
  // The first grant of a client that describes itself stores the client, and deletes consents to an earlier client with
  // its id: this consent is stored after that. For all others nothing is issued if the consent cannot be stored.
  const isNewClient = client.document?.isUnstored === true;
  if (!isNewClient) await store();
  const parameters = await responseType.issue(authorized);
  if (isNewClient) await store();
  await stored;
  return parameters;
}

/**
 * Uses the request up, and gives what a response is issued for.
 *
 * @throws OAuthError if the login does not meet the request, or the request has been used
 */
async function authorizedRequest(
  { events, loginPolicy }: Pick<AuthorizeDependencies, 'events' | 'loginPolicy'>,
  interaction: AuthenticatedContext,
  { scopes, constraints }: { readonly scopes: readonly string[]; readonly constraints: GrantConstraints },
): Promise<AuthorizedRequest> {
  const { req, request, userId, now } = interaction;
  const { openid, authentication } = loginPolicy.record(interaction, scopes);
  await request.unchecked.useUp?.();
  return {
    client: request.client,
    userId,
    scopes: scopesForTokens(scopes),
    resources: request.resources,
    authorizationDetails: constraints.authorizationDetails ?? request.authorizationDetails,
    choices: constraints.choices,
    endsAt: constraints.endsAt,
    openid,
    authentication,
    redirectUri: request.redirectUri,
    isRedirectUriRequested: request.isRedirectUriRequested,
    codeChallenge: request.codeChallenge,
    jkt: request.jkt,
    now,
    emit: emitFor(events, req),
  };
}

/** Sends a response to the client, or shows an error with a link to a client that this site does not know. */
async function sendResponse(
  { settings, loginPolicy, renderError, renderFormPost }: AuthorizeDependencies,
  { context, request }: { readonly context: RequestContext; readonly request: ResolvedRequest },
  { parameters, reported }: Extract<NextStep, { kind: 'response' }>,
): Promise<void> {
  const { req, res, now } = context;
  const { client, responseMode, redirectUri, state, uiLocales } = request;
  const extraParameters =
    request.kind === 'refused' ? {} : loginPolicy.extraResponseParameters?.({ req, res, request });
  // RFC 6749 §4.1.2: the exact state; RFC 9207 §2: iss in every response, errors included
  const all = { ...parameters, ...extraParameters, state, iss: settings.issuer };
  const response = await responseMode.write(all, { ...request, now });
  // `isUnprompted: false` also for silent requests, which RFC 9700 §4.11.2 excepts: only
  // `pages.linkToUnverifiedClients`, or a block, shows them the page
  if (reported !== undefined && !mayRedirectTo(client, { pages: settings.pages, isUnprompted: false }))
    // RFC 9700 §4.11.2: the user decides whether to go to a client that this site does not know
    return renderError(req, res, { ...reported, uiLocales, client: { ...response, redirectUri } });
  const { address, fields } = response;
  if (fields === undefined) return redirect(res, 302, address);
  await renderFormPost(req, res, { address, fields, clientName: client.name, uiLocales });
}

/**
 * Answers POST /authorize: a form of one of our pages, or the request itself (RFC 6749 §3.1: MAY support the use of
 * POST as well). It never sends users on to a client. It redirects to GET /authorize, once the decision is in the
 * session, or shows the page of the form again.
 *
 * @throws OAuthError which is shown to the user
 */
export async function handlePost(
  dependencies: AuthorizeDependencies,
  { form, ...context }: RequestContext & { readonly form: Form },
): Promise<void> {
  const { req, res, now } = context;
  const { settings, refusalEvents } = dependencies;
  const query = readPendingRequest(form);
  const request = await resolveOrDefer(query ?? form, refusalEvents.trackedDependencies(req), now);
  // our GET sends the user to the login
  if (request.kind === 'deferred') return seeOther(res, pathTo(settings, request));
  await checkApproval(dependencies, context, request);
  // the redirect would drop what is no string and change the request
  if (query === undefined && request.kind === 'refused' && !hasOnlyStrings(form)) throw request.error;
  // our GET sends errors to the client, and no page of ours has a form for a silent request
  if (query === undefined || request.kind === 'refused' || request.isSilent)
    return seeOther(res, pathTo(settings, request));
  const interaction = { ...context, request, userId: loggedInUserId(settings, req) };
  const allowed = await applyPolicy(dependencies, interaction).catch((error: unknown) => {
    if (!(error instanceof OAuthError)) throw error;
    return undefined;
  });
  // our GET asks the policy again, and sends its error to the client
  if (allowed === undefined) return seeOther(res, pathTo(settings, request));
  await handleForm(dependencies, allowed, form);
}

async function handleForm(
  { settings, interactions }: AuthorizeDependencies,
  interaction: InteractionContext,
  form: Form,
): Promise<void> {
  const { req, res, request, now } = interaction;
  const result: InteractionResult = isAuthenticated(interaction)
    ? await submitForm(interactions, interaction, form)
    : { kind: 'restart' };
  switch (result.kind) {
    case 'decided':
      saveDecision(req, keyOf(interaction), result.decision, now);
      break;
    case 'rejected':
      saveDecision(req, keyOf(interaction), result.problem, now);
      break;
    case 'continue':
      return seeOther(res, pathTo(settings, request, result.completedPrompts));
    case 'restart': {
      const page = await findFirstPage(interactions, { ...interaction, userId: undefined });
      if (page !== undefined) return page();
      break;
    }
    // Another site may have sent the form, without the cookie (SameSite). Saving anything for our GET would need a new
    // session, which would replace the user's own. So the page is in this response. (RFC 6749 §10.12)
    case 'untrusted': {
      const page = await findFirstPage(interactions, { ...interaction, isPromptRepeated: true });
      if (page !== undefined) return page('outOfDate');
    }
  }
  seeOther(res, pathTo(settings, request));
}

function keyOf({ request, userId }: InteractionContext) {
  return {
    request: serializeRequest(request),
    userId: String(userId),
    digest: consentDigest({ ...request, client: consentClientOf(request.client) }),
  };
}
