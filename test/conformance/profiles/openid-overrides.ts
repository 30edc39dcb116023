import { authorizeAndLogInAgain } from '../browser-commands.js';
import type { HostContext, Profile } from '../profile.js';

/** The modules of OpenID Connect that want a picture of the page for a new login. */
export const openidOverrides: NonNullable<Profile['overrides']> = (context: HostContext) =>
  Object.fromEntries(
    ['oidcc-prompt-login', 'oidcc-max-age-1'].map((module) => [module, authorizeAndLogInAgain(context)]),
  );
