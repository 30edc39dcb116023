import type { Feature } from '../../server/feature.js';
import { globalTokenRevocationEndpoint as endpoint } from './endpoint.js';

/** Lets other systems end everything that a user has allowed. @see draft-parecki-oauth-global-token-revocation-04 */
export const globalTokenRevocation = {
  name: 'global-token-revocation',
  isOn: (settings) => settings.globalTokenRevocation !== false,
  endpoints: [endpoint],
} satisfies Feature;
