import { createAuthorizationCodeGrant } from './authorization-code.js';
import { createClientCredentialsGrant } from './client-credentials.js';
import { createDeviceCodeGrant } from './device-code.js';
import { createExtensionGrant } from './extension.js';
import type { GrantType, GrantTypeDependencies } from './grant-type.js';
import { createPasswordGrant } from './password.js';
import { createRefreshTokenGrant } from './refresh-token.js';

/** The grant types of the token endpoint: a new one is one file and one line here. */
const BUILT_IN = [
  createAuthorizationCodeGrant,
  createRefreshTokenGrant,
  createClientCredentialsGrant,
  createPasswordGrant,
  createDeviceCodeGrant,
];

/** Those that the host has switched on, its own among them. */
export function createGrantTypes(dependencies: GrantTypeDependencies): ReadonlyMap<string, GrantType> {
  const { grantTypes, extensionGrantTypes } = dependencies.settings;
  const builtIn = BUILT_IN.map((create) => create(dependencies)).filter(({ grantType }) =>
    (grantTypes as readonly string[]).includes(grantType),
  );
  const extensions = extensionGrantTypes.map((extension) => createExtensionGrant(extension, dependencies));
  return new Map([...builtIn, ...extensions].map((grantType) => [grantType.grantType, grantType]));
}
