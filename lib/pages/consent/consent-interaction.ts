import { serializeRequest } from '../../core/authorization/authorization-request.js';
import { expandClaimScopes } from '../../core/authorization/claim-scopes.js';
import { consentClientOf } from '../../core/authorization/consent-client.js';
import type { Interaction } from '../../core/authorization/interaction.js';
import { isProblem } from '../../core/authorization/pending-decisions.js';
import { type FindPriorConsent, isClientProven } from '../../core/authorization/prior-consent.js';
import { ACCOUNT_PROMPTS } from '../../core/authorization/prompt.js';
import type { CountNewClient } from '../../core/clients/new-client-limit.js';
import { hasCsrfToken } from '../../core/http/csrf.js';
import { hasField } from '../../core/http/form-fields.js';
import type { Settings } from '../../settings/settings.js';
import { fromConsent } from '../../shared/protocol/resource.js';
import type { RenderConsent } from './consent-page.js';
import { readConsent } from './read-consent.js';

export interface ConsentInteractionDependencies {
  readonly settings: Settings;
  readonly findPriorConsent: FindPriorConsent;
  readonly renderConsent: RenderConsent;
  readonly countNewClient: CountNewClient;
}

/**
 * Asks for consent, unless the user has allowed the same before, or the client is trusted.
 *
 * @see RFC 6749 §4.1.1, §10.2
 */
export function createConsentInteraction({
  settings,
  findPriorConsent,
  renderConsent,
  countNewClient,
}: ConsentInteractionDependencies): Interaction {
  return {
    name: 'consent',
    silentError: {
      error: 'consent_required',
      description: 'the resource owner has to be asked',
      reason: 'consent_required',
    },
    async findPage(context) {
      const { req, res, now, request, userId, isFormRejected = false } = context;
      if (userId === undefined) return undefined;
      const { stored, constraints } = await findPriorConsent({ ...context, userId });
      if (!isFormRejected && constraints !== undefined) return undefined;
      return (problem) =>
        renderConsent(req, res, {
          ...request,
          client: consentClientOf(request.client),
          now,
          consented: fromConsent(stored?.scopes ?? [], request.resources),
          selectedBefore: stored?.choices ?? {},
          // this page follows the choice of the account
          authorizationRequest: serializeRequest(request, ACCOUNT_PROMPTS),
          // a trusted client needs no consent
          canAskEachTime: isClientProven(request) && request.client.trusted !== true,
          problem,
        });
    },
    isForm: (form) => !hasField(form, 'account'),
    async submit({ req, request, userId }, form) {
      // RFC 6749 §10.12
      if (!hasCsrfToken(req, userId)) return { kind: 'untrusted' };
      const prompt = { ...request, client: consentClientOf(request.client) };
      const rules = expandClaimScopes(settings, request.scopes);
      const decision = await readConsent(req, form, { prompt, userId }, rules);
      if (isProblem(decision)) return { kind: 'rejected', problem: decision };
      if (
        decision.decision === 'allow' &&
        !(await countNewClient({ req, client: request.client, userId }, 'authorize'))
      )
        return { kind: 'rejected', problem: 'tooManyClients' };
      return { kind: 'decided', decision };
    },
  };
}
