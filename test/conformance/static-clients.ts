import { CLIENT_NAMES, type HostContext, type StaticClient, type SuiteMembers } from './profile.js';

export const OPENID_SCOPES = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'];

/** The variant of the plans whose clients are registered beforehand. */
export const STATIC = { server_metadata: 'discovery', client_registration: 'static_client' };

const METHODS = {
  client: 'client_secret_basic',
  client2: 'client_secret_basic',
  // the client in the modules for the other method
  client_secret_post: 'client_secret_post',
};

/** The three clients with a secret in static plans of OpenID Connect. */
export function clientsWithSecrets(
  { suiteUrl, credentials }: HostContext,
  more: Partial<StaticClient> = {},
): StaticClient[] {
  return CLIENT_NAMES.map((name) => ({
    clientId: name,
    clientSecret: credentials.secrets[name],
    name: `Conformance suite (${name})`,
    tokenEndpointAuthMethod: METHODS[name],
    redirectUris: [`${suiteUrl}/callback`],
    scopes: OPENID_SCOPES,
    ...more,
  }));
}

export function configurationOfSecrets({ credentials }: HostContext): SuiteMembers {
  return Object.fromEntries(
    CLIENT_NAMES.map((name) => [name, { client_id: name, client_secret: credentials.secrets[name] }]),
  );
}
