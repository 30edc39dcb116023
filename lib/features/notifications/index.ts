import type { Feature } from '../../server/feature.js';

/** Tells users what has happened to their accounts. */
export const notifications = {
  name: 'notifications',
  isOn: ({ notify }) => notify !== undefined,
  // they wait in the outbox of webhooks
  collections: () => ['Webhook'],
} satisfies Feature;
