import type { Feature } from '../../server/server.js';
import { checkSession } from './check-session.js';

/** Lets clients notice in the browser that a user has logged out here. @see OpenID Connect Session Management 1.0 */
export const openidSession = {
  name: 'openid-session',
  isOn: ({ openid }) => Boolean(openid && openid.sessionManagement),
  endpoints: [checkSession],
} satisfies Feature;
