import { z } from 'zod';

import type { ExtensionGrantType } from './extension-grant-type.js';
import { option } from './option.js';
import { either, functionLike, listOf, oneOf, text } from './shapes.js';

const extensionGrantType = () =>
  z.custom<ExtensionGrantType>((value) => {
    const { grantType, parameters, handle } = (value ?? {}) as Partial<
      Record<keyof ExtensionGrantType, unknown>
    >;
    return (
      typeof grantType === 'string' &&
      Array.isArray(parameters) &&
      parameters.every((parameter) => typeof parameter === 'string') &&
      typeof handle === 'function'
    );
  });

/** Grant types: the ways to a token. */
export const grantTypeOptions = {
  /**
   * The grant types that are on: `authorization_code`, `refresh_token`, `client_credentials`, `implicit`, `password`,
   * `urn:ietf:params:oauth:grant-type:device_code`, and the host's own as `{ grantType, parameters, handle }`.
   * Default: `['authorization_code', 'refresh_token', 'client_credentials']`. (RFC 6749 §4)
   */
  grantTypes: option({
    shape: () =>
      listOf(
        either(
          // only the rooms above know the names, and check them
          text('a name'),
          extensionGrantType(),
          "a name such as 'authorization_code', or { grantType, parameters, handle }",
        ),
        "a list of grant types, such as ['authorization_code', 'refresh_token']",
      ),
  }),
  /**
   * Who must use PKCE: `public` clients (RFC 9700 §2.1.1), `all` (OAuth 2.1), or nobody, `optional` (RFC 6749 by the
   * letter; a stolen code of a public client can then be redeemed by the thief). A client that sends a challenge is
   * held to it in any case. Default: `public`. (RFC 7636)
   */
  pkce: option({ shape: () => oneOf(['public', 'all', 'optional']), default: 'public' }),
  /**
   * `async (username, password) => userId` or `null`: checks name and password. The `password` grant needs it. Default:
   * none. (RFC 6749 §4.3)
   */
  authenticateUser: option({
    shape: () =>
      functionLike<(username: string, password: string) => Promise<string | null>>(
        'async (username, password) => userId or null',
      ),
  }),
};
