import { logoutProfile } from './logout.js';

export const rpInitiatedLogout = logoutProfile({
  title: 'RP-Initiated OP: logouts that a client begins',
  plan: 'rp-initiated-logout',
});
