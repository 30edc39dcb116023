import type { Feature } from '../../server/server.js';
import { webhookOptions } from './options.js';

/** Sends events to other programs until they accept them. @see Standard Webhooks, 1.0 */
export const webhooks = {
  name: 'webhooks',
  isOn: ({ webhooks: receivers = [] }) => receivers.length > 0,
  options: webhookOptions,
  collections: () => ['Webhook'],
} satisfies Feature;
