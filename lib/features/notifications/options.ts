import type { RowsOf } from '../../settings/options.js';
import { option } from '../../settings/table/option.js';
import { callback } from '../../settings/table/shapes.js';

/** The kinds of notifications. */
export const NOTIFICATION_KINDS = [
  'newApp',
  'moreScopes',
  'newDevice',
  'newToken',
  'tokenExpiring',
  'tokenLeaked',
  'tokenBlocked',
  'reuseDetected',
  'appBlocked',
] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

/** A message to a user, ready to be sent: by mail, to their inbox on your site, to their phone. */
export interface Notification {
  /** The same if `notify` is called again, because it failed or its process ended. */
  readonly id: string;
  /** The user, as `people.id` of `authorizationServer` gives their id. */
  readonly userId: string;
  readonly kind: NotificationKind;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
  /** The same as HTML, each value escaped. */
  readonly html: string;
  /** The page on which the user can check the change, and revoke it. */
  readonly url: string;
  /** The language of the texts: `de`. */
  readonly language: string;
}

/** Notifications. */
export const notificationOptions = {
  /**
   * `async ({ id, userId, kind, subject, text, html, url, language }) => …`: tells a user what has happened to their
   * account: `newApp`, `moreScopes`, `newDevice`, `newToken`, `tokenExpiring`, `tokenLeaked`, `tokenBlocked`,
   * `reuseDetected` (of a refresh token or a code), `appBlocked`. If it throws, it is called again, for a day. Default:
   * none, nobody is told.
   */
  notify: option({
    shape: () =>
      callback<(notification: Notification) => unknown>(
        'async ({ userId, subject, text }) => sendMail(await addressOf(userId), subject, text)',
      ),
  }),
};

declare module '../../settings/options.js' {
  interface FeatureRows extends RowsOf<typeof notificationOptions> {}
}
