import { type AuthorizationRequest, formatName } from '../../authorization/authorization-request.js';
import { readDecision } from '../../authorization/decision.js';
import type { Interaction } from '../../authorization/interaction.js';
import type { FormProblem } from '../../authorization/kept-decisions.js';
import { ACCOUNT_PROMPTS } from '../../authorization/prompt.js';
import { digestOf } from '../../authorization/shown.js';
import type { ConsentStore } from '../../grants/consent-store.js';
import { hasCsrfToken } from '../../http/csrf.js';
import type { MessageKey } from '../../messages/index.js';
import { isRedirectUriProven } from '../../protocol/redirect-uri.js';
import { fromConsent, toConsent } from '../../protocol/resource.js';
import { isSubset } from '../../protocol/scope.js';
import type { Settings } from '../../settings/settings.js';
import type { RenderConsent } from './consent-page.js';

export interface ConsentInteractionDependencies {
  readonly settings: Settings;
  readonly consents: Pick<ConsentStore, 'findScopes'>;
  readonly renderConsent: RenderConsent;
}

const NOTICES: Readonly<Record<FormProblem, MessageKey>> = {
  outOfDate: 'consent.outOfDate',
  undecided: 'consent.undecided',
};

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
    refusal: { error: 'consent_required', description: 'the resource owner has to be asked' },
    async findPage({ req, res, request, userId, isAskedAgain = false }) {
      const { client, scopes, resources } = request;
      const isAsked = isAskedAgain || request.prompt.has('consent') || !isClientProven(request);
      if (userId === undefined || (!isAsked && client.trusted)) return undefined;
      const allowed = await consents.findScopes(userId, client.clientId);
      if (!isAsked && allowed !== null && isSubset(toConsent(scopes, resources), allowed)) return undefined;
      return (problem) =>
        renderConsent(req, res, {
          ...request,
          remembered: fromConsent(allowed ?? [], resources),
          // who is shown this page has chosen the account already
          authorizationRequest: formatName(request, ACCOUNT_PROMPTS),
          ...(problem && { notice: NOTICES[problem], status: 403 }),
        });
    },
    isForm: ({ account }) => account === undefined,
    take({ req, request, userId }, form) {
      // RFC 6749 §10.12
      if (!hasCsrfToken(req, userId)) return { kind: 'foreign' };
      // the client may have changed since the page was shown
      if (form.shown !== digestOf(request)) return { kind: 'again', problem: 'outOfDate' };
      const outcome = readDecision(form, request.scopes, settings);
      return outcome === undefined ? { kind: 'again', problem: 'undecided' } : { kind: 'decided', outcome };
    },
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
