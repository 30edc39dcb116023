import { logoutProfile } from './logout.js';

export const backChannelLogout = logoutProfile({
  title: 'Back-Channel OP: logouts that clients hear of by a request',
  plan: 'backchannel-rp-initiated-logout',
  fields: ({ suiteUrl }) => ({
    backchannelLogoutUri: `${suiteUrl}/backchannel_logout`,
  }),
});
