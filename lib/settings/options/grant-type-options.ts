import * as z from '../../shared/schema.js';
import { objectOf, option, required } from '../table/option.js';
import { serverOptionError } from '../table/parse-options.js';
import { callback, listOf, scopeList, text } from '../table/shapes.js';
import type { ExtensionGrantType } from './extension-grant-type.js';

const extensionRows = {
  grantType: required({
    // an empty name, too, which the rule for names refuses
    shape: () => z.string("the name of the grant type, such as 'urn:example:grant-type:gift-card'"),
  }),
  parameters: required({
    shape: () => listOf(z.string('the name of a parameter'), "a list of parameters, such as ['gift_card']"),
  }),
  handle: required({
    shape: () =>
      callback<ExtensionGrantType['handle']>('async ({ client, parameters, scopes }) => ({ userId })'),
  }),
};

/** Accepts the object itself: an instance of a class keeps its methods, and may have other members. */
const extensionGrantType = () =>
  z.custom<ExtensionGrantType>().check((value) => {
    const { issues = [] } = objectOf(extensionRows, 'an object').validate(value);
    return issues.every(({ unknownNames }) => unknownNames !== undefined) ? [] : issues;
  });

/** What may be asked for unless a client says otherwise: grant types and scopes. */
export const grantTypeOptions = {
  /**
   * The grant types that are on: `authorization_code`, `refresh_token`, `client_credentials`, `implicit`, `password`,
   * `urn:ietf:params:oauth:grant-type:device_code`, and your own as `{ grantType, parameters, handle }`. The
   * option `tokenExchange` adds `urn:ietf:params:oauth:grant-type:token-exchange`, and `assertions` adds
   * `urn:ietf:params:oauth:grant-type:jwt-bearer`. Default: `['authorization_code', 'refresh_token',
   * 'client_credentials']`. (RFC 6749 §4)
   */
  grantTypes: option({
    shape: () =>
      listOf(
        z.union(
          [
            // the layers above check the names, which only they know
            text('a name'),
            extensionGrantType(),
          ],
          "a name such as 'authorization_code', or { grantType, parameters, handle }",
        ),
        "a list of grant types, such as ['authorization_code', 'refresh_token']",
      ),
    resolve: (_given, { builtInGrantTypes }) => builtInGrantTypes,
  }),
  /** The scopes meant by a request that names none. Default: all that the client is registered for. */
  defaultScopes: option({
    shape: scopeList,
    resolve(names, { scopes }) {
      const unknown = names?.find((name) => !Object.hasOwn(scopes, name));
      if (unknown !== undefined) throw serverOptionError('defaultScopes', `'${unknown}' is not among scopes`);
      return names;
    },
  }),
};
