import { fieldsOf } from '../../core/clients/client-field.js';
import type { Feature } from '../../server/server.js';
import { logoutFieldRows } from './client-fields.js';
import { endSession } from './end-session.js';

/**
 * A user who logs out here is logged out where they have signed in with this site, and the other way round.
 *
 * @see OpenID Connect RP-Initiated Logout 1.0, Back-Channel Logout 1.0, Front-Channel Logout 1.0
 */
export const openidLogout = {
  name: 'openid-logout',
  isOn: (settings) => settings.openid !== false,
  endpoints: [endSession],
  collections: () => ['SignIn', 'Webhook'],
  metadata: () => ({
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    frontchannel_logout_supported: true,
    frontchannel_logout_session_supported: true,
  }),
  clientFields: fieldsOf(logoutFieldRows),
} satisfies Feature;
