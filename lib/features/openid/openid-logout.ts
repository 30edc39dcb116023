import { field, fieldsOf, type MetadataOf } from '../../core/clients/client-field.js';
import {
  backchannelLogoutUriProblems,
  frontchannelLogoutUriProblems,
  postLogoutRedirectUriProblems,
} from '../../core/clients/logout-uri-problems.js';
import { flagSchema, listSchema, textSchema } from '../../core/clients/validation/schemas.js';
import type { Feature } from '../../server/feature.js';
import { endSession } from './end-session.js';

/** What its clients are registered with. */
const clientFieldRows = {
  /** Where it may send users after a logout, compared exactly. Needs `openid`. Default: none. */
  postLogoutRedirectUris: field<readonly string[]>({
    shape: listSchema,
    stored: { type: [String], default: undefined },
    requiresReapproval: 'if-extended',
    findProblems: postLogoutRedirectUriProblems,
    wire: { name: 'post_logout_redirect_uris' },
    flag: {
      flags: '--post-logout-redirect-uri <uri...>',
      description: 'where users may come after they have logged out',
    },
    printed: {
      label: 'after the logout',
      format: (uris: readonly string[] | undefined) => uris?.join(' '),
    },
  }),
  /** The URL that hears of logouts. Default: none. */
  backchannelLogoutUri: field<string>({
    shape: textSchema,
    stored: { type: String },
    requiresReapproval: 'if-extended',
    findProblems: backchannelLogoutUriProblems,
    wire: { name: 'backchannel_logout_uri' },
    flag: {
      flags: '--backchannel-logout-uri <uri>',
      description: 'where it is told that somebody has logged out',
    },
    printed: { label: 'told of logouts at' },
  }),
  /** Without effect: a logout always names the session. */
  backchannelLogoutSessionRequired: field<boolean>({
    // our logout tokens name the session in any case
    shape: flagSchema,
    stored: { type: Boolean },
    wire: { name: 'backchannel_logout_session_required' },
  }),
  /** Its page that logs users out, loaded in a frame. Default: none. */
  frontchannelLogoutUri: field<string>({
    shape: textSchema,
    stored: { type: String },
    requiresReapproval: 'if-extended',
    findProblems: frontchannelLogoutUriProblems,
    wire: { name: 'frontchannel_logout_uri' },
    flag: {
      flags: '--frontchannel-logout-uri <uri>',
      description: 'its page that logs out, which browsers load',
    },
    printed: { label: 'page that logs out' },
  }),
  /** Without effect: a logout always names the session. */
  frontchannelLogoutSessionRequired: field<boolean>({
    shape: flagSchema,
    stored: { type: Boolean },
    wire: { name: 'frontchannel_logout_session_required' },
  }),
};

declare module '../../core/clients/client.js' {
  interface ClientMetadata extends MetadataOf<typeof clientFieldRows> {}
}

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
  clientFields: fieldsOf(clientFieldRows),
} satisfies Feature;
