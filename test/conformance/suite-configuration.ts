import { authorize, logOut } from './browser-commands.js';
import type { HostContext, Profile, SuiteConfiguration } from './profile.js';

/** The configuration for the suite: the address of the host, its clients, and the actions of the suite's browser. */
export function suiteConfiguration(
  profile: Profile,
  context: HostContext,
  alias: string,
): SuiteConfiguration {
  const { issuer } = context;
  const isOpenid = profile.options(context).openid !== false;
  const metadata = isOpenid ? 'openid-configuration' : 'oauth-authorization-server';
  const overrides = Object.entries(profile.overrides?.(context) ?? {});
  return {
    alias,
    description: `express-authorization-server: ${profile.title}`,
    server: { discoveryUrl: `${issuer}/.well-known/${metadata}` },
    ...profile.configuration(context),
    browser: [authorize(context), logOut(context)],
    ...(overrides.length > 0 && {
      override: Object.fromEntries(overrides.map(([module, browser]) => [module, { browser }])),
    }),
  };
}
