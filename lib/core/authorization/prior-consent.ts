import type { Request } from 'express';

import type { Settings } from '../../settings/settings.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import { withImplied } from '../../shared/protocol/implied-scopes.js';
import { isRedirectUriProven } from '../../shared/protocol/redirect-uri.js';
import { fromConsent } from '../../shared/protocol/resource.js';
import { isSubset } from '../../shared/protocol/scope.js';
import { isComparable, matchDetails } from '../authorization-details/compare-details.js';
import { findSelectableChoices, questionsOf } from '../authorization-details/selectable-choices.js';
import {
  constraintsFrom,
  findInvalidSelections,
  type GrantConstraints,
  selectionsOf,
} from '../authorization-details/selections.js';
import type { Consent, ConsentStore } from '../grants/consent-store.js';
import type { AuthorizationRequest } from './authorization-request.js';
import { expandClaimScopes } from './claim-scopes.js';
import type { AuthenticatedContext } from './interaction.js';

/** What a request may get without showing the consent page. */
export interface PriorConsent {
  /** What the person has allowed the client before; undefined if nothing, or if it was not looked up. */
  readonly allowed?: Allowed | undefined;
  /** What the request gets without a question; undefined if the person has to be asked. */
  readonly bound?: GrantConstraints;
}

type Allowed = Omit<Consent, 'userId' | 'clientId' | 'createdAt' | 'updatedAt'>;

/** Looks it up once for each request. */
export type FindPriorConsent = (context: AuthenticatedContext) => Promise<PriorConsent>;

/** What the person has allowed the client of the request before; looked up once for each HTTP request. */
export type FindConsent = (context: AuthenticatedContext) => Promise<Allowed | undefined>;

interface PriorConsentDependencies {
  readonly settings: Settings;
  readonly findConsent: FindConsent;
}

/** Only the scopes are looked up if the request can ask for nothing else. */
export function createFindConsent({
  settings,
  consents,
}: {
  readonly settings: Settings;
  readonly consents: Pick<ConsentStore, 'findScopes' | 'findOfUser'>;
}): FindConsent {
  const found = new WeakMap<Request, Promise<Allowed | undefined>>();
  return ({ req, request, userId }) => {
    const consent =
      found.get(req) ??
      findAllowed(consents, request, {
        userId,
        hasMore: asksForMore(request, settings) || handsOn(request),
      });
    found.set(req, consent);
    return consent;
  };
}

/** Whether all that is asked for was allowed before, with what was picked then, or the host vouches for it. */
export function createFindPriorConsent(dependencies: PriorConsentDependencies): FindPriorConsent {
  const known = new WeakMap<AuthorizationRequest, Promise<PriorConsent>>();
  return (context) => {
    const priorConsent = known.get(context.request) ?? lookUpPriorConsent(dependencies, context);
    known.set(context.request, priorConsent);
    return priorConsent;
  };
}

async function lookUpPriorConsent(
  { settings, findConsent }: PriorConsentDependencies,
  context: AuthenticatedContext,
): Promise<PriorConsent> {
  const { request } = context;
  const { client } = request;
  const isRequested = mustAsk(request);
  const hasMore = asksForMore(request, settings);
  const toAllow = scopesToAllow(request, settings);
  if (toAllow.length === 0 && client.trusted === true && !hasMore && !isRequested) return { bound: {} };
  const allowed = await findConsent(context);
  const isAllowed =
    areScopesAllowed({ ...request, scopes: toAllow }, allowed, settings) &&
    isHandingOnAllowed(request, allowed);
  if (isRequested || !isAllowed) return { allowed };
  const bound = hasMore ? await findBound(context, allowed, settings) : {};
  return { allowed, ...(bound && { bound }) };
}

/** Whether it asks for more than scopes. */
function asksForMore(request: AuthorizationRequest, settings: Settings): boolean {
  return request.authorizationDetails.length + questionsOf(request, settings).length > 0;
}

/** Whether its client may hand tokens on to others. */
function handsOn({ client: { mayAct = [] } }: AuthorizationRequest): boolean {
  return mayAct.length > 0;
}

/** RFC 8693 §4.4: to everybody to whom the client may hand it on now. */
function isHandingOnAllowed({ client }: AuthorizationRequest, allowed: Allowed | undefined): boolean {
  return client.trusted === true || isSubset(client.mayAct ?? [], allowed?.mayAct ?? []);
}

/** Scopes that need consent. For trusted clients only `offline_access` (OpenID Connect Core §11). */
function scopesToAllow({ client, scopes }: AuthorizationRequest, { openid }: Settings): readonly string[] {
  if (client.trusted !== true) return scopes;
  return openid === false ? [] : scopes.filter((scope) => scope === 'offline_access');
}

/** Only the scopes if nothing else is asked for. */
async function findAllowed(
  consents: Pick<ConsentStore, 'findScopes' | 'findOfUser'>,
  { client: { clientId, document } }: AuthorizationRequest,
  { userId, hasMore }: { readonly userId: string; readonly hasMore: boolean },
): Promise<Allowed | undefined> {
  // the stored consent belongs to an earlier client with this id
  if (document?.isUnstored === true) return undefined;
  if (hasMore) return (await consents.findOfUser(userId, [clientId]))[0];
  const scopes = await consents.findScopes(userId, clientId);
  return scopes === null ? undefined : { scopes };
}

function areScopesAllowed(
  { client, scopes, resources }: Pick<AuthorizationRequest, 'client' | 'scopes' | 'resources'>,
  allowed: Allowed | undefined,
  settings: Settings,
): boolean {
  if (client.trusted === true && scopes.length === 0) return true;
  // consent to a scope includes its claims, not the reverse
  const { impliedScopes } = expandClaimScopes(settings, scopes);
  return (
    allowed !== undefined &&
    isSubset(scopes, withImplied(fromConsent(allowed.scopes, resources), impliedScopes))
  );
}

/** Earlier picks are used again as long as they are still offered; a lifetime continues, and does not start again. */
async function findBound(
  { req, request, userId, now }: AuthenticatedContext,
  allowed: Allowed | undefined,
  settings: Settings,
): Promise<GrantConstraints | undefined> {
  const { client, scopes, authorizationDetails } = request;
  const details = filled(authorizationDetails, allowed?.authorizationDetails, {
    settings,
    isTrusted: client.trusted === true,
  });
  if (details === undefined) return undefined;
  const requested = { client, scopes, authorizationDetails: details };
  const before = { ...allowed, authorizationDetails: details };
  const picks = selectionsOf(before, questionsOf(requested, settings));
  const offers = await findSelectableChoices(requested, { user: req.user!, userId }, settings);
  if (findInvalidSelections(offers, picks).length > 0) return undefined;
  const places = [...details.keys()];
  const { endsAt, ...bound } = constraintsFrom(
    requested,
    { scopes, details: places, picks },
    { settings, now },
  );
  if (endsAt === undefined) return bound;
  const end = allowed?.endsAt;
  return end !== undefined && end > now ? { ...bound, endsAt: end } : undefined;
}

/** Each detail with what was picked for it before; undefined if one is not within what was allowed. */
function filled(
  requested: readonly AuthorizationDetail[],
  consented: readonly AuthorizationDetail[] = [],
  { settings, isTrusted }: { readonly settings: Settings; readonly isTrusted: boolean },
): readonly AuthorizationDetail[] | undefined {
  const comparable = consented.filter((detail) => isComparable(detail, settings));
  const matched = matchDetails(requested, comparable, settings);
  const all = requested.map((detail, index) => matched[index] ?? (isTrusted ? detail : undefined));
  return all.every((detail) => detail !== undefined) ? all : undefined;
}

function mustAsk(request: AuthorizationRequest): boolean {
  return request.prompt.has('consent') || !isClientProven(request);
}

/**
 * Whether only that client can use the answer: it authenticates, or TLS proves who receives the answer. Any program on
 * the device can use a loopback port or a private-use scheme, so it gets no answer without the person, trusted or not.
 *
 * @see RFC 6749 §10.2, RFC 8252 §8.6
 */
function isClientProven({ client, redirectUri, responseType }: AuthorizationRequest): boolean {
  return (
    isRedirectUriProven(redirectUri) || (client.type === 'confidential' && responseType.authenticatesClient)
  );
}
