import { z } from 'zod';

import { objectOf, option, required } from '../table/option.js';
import { callback, listOf, oneOf, seconds, text, union } from '../table/shapes.js';
import type { ExtensionGrantType } from './extension-grant-type.js';

const extensionRows = {
  grantType: required({
    // also an empty one, which is refused with the rule for names
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

/** The object itself: an instance of a class keeps its methods, and what else it has is no mistake. */
const extensionGrantType = () =>
  z.custom<ExtensionGrantType>().superRefine((value, context) => {
    const { issues } = objectOf(extensionRows, 'an object').safeParse(value, { jitless: true }).error ?? {};
    if (issues?.some(({ code }) => code !== 'unrecognized_keys'))
      for (const issue of issues) context.addIssue({ ...issue });
  });

/** Grant types: the ways to a token. */
export const grantTypeOptions = {
  /**
   * The grant types that are on: `authorization_code`, `refresh_token`, `client_credentials`, `implicit`, `password`,
   * `urn:ietf:params:oauth:grant-type:device_code`, and the host's own as `{ grantType, parameters, handle }`. The
   * option `tokenExchange` adds `urn:ietf:params:oauth:grant-type:token-exchange`, and `assertions` adds
   * `urn:ietf:params:oauth:grant-type:jwt-bearer`. Default: `['authorization_code', 'refresh_token',
   * 'client_credentials']`. (RFC 6749 §4)
   */
  grantTypes: option({
    shape: () =>
      listOf(
        union(
          // only the layers above know the names, and check them
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
      callback<(username: string, password: string) => Promise<string | null>>(
        'async (username, password) => userId or null',
      ),
  }),
};

/** Devices without a browser (RFC 8628). */
export const deviceOptions = {
  /** Seconds that the codes of a device can be used. Default: `600`. (RFC 8628 §3.2) */
  deviceCodeTtl: option({ shape: () => seconds({ example: 600 }), default: 600 }),
};
