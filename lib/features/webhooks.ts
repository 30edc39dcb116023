import type { Feature } from '../server/feature.js';

/** What happens, told to programs elsewhere: kept until they have taken it. @see Standard Webhooks, 1.0 */
export const webhooks = {
  name: 'webhooks',
  isOn: (settings) => settings.webhooks.length > 0,
  collections: () => ['Webhook'],
} satisfies Feature;
