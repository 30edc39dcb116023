import type { Request } from 'express';

import type { Settings } from '../../settings/settings.js';
import { withImplied } from '../../shared/protocol/implied-scopes.js';
import { isRedirectUriProven } from '../../shared/protocol/redirect-uri.js';
import { fromConsent } from '../../shared/protocol/resource.js';
import { isSubset } from '../../shared/protocol/scope.js';
import { isComparable, matchDetails } from '../authorization-details/compare-details.js';
import { findSelectableChoices, listQuestions } from '../authorization-details/selectable-choices.js';
import {
  constraintsFrom,
  findInvalidSelections,
  type GrantConstraints,
  toSelections,
} from '../authorization-details/selections.js';
import type { Consent, ConsentStore } from '../grants/consent-store.js';
import type { AuthorizationRequest } from './authorization-request.js';
import { expandClaimScopes } from './claim-scopes.js';
import type { AuthenticatedContext } from './interaction.js';

/** The stored consent of a user to a client, as far as requests need it. */
type StoredConsent = Omit<Consent, 'userId' | 'clientId' | 'createdAt' | 'updatedAt'>;

interface PriorConsent {
  readonly stored?: StoredConsent | undefined;
  /** The constraints of the grant beside its scopes; undefined if the consent page has to be displayed. */
  readonly constraints?: GrantConstraints | undefined;
}

export type FindPriorConsent = (context: AuthenticatedContext) => Promise<PriorConsent>;

export type FindConsent = (context: AuthenticatedContext) => Promise<StoredConsent | undefined>;

/** Both functions read a consent once, and only its scopes if the request can ask for nothing else. */
export function createPriorConsents(
  settings: Settings,
  consents: ConsentStore,
): { readonly findConsent: FindConsent; readonly findPriorConsent: FindPriorConsent } {
  const read = async ({ request, userId }: AuthenticatedContext): Promise<StoredConsent | undefined> => {
    const { clientId, document, mayAct = [] } = request.client;
    // the stored consent belongs to an earlier client with this id
    if (document?.isUnstored === true) return undefined;
    if (requestsMoreThanScopes(request, settings) || mayAct.length > 0)
      return (await consents.findOfUser(userId, [clientId]))[0];
    const scopes = await consents.findScopes(userId, clientId);
    return scopes === null ? undefined : { scopes };
  };
  const stored = new WeakMap<Request, Promise<StoredConsent | undefined>>();
  const compared = new WeakMap<AuthorizationRequest, Promise<PriorConsent>>();
  const findConsent: FindConsent = (context) => {
    const consent = stored.get(context.req) ?? read(context);
    stored.set(context.req, consent);
    return consent;
  };
  return {
    findConsent,
    findPriorConsent(context) {
      const prior = compared.get(context.request) ?? comparePriorConsent(settings, findConsent, context);
      compared.set(context.request, prior);
      return prior;
    },
  };
}

/** Compares a request with the stored consent, and with the site's rules for trusted clients. */
async function comparePriorConsent(
  settings: Settings,
  findConsent: FindConsent,
  context: AuthenticatedContext,
): Promise<PriorConsent> {
  const { request } = context;
  const { client, resources } = request;
  const isPageRequired = request.prompt.has('consent') || !isClientProven(request);

  // OpenID Connect Core §11: for trusted clients only `offline_access` needs consent
  const { openid } = settings;
  const offline = openid ? request.scopes.filter((scope) => scope === 'offline_access') : [];
  const scopes = client.trusted === true ? offline : request.scopes;
  const isConsentNeeded = client.trusted !== true || scopes.length > 0;
  // a trusted client that needs no consent costs no read
  if (!isConsentNeeded && !requestsMoreThanScopes(request, settings) && !isPageRequired)
    return { constraints: {} };

  const stored = await findConsent(context);
  if (isPageRequired) return { stored };
  if (isConsentNeeded) {
    if (stored === undefined) return {};
    // consent to a scope includes its claims, not the reverse
    const { impliedScopes } = expandClaimScopes(settings, scopes);
    const allowed = withImplied(fromConsent(stored.scopes, resources), impliedScopes);
    if (!isSubset(scopes, allowed)) return { stored };
  }
  // RFC 8693 §4.4: the consent must cover each client that may now get the token from this client
  if (client.trusted !== true && !isSubset(client.mayAct ?? [], stored?.mayAct ?? [])) return { stored };
  return { stored, constraints: await findConstraints(context, stored, settings) };
}

function requestsMoreThanScopes(request: AuthorizationRequest, settings: Settings): boolean {
  return request.authorizationDetails.length + listQuestions(request, settings).length > 0;
}

/**
 * The constraints that the user selected before, as long as they can still be selected; otherwise undefined. The end of
 * the access stays that of the stored consent, and does not start again.
 */
async function findConstraints(
  { req, request, userId, now }: AuthenticatedContext,
  stored: StoredConsent | undefined,
  settings: Settings,
): Promise<GrantConstraints | undefined> {
  if (!requestsMoreThanScopes(request, settings)) return {};
  const { client, scopes } = request;

  // RFC 9396 §6.1: each detail with the user's earlier selections, if a stored detail covers it
  const consented = stored?.authorizationDetails ?? [];
  const comparable = consented.filter((detail) => isComparable(detail, settings));
  const matched = matchDetails(request.authorizationDetails, comparable, settings);
  const details = request.authorizationDetails.map(
    (detail, index) => matched[index] ?? (client.trusted === true ? detail : undefined),
  );
  if (!details.every((detail) => detail !== undefined)) return undefined;

  const requested = { client, scopes, authorizationDetails: details };
  const before = { ...stored, authorizationDetails: details };
  const picks = toSelections(before, listQuestions(requested, settings));
  const offers = await findSelectableChoices(requested, { user: req.user!, userId }, settings);
  if (findInvalidSelections(offers, picks).length > 0) return undefined;
  const decided = { scopes, details: [...details.keys()], picks };
  const { endsAt, ...constraints } = constraintsFrom(requested, decided, { settings, now });
  if (endsAt === undefined) return constraints;
  const end = stored?.endsAt;
  return end !== undefined && end > now ? { ...constraints, endsAt: end } : undefined;
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
