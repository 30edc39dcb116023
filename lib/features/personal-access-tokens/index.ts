import type { Feature } from '../../server/server.js';
import { parseScannableToken } from '../../shared/crypto/scannable-tokens.js';
import { createLeakedTokenEndpoint } from './leaked-token-endpoint.js';
import { checkKeyBinding, personalAccessTokenOptions } from './options.js';
import { createOwnTokenEndpoint } from './own-token-endpoint.js';
import { createTokensPages } from './tokens-pages.js';
import { createNamedTokens } from './use-token.js';

/** Tokens that users make for their programs, and service tokens, which act for no user. */
export const personalAccessTokens = {
  name: 'personal-access-tokens',
  isOn: (settings) => settings.personalAccessTokens !== false,
  options: personalAccessTokenOptions,
  checkOptions: checkKeyBinding,
  readToken: parseScannableToken,
  createNamedTokens,
  endpoints: [
    { name: 'access-tokens', isPage: true, create: (server) => createTokensPages(server) },
    { name: 'personal-access-token', create: (server) => createOwnTokenEndpoint(server) },
    { name: 'leaked-token', create: (server) => createLeakedTokenEndpoint(server) },
  ],
} satisfies Feature;
