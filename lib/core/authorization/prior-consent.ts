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

/** The consent that is stored for a client and a user, as far as requests need it. */
type StoredConsent = Omit<Consent, 'userId' | 'clientId' | 'createdAt' | 'updatedAt'>;

/** Whether a request can be granted without showing the consent page. */
export type PriorConsent =
  | {
      readonly kind: 'sufficient';
      /** What the grant is bound to beside its scopes. */
      readonly constraints: GrantConstraints;
      readonly stored: StoredConsent | undefined;
    }
  | { readonly kind: 'insufficient'; readonly stored: StoredConsent | undefined };

/** Finds it once for each request. */
export type FindPriorConsent = (context: AuthenticatedContext) => Promise<PriorConsent>;

/** Finds what the user has allowed the client before, once for each HTTP request. */
export type FindConsent = (context: AuthenticatedContext) => Promise<StoredConsent | undefined>;

interface PriorConsentDependencies {
  readonly settings: Settings;
  readonly findConsent: FindConsent;
}

type Consents = Pick<ConsentStore, 'findScopes' | 'findOfUser'>;

/** Reads only the scopes of the consent if the request can ask for nothing else. */
export function createFindConsent({
  settings,
  consents,
}: {
  readonly settings: Settings;
  readonly consents: Consents;
}): FindConsent {
  const found = new WeakMap<Request, Promise<StoredConsent | undefined>>();
  return ({ req, request, userId }) => {
    const consent =
      found.get(req) ??
      readConsentOf(consents, request, {
        userId,
        isWhole: requestsMoreThanScopes(request, settings) || mayHandTokensOn(request),
      });
    found.set(req, consent);
    return consent;
  };
}

export function createFindPriorConsent(dependencies: PriorConsentDependencies): FindPriorConsent {
  const known = new WeakMap<AuthorizationRequest, Promise<PriorConsent>>();
  return (context) => {
    const priorConsent = known.get(context.request) ?? comparePriorConsent(dependencies, context);
    known.set(context.request, priorConsent);
    return priorConsent;
  };
}

/** Compares what is requested with what was allowed before, and with what the site allows trusted clients. */
async function comparePriorConsent(
  { settings, findConsent }: PriorConsentDependencies,
  context: AuthenticatedContext,
): Promise<PriorConsent> {
  const { request } = context;
  const isPageRequired = request.prompt.has('consent') || !isClientProven(request);
  const needsDetails = requestsMoreThanScopes(request, settings);
  const scopes = scopesToAllow(request, settings);
  // a trusted client that needs no consent costs no read
  if (request.client.trusted === true && scopes.length === 0 && !needsDetails && !isPageRequired)
    return { kind: 'sufficient', constraints: {}, stored: undefined };
  const stored = await findConsent(context);
  const isAllowed =
    areScopesAllowed({ ...request, scopes }, stored, settings) && isHandingOnAllowed(request, stored);
  if (isPageRequired || !isAllowed) return { kind: 'insufficient', stored };
  const constraints = await findConstraints(context, stored, settings);
  return constraints === undefined
    ? { kind: 'insufficient', stored }
    : { kind: 'sufficient', constraints, stored };
}

function requestsMoreThanScopes(request: AuthorizationRequest, settings: Settings): boolean {
  return request.authorizationDetails.length + questionsOf(request, settings).length > 0;
}

/** Whether the client may hand tokens on to other clients. */
function mayHandTokensOn({ client: { mayAct = [] } }: AuthorizationRequest): boolean {
  return mayAct.length > 0;
}

/** RFC 8693 §4.4: consent covers each client that may get the token from this one now. */
function isHandingOnAllowed({ client }: AuthorizationRequest, stored: StoredConsent | undefined): boolean {
  return client.trusted === true || isSubset(client.mayAct ?? [], stored?.mayAct ?? []);
}

/** Scopes that need consent. For trusted clients only `offline_access` (OpenID Connect Core §11). */
function scopesToAllow({ client, scopes }: AuthorizationRequest, { openid }: Settings): readonly string[] {
  if (client.trusted !== true) return scopes;
  return openid === false ? [] : scopes.filter((scope) => scope === 'offline_access');
}

/** @param isWhole whether more than the scopes is needed */
async function readConsentOf(
  consents: Consents,
  { client: { clientId, document } }: AuthorizationRequest,
  { userId, isWhole }: { readonly userId: string; readonly isWhole: boolean },
): Promise<StoredConsent | undefined> {
  // the stored consent belongs to an earlier client with this id
  if (document?.isUnstored === true) return undefined;
  if (isWhole) return (await consents.findOfUser(userId, [clientId]))[0];
  const scopes = await consents.findScopes(userId, clientId);
  return scopes === null ? undefined : { scopes };
}

function areScopesAllowed(
  { client, scopes, resources }: Pick<AuthorizationRequest, 'client' | 'scopes' | 'resources'>,
  stored: StoredConsent | undefined,
  settings: Settings,
): boolean {
  if (client.trusted === true && scopes.length === 0) return true;
  // consent to a scope includes its claims, not the reverse
  const { impliedScopes } = expandClaimScopes(settings, scopes);
  return (
    stored !== undefined &&
    isSubset(scopes, withImplied(fromConsent(stored.scopes, resources), impliedScopes))
  );
}

/**
 * The constraints that the user selected before, as long as the same can be selected now; otherwise undefined. The
 * end of the access stays that of the stored consent, and does not start again.
 */
async function findConstraints(
  { req, request, userId, now }: AuthenticatedContext,
  stored: StoredConsent | undefined,
  settings: Settings,
): Promise<GrantConstraints | undefined> {
  if (!requestsMoreThanScopes(request, settings)) return {};
  const { client, scopes, authorizationDetails } = request;
  const details = findAllowedDetails(authorizationDetails, stored?.authorizationDetails, {
    settings,
    isTrusted: client.trusted === true,
  });
  if (details === undefined) return undefined;
  const requested = { client, scopes, authorizationDetails: details };
  const before = { ...stored, authorizationDetails: details };
  const picks = selectionsOf(before, questionsOf(requested, settings));
  const offers = await findSelectableChoices(requested, { user: req.user!, userId }, settings);
  if (findInvalidSelections(offers, picks).length > 0) return undefined;
  const allIndexes = [...details.keys()];
  const { endsAt, ...constraints } = constraintsFrom(
    requested,
    { scopes, details: allIndexes, picks },
    { settings, now },
  );
  if (endsAt === undefined) return constraints;
  const end = stored?.endsAt;
  return end !== undefined && end > now ? { ...constraints, endsAt: end } : undefined;
}

/** Each detail with what was selected for it before; undefined if one is not within what was allowed. */
function findAllowedDetails(
  requested: readonly AuthorizationDetail[],
  consented: readonly AuthorizationDetail[] = [],
  { settings, isTrusted }: { readonly settings: Settings; readonly isTrusted: boolean },
): readonly AuthorizationDetail[] | undefined {
  const comparable = consented.filter((detail) => isComparable(detail, settings));
  const matched = matchDetails(requested, comparable, settings);
  const all = requested.map((detail, index) => matched[index] ?? (isTrusted ? detail : undefined));
  return all.every((detail) => detail !== undefined) ? all : undefined;
}

/**
 * Whether only that client can use the response: it authenticates, or TLS proves who receives the response. Any program
 * on the device can use a loopback port or a private-use scheme, so it gets no response without the user, trusted or
 * not.
 *
 * @see RFC 6749 §10.2, RFC 8252 §8.6
 */
export function isClientProven({ client, redirectUri, responseType }: AuthorizationRequest): boolean {
  return (
    isRedirectUriProven(redirectUri) || (client.type === 'confidential' && responseType.authenticatesClient)
  );
}
