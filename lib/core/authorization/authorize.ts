import type { Settings } from '../../settings/settings.js';
import { OAuthError } from '../../shared/errors.js';
import type { Form } from '../../shared/protocol/parameters.js';
import { constraintsFrom } from '../authorization-details/selections.js';
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
import type { AuthorizationRefusals } from './authorization-refusals.js';
import {
  type AuthorizationRequest,
  isRefused,
  type RefusedRequest,
  serializeReference,
  type WithReference,
} from './authorization-request.js';
import { askByScopes } from './claim-scopes.js';
import { consentClientOf } from './consent-client.js';
import { consentDigest } from './consent-digest.js';
import type { Hints } from './hints.js';
import type {
  AuthenticatedContext,
  Interaction,
  InteractionContext,
  InteractionResult,
  RenderPrompt,
} from './interaction.js';
import { findFirstPage, submitForm } from './interactions.js';
import type { Logins } from './logins.js';
import { scopesForTokens } from './openid-request.js';
import {
  consumeDecision,
  type DecisionOutcome,
  type FormProblem,
  hasDecisions,
  isProblem,
  saveDecision,
} from './pending-decisions.js';
import { hasOnlyStrings, readPendingRequest } from './pending-request.js';
import type { FindPriorConsent } from './prior-consent.js';
import { pathTo } from './request-path.js';
import { resolveOrRefer } from './resolve-or-refer.js';
import type { Delivery, ResponseParameters } from './response-modes/response-mode.js';
import { keepConsent } from './store-consent.js';
import type { FindVisitor } from './visitor.js';

export interface AuthorizeDependencies {
  readonly settings: Pick<
    Settings,
    | 'issuer'
    | 'issuerPath'
    | 'basePath'
    | 'paths'
    | 'userId'
    | 'isLoggedIn'
    | 'linkToUnverifiedClients'
    | 'scopes'
    | 'impliedScopes'
    | 'openid'
    | 'authorizationDetails'
    | 'choices'
  >;
  readonly refusals: AuthorizationRefusals;
  readonly interactions: readonly Interaction[];
  readonly policy: Pick<Policy, 'authorize'>;
  readonly toLogin: ToLogin;
  readonly renderError: RenderError;
  readonly renderFormPost: RenderFormPost;
  readonly consents: Pick<ConsentStore, 'findOfUser' | 'remember' | 'withdraw'>;
  /** What a request is granted without a question. */
  readonly findPriorConsent: FindPriorConsent;
  readonly findVisitor: FindVisitor;
  readonly logins: Logins;
  readonly events: OAuthEvents;
  readonly report: Report;
}

/** Sends somebody to the login, with the way back to a request. */
export type ToLogin = (
  interaction: Pick<InteractionContext, 'req' | 'res'> & { readonly request: Hints & WithReference },
) => void;

/** What comes next: a page, or the answer to the client, which may be an error. */
type AuthorizeOutcome =
  | { readonly page: RenderPrompt }
  | { readonly parameters: ResponseParameters; readonly reported?: ReportedError };

/**
 * Answers the GET of an authorization request: with the first page that the person has to see, or by sending them on to
 * the client.
 *
 * @param name of the request, as the query has it
 * @throws OAuthError which is shown to the person (RFC 6749 §4.1.2.1)
 */
export async function handleGet(
  dependencies: AuthorizeDependencies,
  { name, ...context }: RequestContext & { readonly name: Form },
): Promise<void> {
  const { req, res } = context;
  const request = await resolveOrRefer(name, dependencies.refusals.rulesFor(req), context.now);
  // RFC 9101 §10.4.1: nothing is fetched for somebody who may be anybody
  if (!('client' in request)) return dependencies.toLogin({ req, res, request });
  await handleResolvedGet(dependencies, context, request);
}

async function handleResolvedGet(
  dependencies: AuthorizeDependencies,
  context: RequestContext,
  request: AuthorizationRequest | RefusedRequest,
): Promise<void> {
  const { req, res } = context;
  // RFC 9700 §4.11.2: MUST always authenticate the user first, before errors as well
  if (isRefused(request) && !request.isSilent && resourceOwnerOf(dependencies.settings, req) === undefined)
    return dependencies.toLogin({ req, res, request });
  await checkApproval(dependencies, context, request);
  const step = await evaluate(dependencies, context, request);
  if ('page' in step) return step.page();
  const { responseMode, redirectUri, state } = request;
  const { settings, renderError, logins } = dependencies;
  // RFC 6749 §4.1.2: the exact state; RFC 9207 §2: iss in every response, errors included
  const extraParameters = isRefused(request) ? {} : logins.extraResponseParameters?.({ req, res, request });
  const parameters = { ...step.parameters, ...extraParameters, state, iss: settings.issuer };
  const delivery = await responseMode.write(parameters, { ...request, now: context.now });
  // a silent request is the exception of RFC 9700 §4.11.2: it is answered although nobody has done anything
  const cause = { ...settings, isUnprompted: false };
  if (step.reported === undefined || mayRedirectTo(request.client, cause))
    return deliver(dependencies, context, request, delivery);
  // RFC 9700 §4.11.2: the person decides whether to go to a client that this site does not know
  await renderError(req, res, {
    ...step.reported,
    uiLocales: request.uiLocales,
    client: { ...delivery, redirectUri },
  });
}

async function deliver(
  { renderFormPost }: AuthorizeDependencies,
  { req, res }: RequestContext,
  { client, uiLocales }: RefusedRequest | AuthorizationRequest,
  { address, fields }: Delivery,
): Promise<void> {
  if (fields === undefined) return redirect(res, 302, address);
  await renderFormPost(req, res, { address, fields, clientName: client.name, uiLocales });
}

/**
 * Refuses with a page, not a redirect: nobody has checked where it would lead (RFC 9700 §4.11.2). People who still have
 * to log in are told afterwards.
 *
 * @throws PendingClient
 */
async function checkApproval(
  { findVisitor }: AuthorizeDependencies,
  context: RequestContext,
  request: AuthorizationRequest | RefusedRequest,
): Promise<void> {
  const { client, isSilent } = request;
  // most are approved, and are told in an answer if something is wrong with the person (RFC 6749 §4.1.2.1)
  if (client.awaitsApprovalSince === undefined) return;
  const { userId } = await findVisitor(context, request);
  if (userId !== undefined || isSilent) refuseUnapproved(client, userId);
}

/** The next step, or the error response if the request is wrong or something fails (RFC 6749 §4.1.2.1). */
async function evaluate(
  dependencies: AuthorizeDependencies,
  context: RequestContext,
  request: AuthorizationRequest | RefusedRequest,
): Promise<AuthorizeOutcome> {
  const { interactions, report, findVisitor } = dependencies;
  const { req, res, now } = context;
  try {
    if (isRefused(request)) throw request.refusal;
    const visitor = await findVisitor(context, request);
    const interaction = await applyPolicy(dependencies, { ...context, request, ...visitor });
    const outcome =
      isPersons(interaction) && hasDecisions(req) ? consumeDecision(req, keyOf(interaction), now) : undefined;
    const page = await findPage(interactions, interaction, outcome);
    if (page !== undefined) return { page };
    if (!isPersons(interaction) || (outcome !== undefined && isProblem(outcome)))
      throw new Error('no interaction asks for what is needed');
    return { parameters: await issueAuthorizationResponse(dependencies, interaction, outcome) };
  } catch (thrown) {
    const reported = report(thrown, { endpoint: 'authorize', req, res });
    const { error, description } = reported.error;
    dependencies.refusals.emit(reported.error, req);
    return { parameters: { error, error_description: description }, reported };
  }
}

/**
 * Narrows the request to what the host's rules let this person be asked for.
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
  const scopes = await askByScopes(request, settings, (each) =>
    policy.authorize({ ...requested, scopes: each }, req),
  );
  return scopes === request.scopes ? interaction : { ...interaction, request: { ...request, scopes } };
}

/** The page that comes before the answer; undefined if nothing is left to ask. */
async function findPage(
  interactions: readonly Interaction[],
  interaction: InteractionContext,
  outcome: DecisionOutcome | FormProblem | undefined,
): Promise<RenderPrompt | undefined> {
  if (outcome === undefined) return findFirstPage(interactions, interaction);
  if (!isProblem(outcome)) return undefined;
  const page = await findFirstPage(interactions, { ...interaction, isPromptRepeated: true });
  return page && (() => page(outcome));
}

/**
 * Does what the person has decided, now or before, and returns the parameters of the response.
 *
 * @throws OAuthError access_denied if they do not allow it
 */
async function issueAuthorizationResponse(
  { consents, events, settings, findPriorConsent, logins }: AuthorizeDependencies,
  interaction: AuthenticatedContext,
  outcome: DecisionOutcome | undefined,
): Promise<ResponseParameters> {
  const { req, request, userId, now } = interaction;
  const { client, responseType } = request;
  const recorded = logins.record(interaction, outcome?.scopes ?? request.scopes);
  await request.reference.useUp?.();
  const emit = emitFor(events, req);
  const granted = scopesForTokens(outcome?.scopes ?? request.scopes);
  const answer = { ...request, ...recorded, userId, scopes: granted, now, emit };
  if (outcome === undefined) {
    const { bound } = await findPriorConsent(interaction);
    return responseType.issue({ ...answer, ...bound });
  }
  const data = { clientId: client.clientId, userId };
  const { decision, scopes } = outcome;
  if (decision === 'deny') emit('consent.denied', { ...data, scopes: request.scopes });
  const bound = decision === 'allow' ? constraintsFrom(request, outcome, { settings, now }) : {};
  const keep = () => keepConsent(consents, { request, userId, now, bound }, outcome, settings);
  if (decision !== 'allow') {
    await keep();
    throw new OAuthError('access_denied', 'the resource owner denied the request', {
      reason: 'denied_by_user',
    });
  }
  emit('consent.given', { ...data, scopes });
  return issueAndKeep(client, () => responseType.issue({ ...answer, ...bound }), keep);
}

/**
 * If the consent cannot be remembered, nothing is issued. The first grant of a client that describes itself stores that
 * client and forgets what another one with its id was allowed, so there the consent is remembered afterwards.
 */
async function issueAndKeep(
  { document }: AuthorizationRequest['client'],
  issue: () => Promise<ResponseParameters>,
  keep: () => Promise<void>,
): Promise<ResponseParameters> {
  const isFirst = document?.isUnstored === true;
  if (!isFirst) await keep();
  const parameters = await issue();
  if (isFirst) await keep();
  return parameters;
}

/**
 * Answers a POST, which never sends people on to a client: with a redirect to the GET of this endpoint, once what our
 * form says is kept, or with the page of that form again.
 *
 * @param form of one of our pages, or the request itself (RFC 6749 §3.1: MAY support the use of POST as well)
 * @throws OAuthError which is shown to the person
 */
export async function handlePost(
  dependencies: AuthorizeDependencies,
  { form, ...context }: RequestContext & { readonly form: Form },
): Promise<void> {
  const { req, res } = context;
  const { settings } = dependencies;
  const pending = readPendingRequest(form);
  const request = await resolveOrRefer(pending ?? form, dependencies.refusals.rulesFor(req), context.now);
  // our GET sends the person to the login
  if (!('client' in request)) return seeOther(res, pathTo(settings, request));
  await checkApproval(dependencies, context, request);
  await handleResolvedPost(dependencies, { ...context, form, pending }, request);
}

async function handleResolvedPost(
  dependencies: AuthorizeDependencies,
  { form, pending, ...context }: RequestContext & { readonly form: Form; readonly pending: Form | undefined },
  request: AuthorizationRequest | RefusedRequest,
): Promise<void> {
  const { req, res } = context;
  const { settings } = dependencies;
  // the redirect would drop it and change the request
  if (pending === undefined && isRefused(request) && !hasOnlyStrings(form)) throw request.refusal;
  // the client is told about these by our GET; requests with `prompt=none` show no page
  if (pending === undefined || isRefused(request) || request.prompt.has('none'))
    return seeOther(res, pathTo(settings, request));
  const person = resourceOwnerOf(settings, req);
  const interaction = { ...context, request, userId: person && settings.userId(person) };
  const allowed = await applyPolicy(dependencies, interaction).catch(() => undefined);
  // our GET tells the client what the host's rules have against it
  if (allowed === undefined) return seeOther(res, pathTo(settings, request));
  await handleDecision(dependencies, allowed, form);
}

async function handleDecision(
  { settings, interactions }: AuthorizeDependencies,
  interaction: InteractionContext,
  form: Form,
): Promise<void> {
  const answer: InteractionResult = isPersons(interaction)
    ? await submitForm(interactions, interaction, form)
    : { kind: 'restart' };
  const stored = answer.kind === 'decided' ? answer.outcome : answer.kind === 'again' && answer.problem;
  if (stored !== false) saveDecision(interaction.req, keyOf(interaction), stored, interaction.now);
  const page = await findPageAfter(answer, interactions, interaction);
  if (page !== undefined) return page(answer.kind === 'foreign' ? 'outOfDate' : undefined);
  seeOther(
    interaction.res,
    pathTo(settings, interaction.request, answer.kind === 'continue' ? answer.answered : []),
  );
}

/**
 * The page that is the answer to a form; undefined if the answer is a redirect to our GET. A form of another session is
 * answered here: another site may have sent it without the cookie (SameSite), and keeping something for a GET would
 * need a new session, which would replace the person's own. (RFC 6749 §10.12)
 */
function findPageAfter(
  { kind }: InteractionResult,
  interactions: readonly Interaction[],
  interaction: InteractionContext,
): Promise<RenderPrompt | undefined> | undefined {
  if (kind === 'foreign') return findFirstPage(interactions, { ...interaction, isPromptRepeated: true });
  return kind === 'restart' ? findFirstPage(interactions, { ...interaction, userId: undefined }) : undefined;
}

function isPersons(interaction: InteractionContext): interaction is AuthenticatedContext {
  return interaction.userId !== undefined;
}

function keyOf({ request, userId }: InteractionContext) {
  return {
    request: serializeReference(request),
    userId: String(userId),
    digest: consentDigest({ ...request, client: consentClientOf(request.client) }),
  };
}
