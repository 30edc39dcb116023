import { OAuthError } from '../errors.js';
import { issueGrant } from '../grants/create-grant.js';
import { isSubset } from '../protocol/scope.js';
import type { ExtensionGrantType } from '../settings/extension-grant-type.js';
import type { GrantType, GrantTypeDependencies } from './grant-type.js';

export function createExtensionGrant(
  extension: ExtensionGrantType,
  dependencies: GrantTypeDependencies,
): GrantType {
  const { grantType, parameters: names } = extension;
  return {
    grantType,
    parameters: [...new Set([...names, 'scope'])],
    async handle({ client, parameters, resources, emit }) {
      const requested = dependencies.resolveScopes(client, parameters.scope);
      const picked = Object.fromEntries(names.map((name) => [name, parameters[name]]));
      const {
        userId,
        scopes = requested,
        refreshToken = false,
        extra,
      } = await extension.handle({
        client: { clientId: client.clientId, name: client.name, type: client.type },
        parameters: picked,
        scopes: requested,
      });
      // a mistake of the host's code, not of the client: nobody gets more than what was asked for and allowed
      if (!isSubset(scopes, requested))
        throw new OAuthError('server_error', 'the server met an unexpected condition', {
          detail: `extension grant ${grantType} gave scopes that were not requested`,
        });
      return issueGrant(dependencies, {
        client,
        emit,
        grantType,
        scopes,
        resources,
        withRefreshToken: refreshToken && dependencies.issuer.givesRefreshToken(client),
        ...(userId !== undefined && { userId }),
        ...(extra && { extra }),
      });
    },
  };
}
