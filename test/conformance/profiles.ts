import type { Profile } from './profile.js';
import { backChannelLogout } from './profiles/back-channel-logout.js';
import { basic } from './profiles/basic.js';
import { config } from './profiles/config.js';
import { dynamic } from './profiles/dynamic.js';
import { fapi2MessageSigning } from './profiles/fapi2-message-signing.js';
import { fapi2SecurityProfile } from './profiles/fapi2-security-profile.js';
import { formPost } from './profiles/form-post.js';
import { frontChannelLogout } from './profiles/front-channel-logout.js';
import { hybrid } from './profiles/hybrid.js';
import { implicit } from './profiles/implicit.js';
import { rpInitiatedLogout } from './profiles/rp-initiated-logout.js';
import { sessionManagement } from './profiles/session-management.js';
import { sharedSignalsReceiver } from './profiles/shared-signals-receiver.js';
import { sharedSignalsTransmitter } from './profiles/shared-signals-transmitter.js';
import { thirdPartyInitiatedLogin } from './profiles/third-party-initiated-login.js';

export const PROFILES: Readonly<Record<string, Profile>> = {
  config,
  basic,
  implicit,
  hybrid,
  'form-post': formPost,
  dynamic,
  'third-party-initiated-login': thirdPartyInitiatedLogin,
  'rp-initiated-logout': rpInitiatedLogout,
  'session-management': sessionManagement,
  'front-channel-logout': frontChannelLogout,
  'back-channel-logout': backChannelLogout,
  'shared-signals-transmitter': sharedSignalsTransmitter,
  'shared-signals-receiver': sharedSignalsReceiver,
  'fapi2-security-profile': fapi2SecurityProfile,
  'fapi2-message-signing': fapi2MessageSigning,
};
