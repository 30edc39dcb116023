import type { HostContext, Profile, ProfileOptions, StaticClient } from '../profile.js';
import { clientsWithSecrets, configurationOfSecrets, STATIC } from '../static-clients.js';

interface LogoutProfile {
  readonly title: string;
  /** The name of the plan, without its common end. */
  readonly plan: string;
  readonly options?: ProfileOptions;
  /** The metadata of its clients, beside the redirect URIs after a logout. */
  readonly fields?: (context: HostContext) => Partial<StaticClient>;
  readonly overrides?: Profile['overrides'];
}

/** These plans have the metadata by discovery in any case. */
const LOGOUT_STATIC = { client_registration: STATIC.client_registration };

export function logoutProfile({
  title,
  plan,
  options = {},
  fields = () => ({}),
  overrides = () => ({}),
}: LogoutProfile): Profile {
  return {
    title,
    plans: () => [
      { name: `oidcc-${plan}-certification-test-plan`, variant: { ...LOGOUT_STATIC, response_type: 'code' } },
    ],
    options: () => options,
    clients: (context) =>
      clientsWithSecrets(context, {
        postLogoutRedirectUris: [`${context.suiteUrl}/post_logout_redirect`],
        ...fields(context),
      }),
    configuration: configurationOfSecrets,
    overrides,
  };
}
