import type { Interaction } from '../authorization/interaction.js';
import type { RenderPage } from '../rendering/views.js';
import { createAccountInteraction } from './account/account-interaction.js';
import { createRenderAccount } from './account/account-page.js';
import {
  type ConsentInteractionDependencies,
  createConsentInteraction,
} from './consent/consent-interaction.js';
import { createLoginInteraction } from './login/login-interaction.js';

/**
 * What a person may have to do before a client gets its answer, in this order: a new one is one file and one
 * line here.
 */
export function createInteractions({
  renderPage,
  ...dependencies
}: ConsentInteractionDependencies & { readonly renderPage: RenderPage }): readonly Interaction[] {
  const { settings } = dependencies;
  return [
    createLoginInteraction(settings),
    createAccountInteraction(createRenderAccount({ settings, renderPage })),
    createConsentInteraction(dependencies),
  ];
}
