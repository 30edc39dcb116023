import type { Interaction } from '../core/authorization/interaction.js';
import { ANY_LOGIN, type LoginPolicy } from '../core/authorization/login-policy.js';
import { createAccountInteraction, createFreshLoginInteraction } from './account/account-interactions.js';
import {
  type ConsentInteractionDependencies,
  createConsentInteraction,
} from './consent/consent-interaction.js';
import { createLoginInteraction, createSignUpInteraction } from './login/login-interactions.js';
import type { RenderPage } from './rendering/views.js';

/**
 * The pages that a user may have to complete before the client gets its response, in this order. A new interaction
 * takes one file and one line here.
 */
export function createInteractions(
  dependencies: ConsentInteractionDependencies & {
    readonly renderPage: RenderPage;
    readonly loginPolicy: LoginPolicy;
  },
): readonly Interaction[] {
  const { settings, loginPolicy } = dependencies;
  const signUp = settings.openid ? settings.openid.signUp : undefined;
  return [
    ...(signUp === undefined ? [] : [createSignUpInteraction(settings, signUp)]),
    createLoginInteraction(settings),
    createAccountInteraction(dependencies),
    ...(loginPolicy === ANY_LOGIN ? [] : [createFreshLoginInteraction(dependencies)]),
    createConsentInteraction(dependencies),
  ];
}
