import { randomBytes } from 'node:crypto';

import type { WebhookMessage } from '../../lib/delivery/outbox.js';
import type { Stores } from '../../lib/storage/stores.js';
import type { Step } from './everything.js';

/** The receiver of the site with everything, for an event that does not happen there. */
export const WEBHOOKS = [
  {
    url: 'https://hooks.example/',
    secret: `whsec_${randomBytes(32).toString('base64')}`,
    events: ['code.replayed'],
  },
];

/** The calls of a sender to the outbox, whatever its receiver answers. */
export async function doWebhooks(step: Step, outbox: Stores['outbox']): Promise<void> {
  const now = new Date();
  const later = new Date(now.getTime() + 60_000);
  const message = (id: string): WebhookMessage => ({
    _id: id,
    endpoint: 'hooks.example',
    type: 'grant.revoked',
    about: 'of-one-grant',
    payload: '{}',
    createdAt: now,
    triedSince: now,
    attempts: 0,
    nextAt: now,
    expiresAt: later,
  });
  const failed = { problem: 'answered with status 500', failedAt: now, expiresAt: later };
  const [first, second] = [message('msg_1'), message('msg_2')];
  await step('webhooks: keep what happened', () => outbox.add([first, second]));
  await step('webhooks: send', async () => {
    await outbox.findDue('hooks.example', now, 40);
    await outbox.isStopped('hooks.example hash');
    await outbox.lease(first, later);
    await outbox.findOlder(second);
    await outbox.putOff({ id: first._id, until: later }, { nextAt: later, attempts: 1, problem: 'none' });
    await outbox.giveUp({ id: first._id, until: later }, { ...failed, attempts: 2 });
    await outbox.giveUpAll('hooks.example', failed);
  });
  await step('webhooks: look at them', async () => {
    await outbox.list({ limit: 100 });
    await outbox.list({ isFailed: true, limit: 100 });
  });
  await step('webhooks: send again', async () => {
    await outbox.retry({ id: first._id }, { now, expiresAt: later });
    await outbox.retry({ endpoint: 'hooks.example' }, { now: later, expiresAt: later });
    await outbox.remove({ id: first._id, until: later });
    await outbox.remove({ id: second._id, until: later });
  });
}
