import { type AuthorizationRequest, formatName } from '../../authorization/authorization-request.js';
import type { Interaction } from '../../authorization/interaction.js';
import { isProblem } from '../../authorization/kept-decisions.js';
import { ACCOUNT_PROMPTS } from '../../authorization/prompt.js';
import type { ConsentStore } from '../../grants/consent-store.js';
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
  readonly consents: Pick<ConsentStore, 'findScopes'>;
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
      const { client, scopes, resources } = request;
      const isAsked = isAskedAgain || mustAsk(request);
      if (userId === undefined || (!isAsked && client.trusted)) return undefined;
      const allowed = await consents.findScopes(userId, client.clientId);
      const remembered = fromConsent(allowed ?? [], resources);
      const isAllowed = allowed !== null && isSubset(scopes, withImplied(remembered, settings.impliedScopes));
      if (!isAsked && isAllowed) return undefined;
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
