import { createTokenResponse } from '../../core/authorization/response-types/token.js';
import { implicitGrant } from '../../core/grant-types/implicit.js';
import type { Feature } from '../../server/server.js';

/** The implicit grant, which RFC 9700 §2.1.2 advises against. @see RFC 6749 §4.2 */
export const implicit = {
  name: 'implicit',
  isOn: ({ grantTypes }) => grantTypes.some((name) => name === implicitGrant.name),
  grantTypes: [implicitGrant],
  responseTypes: [createTokenResponse],
} satisfies Feature;
