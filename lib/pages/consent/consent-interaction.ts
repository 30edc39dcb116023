import { type AuthorizationRequest, formatName } from '../../authorization/authorization-request.js';
import type { Interaction } from '../../authorization/interaction.js';
import { isProblem } from '../../authorization/kept-decisions.js';
import { ACCOUNT_PROMPTS } from '../../authorization/prompt.js';
import { areRemembered } from '../../details/remembered-details.js';
import type { Consent, ConsentStore } from '../../grants/consent-store.js';
import { hasCsrfToken } from '../../http/csrf.js';
import { withImplied } from '../../protocol/implied-scopes.js';
import { isRedirectUriProven } from '../../protocol/redirect-uri.js';
import { fromConsent } from '../../protocol/resource.js';
import { isSubset } from '../../protocol/scope.js';
import type { Settings } from '../../settings/settings.js';
import type { RenderConsent } from './consent-page.js';
import { readConsent } from './read-consent.js';

export interface ConsentInteractionDependencies {
  readonly settings: Settings;
  readonly consents: Pick<ConsentStore, 'findScopes' | 'findOfUser'>;
  readonly renderConsent: RenderConsent;
}

/**
 * The person decides, unless they have allowed the same before, or the host vouches for the client.
 *
 * @see RFC 6749 §4.1.1, §10.2
 */
export function createConsentInteraction({
  settings,
  consents,
  renderConsent,
}: ConsentInteractionDependencies): Interaction {
  return {
    name: 'consent',
    refusal: {
      error: 'consent_required',
      description: 'the resource owner has to be asked',
      reason: 'consent_required',
    },
    async findPage({ req, res, now, request, userId, isAskedAgain = false }) {
      const { client, resources } = request;
      const isAsked = isAskedAgain || mustAsk(request);
      if (userId === undefined || (!isAsked && client.trusted)) return undefined;
      const allowed = await findAllowed(consents, request, userId);
      const remembered = fromConsent(allowed?.scopes ?? [], resources);
      if (!isAsked && isAllowed(request, allowed, settings)) return undefined;
      return (problem) =>
        renderConsent(req, res, {
          ...request,
          now,
          remembered,
          // who is shown this page has chosen the account already
          authorizationRequest: formatName(request, ACCOUNT_PROMPTS),
          ...(problem && { problem }),
        });
    },
    isForm: ({ account }) => account === undefined,
    take({ req, request, userId }, form) {
      // RFC 6749 §10.12
      if (!hasCsrfToken(req, userId)) return { kind: 'foreign' };
      const outcome = readConsent(req, form, { asked: { shown: request, userId }, settings });
      return isProblem(outcome) ? { kind: 'again', problem: outcome } : { kind: 'decided', outcome };
    },
  };
}

/** Whether all that is asked for lies within what was allowed before. */
function isAllowed(
  { scopes, resources, authorizationDetails }: AuthorizationRequest,
  allowed: Allowed | undefined,
  settings: Settings,
): boolean {
  if (allowed === undefined) return false;
  const remembered = fromConsent(allowed.scopes, resources);
  return (
    isSubset(scopes, withImplied(remembered, settings.impliedScopes)) &&
    areRemembered(authorizationDetails, allowed.authorizationDetails, settings)
  );
}

type Allowed = Pick<Consent, 'scopes' | 'authorizationDetails'>;

/** What the person has allowed the client before; the scopes alone if nothing else is asked for. */
async function findAllowed(
  consents: ConsentInteractionDependencies['consents'],
  { client: { clientId }, authorizationDetails }: AuthorizationRequest,
  userId: string,
): Promise<Allowed | undefined> {
  if (authorizationDetails.length > 0) return (await consents.findOfUser(userId, [clientId]))[0];
  const scopes = await consents.findScopes(userId, clientId);
  return scopes === null ? undefined : { scopes };
}

function mustAsk(request: AuthorizationRequest): boolean {
  return request.prompt.has('consent') || !isClientProven(request);
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
