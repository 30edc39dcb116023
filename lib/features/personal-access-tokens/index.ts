import type { Feature } from '../../server/feature.js';
import { parseScannableToken } from '../../shared/crypto/scannable-tokens.js';

/** Tokens that people make for programs of their own, and service tokens that act for nobody. */
export const personalAccessTokens = {
  name: 'personal-access-tokens',
  isOn: (settings) => settings.personalAccessTokens !== false,
  readToken: parseScannableToken,
} satisfies Feature;
