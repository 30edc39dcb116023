import type { Interaction } from '../core/authorization/interaction.js';
import type { Logins } from '../core/authorization/logins.js';
import { createAccountInteraction } from './account/account-interaction.js';
import { createRenderAccount } from './account/account-page.js';
import { createFreshLoginInteraction } from './account/fresh-login-interaction.js';
import {
  type ConsentInteractionDependencies,
  createConsentInteraction,
} from './consent/consent-interaction.js';
import { createLoginInteraction } from './login/login-interaction.js';
import { createSignUpInteraction } from './login/sign-up-interaction.js';
import type { RenderPage } from './rendering/views.js';

/**
 * What a person may have to do before a client gets its answer, in this order. A new interaction takes one file and one
 * line here.
 */
export function createInteractions({
  renderPage,
  logins,
  ...dependencies
}: ConsentInteractionDependencies & {
  readonly renderPage: RenderPage;
  readonly logins: Logins;
}): readonly Interaction[] {
  const { settings } = dependencies;
  const renderAccount = createRenderAccount({ settings, renderPage });
  return [
    createSignUpInteraction(settings),
    createLoginInteraction(settings),
    createAccountInteraction(renderAccount, logins),
    createFreshLoginInteraction(renderAccount, logins),
    createConsentInteraction(dependencies),
  ];
}
