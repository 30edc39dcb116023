import type { Feature } from '../../server/server.js';
import { webhookOptions } from './options.js';

/** Tells programs elsewhere what happens: kept until they have accepted it. @see Standard Webhooks, 1.0 */
export const webhooks = {
  name: 'webhooks',
  isOn: ({ webhooks: receivers = [] }) => receivers.length > 0,
  options: webhookOptions,
  collections: () => ['Webhook'],
} satisfies Feature;
