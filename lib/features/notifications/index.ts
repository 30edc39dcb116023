import type { Feature } from '../../server/server.js';
import { notificationOptions } from './options.js';

/** Notifies users of changes to their accounts. */
export const notifications = {
  name: 'notifications',
  isOn: ({ notify }) => notify !== undefined,
  options: notificationOptions,
  // the messages wait in the outbox of webhooks
  collections: () => ['Webhook'],
} satisfies Feature;
