import { logoutProfile } from './logout.js';

export const frontChannelLogout = logoutProfile({
  title: 'Front-Channel OP: logouts that clients hear of in frames',
  plan: 'frontchannel-rp-initiated-logout',
  fields: ({ suiteUrl }) => ({
    frontchannelLogoutUri: `${suiteUrl}/frontchannel_logout`,
  }),
});
