import type { ExtensionGrantType } from '../../settings/options/extension-grant-type.js';
import { checkedUserId } from '../../settings/options/people-options.js';
import { unexpectedCondition } from '../../shared/errors.js';
import { isSubset } from '../../shared/protocol/scope.js';
import { issueGrant } from '../grants/issue-grant.js';
import type { GrantType } from './grant-type.js';

/** Makes a `GrantType` of a grant type of the site. @see RFC 6749 §4.5 */
export function createExtensionGrantType(extension: ExtensionGrantType): GrantType {
  const { grantType: name, parameters: names } = extension;
  return {
    name,
    parameters: [...new Set([...names, 'scope'])],
    create(dependencies) {
      return async (context) => {
        const { client, parameters, resources } = context;
        const requested = dependencies.resolveScopes(client, parameters.scope);
        const selected = Object.fromEntries(names.map((parameter) => [parameter, parameters[parameter]]));
        const {
          userId,
          scopes = requested,
          refreshToken = false,
          extra,
        } = await extension.handle({
          client: { clientId: client.clientId, name: client.name, type: client.type },
          parameters: selected,
          scopes: requested,
        });
        // an error in the site's code, not of the client: nobody gets more than was requested and allowed
        if (!isSubset(scopes, requested))
          throw unexpectedCondition(`extension grant ${name} gave scopes that were not requested`);
        return issueGrant(dependencies, context, {
          grantType: name,
          authorization: {
            userId: userId === undefined ? undefined : checkedUserId(`the extension grant ${name}`, userId),
            scopes,
            resources,
            extra,
          },
          withRefreshToken: refreshToken && dependencies.issuer.givesRefreshToken(client),
        });
      };
    },
  };
}
