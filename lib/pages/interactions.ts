import type { Interaction } from '../core/authorization/interaction.js';
import { ANY_LOGIN, type LoginPolicy } from '../core/authorization/login-policy.js';
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
 * What a user may have to do before a client gets its response, in this order. A new interaction takes one file and
 * one line here.
 */
export function createInteractions({
  renderPage,
  loginPolicy,
  ...dependencies
}: ConsentInteractionDependencies & {
  readonly renderPage: RenderPage;
  readonly loginPolicy: LoginPolicy;
}): readonly Interaction[] {
  const { settings } = dependencies;
  const renderAccount = createRenderAccount({ settings, renderPage });
  const signUp = settings.openid === false ? undefined : settings.openid.signUp;
  return [
    ...(signUp === undefined ? [] : [createSignUpInteraction(settings, signUp)]),
    createLoginInteraction(settings),
    createAccountInteraction(renderAccount, loginPolicy),
    ...(loginPolicy === ANY_LOGIN ? [] : [createFreshLoginInteraction(renderAccount, loginPolicy)]),
    createConsentInteraction(dependencies),
  ];
}
