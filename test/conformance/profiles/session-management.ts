import { logoutProfile } from './logout.js';

export const sessionManagement = logoutProfile({
  title: 'Session OP: a frame that says whether the session has changed',
  plan: 'session-management',
  options: { openid: { sessionManagement: true } },
  // the suite's browser does not run two frames of two origins: a tester opens all pages of this module in another one
  overrides: () => ({ 'oidcc-session-management-rp-initiated-logout': [] }),
});
