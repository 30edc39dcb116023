import type { GrantType } from './grant-type.js';

/**
 * The implicit grant is the authorization endpoint's alone (`response_type=token`). RFC 9700 §2.1.2 says not to use it:
 * it is on only if the host names it.
 *
 * @see RFC 6749 §4.2
 */
export const implicit: GrantType<'implicit'> = { name: 'implicit', parameters: [] };
