import type { GrantType } from './grant-type.js';

/**
 * Only the authorization endpoint has the implicit grant (`response_type=token`). RFC 9700 §2.1.2 advises against this
 * grant: it is on only if the site names it.
 *
 * @see RFC 6749 §4.2
 */
export const implicitGrant: GrantType<'implicit'> = {
  name: 'implicit',
  openapiFlow: { name: 'implicit', urls: { authorizationUrl: 'authorize' } },
  parameters: [],
};
