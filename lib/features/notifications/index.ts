import type { Feature } from '../../server/server.js';
import { notificationOptions } from './options.js';

/** Tells users what has happened to their accounts. */
export const notifications = {
  name: 'notifications',
  isOn: ({ notify }) => notify !== undefined,
  options: notificationOptions,
  // they wait in the outbox of webhooks
  collections: () => ['Webhook'],
} satisfies Feature;
