import type { Feature } from '../../server/feature.js';

/** Tells programs elsewhere what happens: kept until they have accepted it. @see Standard Webhooks, 1.0 */
export const webhooks = {
  name: 'webhooks',
  isOn: (settings) => settings.webhooks.length > 0,
  collections: () => ['Webhook'],
} satisfies Feature;
