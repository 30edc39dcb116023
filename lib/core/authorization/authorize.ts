import type { Request } from 'express';

import type { Settings } from '../../settings/settings.js';
import { OAuthError } from '../../shared/errors.js';
import { type Form, parseForm } from '../../shared/protocol/parameters.js';
import { isClaimEntry } from '../../shared/protocol/standard-claims.js';
import { constraintsFrom, type GrantConstraints } from '../authorization-details/selections.js';
import { mayRedirectTo } from '../clients/may-redirect-to.js';
import { refuseUnapproved } from '../clients/status/pending-client.js';
import type { ConsentStore } from '../grants/consent-store.js';
import type { Policy } from '../grants/policy.js';
import { carriedField, hasField } from '../http/form-fields.js';
import type { RequestContext } from '../http/handle.js';
import type { RenderError, RenderFormPost } from '../http/page-error.js';
import { redirect, seeOther } from '../http/redirect.js';
import { emitFor, type OAuthEvents } from '../observability/events.js';
import type { Report } from '../observability/report.js';
import { resourceOwnerOf } from '../sessions/resource-owner.js';
import {
  type AuthorizationRequest,
  pathTo,
  type ResolvedRequest,
  serializeRequest,
} from './authorization-request.js';
import { narrowScopesAndClaims } from './claim-scopes.js';
import { consentClientOf, consentDigest } from './consent-client.js';
import {
  findFirstPage,
  type Interaction,
  type InteractionContext,
  type InteractionResult,
  type ToLogin,
} from './interaction.js';
import type { LoginPolicy } from './login-policy.js';
import { consumeDecision, hasDecisions, isProblem, saveDecision } from './pending-decisions.js';
import type { FindConsent, FindPriorConsent } from './prior-consent.js';
import type { Prompt } from './prompt.js';
import type { DeferredRequest } from './resolve-request.js';
import type { ResponseParameters } from './response-modes/response-mode.js';
import { storeConsent } from './store-consent.js';

/*
 * The authorization endpoint: a handler for GET and one for POST, in the order in which a request passes. The pages are
 * in `lib/pages`.
 */

export interface AuthorizeDependencies {
  readonly settings: Settings;
  /** Reads a request, and stores its client for `emitRefusal`. @throws OAuthError which is displayed to the user */
  readonly resolve: (req: Request, query: Form, now: Date) => Promise<ResolvedRequest | DeferredRequest>;
  readonly emitRefusal: (error: OAuthError, req: Request) => void;
  readonly interactions: readonly Interaction[];
  readonly policy: Policy;
  readonly toLogin: ToLogin;
  readonly renderError: RenderError;
  readonly renderFormPost: RenderFormPost;
  readonly consents: ConsentStore;
  readonly findConsent: FindConsent;
  readonly findPriorConsent: FindPriorConsent;
  readonly loginPolicy: LoginPolicy;
  readonly events: OAuthEvents;
  readonly report: Report;
}

/** A page that the user has to see, or the response for the client: parameters, or an error. */
type Outcome =
  | { readonly page: () => void | Promise<void> }
  | { readonly parameters: ResponseParameters }
  | { readonly error: unknown };

/**
 * Answers GET /authorize: with the first page that the user has to see, or with the response for the client.
 *
 * @throws OAuthError which is displayed to the user (RFC 6749 §4.1.2.1)
 */
export async function handleGet(
  dependencies: AuthorizeDependencies,
  { query, ...context }: RequestContext & { readonly query: Form },
): Promise<void> {
  const { req, res, now } = context;
  const { settings, loginPolicy, toLogin, renderError, renderFormPost } = dependencies;

  // target and parameters (RFC 6749 §4.1.1). A request is valid, or refused if its client gets the error by redirect,
  // or deferred if something has to be fetched for it; any other error is thrown, and displayed to the user
  const request = await dependencies.resolve(req, query, now);

  // login. RFC 9101 §10.4.1: a deferred request comes from a visitor who is not logged in, for whom nothing is fetched
  if (request.kind === 'deferred') return toLogin({ ...context, request });
  // RFC 9700 §4.11.2: MUST always authenticate the user first, before errors as well, unless prompt=none (`isSilent`)
  if (request.kind === 'refused' && !request.isSilent && resourceOwnerOf(settings, req) === undefined)
    return toLogin({ ...context, request });
  await checkApproval(dependencies, context, request);

  // policy, interaction, decision; a failure becomes an error response (RFC 6749 §4.1.2.1)
  const outcome: Outcome =
    request.kind === 'refused'
      ? { error: request.error }
      : await proceed(dependencies, context, request).catch((error: unknown) => ({ error }));
  if ('page' in outcome) return outcome.page();

  // response. RFC 6749 §4.1.2: the exact state; RFC 9207 §2: iss in every response, errors included
  const { client, responseMode, redirectUri, state, uiLocales } = request;
  const reported =
    'error' in outcome ? dependencies.report(outcome.error, { endpoint: 'authorize', req, res }) : undefined;
  if (reported !== undefined) dependencies.emitRefusal(reported.error, req);
  // such as `session_state` of OpenID Connect
  const extraParameters =
    request.kind === 'refused' ? {} : loginPolicy.extraResponseParameters?.({ ...context, request });
  const response = await responseMode.write(
    {
      ...('parameters' in outcome
        ? outcome.parameters
        : { error: reported?.error.error, error_description: reported?.error.description }),
      ...extraParameters,
      state,
      iss: settings.issuer,
    },
    { ...request, now },
  );
  // RFC 9700 §4.11.2: an error reaches a blocked client, or with `pages.linkToUnverifiedClients` an unverified one, only
  // by a link that the user clicks. Nobody is anonymous here: the user is logged in, or the request is silent, which the
  // RFC exempts
  if (reported !== undefined && !mayRedirectTo(client, { pages: settings.pages, isAnonymous: false }))
    return renderError(req, res, { ...reported, uiLocales, client: { ...response, redirectUri } });
  const { address, fields } = response;
  if (fields === undefined) return redirect(res, 302, address);
  await renderFormPost(req, res, { address, fields, clientName: client.name, uiLocales });
}

/**
 * Continues a valid request: by the decision that the user has just made, or else by the first page that the user has
 * to see, or else by the stored consent.
 *
 * @throws OAuthError which the client gets
 */
async function proceed(
  dependencies: AuthorizeDependencies,
  context: RequestContext,
  validRequest: AuthorizationRequest,
): Promise<Outcome> {
  const { settings, interactions, loginPolicy, consents, events } = dependencies;
  const { req, now } = context;

  // login, policy: the user who is logged in, and the request within the site's rules for this user
  const visitor = await findVisitor(dependencies, context, validRequest);
  const visit = await applyPolicy(dependencies, { ...context, request: validRequest, ...visitor });
  const { request, userId } = visit;

  // interaction: the POST of a form has left a decision in the session, or the problem of the form. Without a decision,
  // the first required page is displayed; a problem displays the page of the form again
  const saved =
    userId !== undefined && hasDecisions(req) ? consumeDecision(req, keyOf(visit), now) : undefined;
  const [problem, decision] = isProblem(saved) ? [saved, undefined] : [undefined, saved];
  if (userId === undefined || decision === undefined) {
    const isFormRejected = problem !== undefined;
    const page = await findFirstPage(interactions, { ...visit, isFormRejected });
    if (page !== undefined) return { page: () => page(problem) };
  }
  // never: the login is an interaction, and the page of a rejected form is required again
  if (userId === undefined || problem !== undefined)
    throw new Error('no interaction asks for what is needed');
  const authenticated = { ...visit, userId };

  // decision: the one that the user has just made, or else the stored consent
  let { scopes } = request;
  let constraints: GrantConstraints = {};
  if (decision === undefined) {
    const prior = await dependencies.findPriorConsent(authenticated);
    if (prior.constraints === undefined)
      throw new Error('no interaction asks for the consent that is missing');
    ({ constraints } = prior);
  } else {
    ({ scopes } = decision);
    if (decision.decision === 'allow') constraints = constraintsFrom(request, decision, { settings, now });
  }
  // the login in ID tokens and access tokens. @throws OAuthError if the login does not meet the request
  const { openid, authentication } = loginPolicy.record(authenticated, scopes);
  // RFC 9126 §4, §7.3: a pushed request works once; any other may be made again
  await request.original.consume?.();

  // the decision is stored, and emitted as an event
  const { client, responseType } = request;
  const emit = emitFor(events, req);
  const ids = { clientId: client.clientId, userId };
  const store = async () => {
    if (decision !== undefined)
      await storeConsent(consents, { ...authenticated, constraints }, decision, settings);
  };
  // a user who cancels has decided nothing: the client gets the same error, no event is emitted, and nothing is stored
  if (decision?.decision === 'deny') emit('consent.denied', { ...ids, scopes: request.scopes });
  if (decision !== undefined && decision.decision !== 'allow') {
    await store();
    throw new OAuthError('access_denied', 'the resource owner denied the request', {
      reason: 'denied_by_user',
    });
  }
  // webhooks store the event while the code is made; the response waits for them, below
  const storedEvent = decision && emit('consent.given', { ...ids, scopes });
  // The first grant of a client that describes itself stores the client, and deletes consents to an earlier client with
  // its id: this consent is stored after that. For all other clients nothing is issued if the consent cannot be stored.
  const isNewClient = client.document?.isUnstored === true;
  if (!isNewClient) await store();
  const parameters = await responseType.issue({
    ...request,
    userId,
    // OpenID Connect Core §5.5: a single claim is no scope of a token
    scopes: scopes.filter((scope) => !isClaimEntry(scope)),
    authorizationDetails: constraints.authorizationDetails ?? request.authorizationDetails,
    choices: constraints.choices,
    endsAt: constraints.endsAt,
    openid,
    authentication,
    now,
    emit,
  });
  if (isNewClient) await store();
  await storedEvent;
  return { parameters };
}

/**
 * Answers POST /authorize: a form of one of the pages, or the request itself (RFC 6749 §3.1: MAY support the use of
 * POST as well). Never sends users to a client: it redirects to GET /authorize, once the decision is in the session, or
 * displays the page of the form again.
 *
 * @throws OAuthError which is displayed to the user
 */
export async function handlePost(
  dependencies: AuthorizeDependencies,
  { form, ...context }: RequestContext & { readonly form: Form },
): Promise<void> {
  const { req, res, now } = context;
  const { settings, interactions } = dependencies;

  // target and parameters: of the request that a page's form carries, or of the form itself
  const query = readPendingRequest(form);
  const request = await dependencies.resolve(req, query ?? form, now);
  const toGet = (completed?: readonly Prompt[]) => seeOther(res, pathTo(settings, request, completed));
  // GET /authorize sends the user to the login
  if (request.kind === 'deferred') return toGet();
  await checkApproval(dependencies, context, request);
  // a parser of the site may have turned the form into more than text: the redirect would drop it
  const isText = (value: unknown) => typeof value === 'string';
  const isPlain = Object.values(form).every((value) =>
    Array.isArray(value) ? value.length > 1 && value.every(isText) : isText(value),
  );
  if (query === undefined && request.kind === 'refused' && !isPlain) throw request.error;
  // GET /authorize sends errors to the client, and no page has a form for a silent request
  if (query === undefined || request.kind === 'refused' || request.isSilent) return toGet();

  // policy: GET /authorize calls it again, and sends the error to the client
  const userId = loggedInUserId(settings, req);
  const interaction = await applyPolicy(dependencies, { ...context, request, userId }).catch(
    (error: unknown) => {
      if (!(error instanceof OAuthError)) throw error;
      return undefined;
    },
  );
  if (interaction === undefined) return toGet();

  // interaction: the login has ended since the page was shown, or else the form belongs to one of the pages
  const authenticated = userId === undefined ? undefined : { ...interaction, userId };
  const formPage = interactions.find((candidate) => candidate.isForm?.(form) === true);
  let result: InteractionResult = { kind: 'restart' };
  // a form that belongs to none of the pages is not trusted
  if (authenticated !== undefined)
    result = (await formPage?.submit?.(authenticated, form)) ?? { kind: 'untrusted' };
  // OpenID Connect Core §3.1.2.1: nobody skips a prompt by sending the form of a later page
  const goesOn = result.kind === 'decided' || result.kind === 'continue';
  const earlier = goesOn && formPage ? interactions.slice(0, interactions.indexOf(formPage)) : [];
  // `isFormSubmitted`: the time that the user has spent on the page makes no login too old
  if ((await findFirstPage(earlier, { ...interaction, isFormSubmitted: true })) !== undefined)
    result = { kind: 'rejected', problem: 'outOfDate' };

  // response
  switch (result.kind) {
    case 'decided':
      saveDecision(req, keyOf(interaction), result.decision, now);
      break;
    case 'rejected':
      saveDecision(req, keyOf(interaction), result.problem, now);
      break;
    case 'continue':
      return toGet(result.completedPrompts);
    // the login has ended, or the form has ended it: the page of a visitor who is not logged in
    case 'restart': {
      const page = await findFirstPage(interactions, { ...interaction, userId: undefined });
      if (page !== undefined) return page();
      break;
    }
    // Another site may have sent the form, without the cookie (SameSite). To save anything for the GET would need a new
    // session, which would replace the user's own. So the page is in this response. (RFC 6749 §10.12)
    case 'untrusted': {
      const page = await findFirstPage(interactions, { ...interaction, isFormRejected: true });
      if (page !== undefined) return page('outOfDate');
    }
  }
  toGet();
}

/** The request that a page's form carries; undefined if the form itself is the request. @throws ChangedField */
export function readPendingRequest(form: Form): Form | undefined {
  if (!hasField(form, 'authorization_request')) return undefined;
  return parseForm(carriedField(form, 'authorization_request'));
}

/**
 * Refuses unapproved clients with a page, not a redirect: nobody has checked their redirect URI (RFC 9700 §4.11.2).
 * Users who still have to log in see that page after the login.
 *
 * @throws PendingClient
 */
async function checkApproval(
  dependencies: AuthorizeDependencies,
  context: RequestContext,
  request: ResolvedRequest,
): Promise<void> {
  const { client, isSilent } = request;
  // the visitor is looked up later for all other clients, where an error is a response (RFC 6749 §4.1.2.1)
  if (client.awaitsApprovalSince === undefined) return;
  const { userId } = await findVisitor(dependencies, context, request);
  if (userId !== undefined || isSilent) refuseUnapproved(client, userId);
}

/**
 * The user who is logged in, or nobody if the client must not learn of this user. A silent request gets its response
 * without a click, from any page that can open a window. If its error depended on the visitor, a client without any
 * consent could learn who the visitor is, and when and how the visitor logged in. Such a client gets the same response
 * for everybody.
 *
 * @see OpenID Connect Core §3.1.2.6 (the error of a silent request MAY be any of them), §17
 */
async function findVisitor(
  { settings, findConsent, loginPolicy }: AuthorizeDependencies,
  context: RequestContext,
  request: ResolvedRequest,
): Promise<{ readonly userId: string | undefined; readonly isUserHidden?: true }> {
  const userId = loggedInUserId(settings, context.req);
  if (userId === undefined || !request.isSilent) return { userId };
  if (request.kind === 'refused') return { userId: undefined, isUserHidden: true };
  const visit = { ...context, request, userId };
  if (request.client.trusted === true || loginPolicy.hasIdTokenHintFor?.(visit) === true) return { userId };
  const consent = await findConsent(visit);
  const isAllowed = consent !== undefined && (consent.endsAt === undefined || consent.endsAt > context.now);
  return isAllowed ? { userId } : { userId: undefined, isUserHidden: true };
}

function loggedInUserId(settings: Settings, req: Request): string | undefined {
  const person = resourceOwnerOf(settings, req);
  return person && settings.people.id(person);
}

/**
 * Narrows the request to the scopes for which the site's rules (`policy.onAuthorize`) let this user be asked.
 *
 * @throws OAuthError access_denied
 */
async function applyPolicy(
  { policy, settings }: AuthorizeDependencies,
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
  return { ...interaction, request: { ...request, scopes } };
}

/** The key of a decision in the session: the request, the user, and the digest of the consent page. */
function keyOf({ request, userId }: InteractionContext) {
  return {
    request: serializeRequest(request),
    userId: String(userId),
    digest: consentDigest({ ...request, client: consentClientOf(request.client) }),
  };
}
