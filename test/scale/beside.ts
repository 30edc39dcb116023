import type { Stores } from '../../lib/storage/stores.js';
import type { Step } from './everything.js';
import { doSharedSignals } from './shared-signals.js';
import { doSignIns } from './sign-ins.js';
import { doWebhooks } from './webhooks.js';

/** Features without options in the site with everything; called on the stores, as the pages and endpoints do. */
export async function doBeside(step: Step, stores: Stores): Promise<void> {
  const { grants, consents, outbox, signIns } = stores;
  const now = new Date();
  const rebound = { name: 'album', value: 'a2', isMax: false, endsAt: now };
  await step('page: pick something else for an app', async () => {
    await consents.rebind({ userId: 'other-user-5', clientId: 'other-client-5' }, rebound, now);
    await grants.changeChoices({ userId: 'other-user-5', clientId: 'other-client-5' }, rebound, now);
  });
  await step('notify: tokens that expire', async () => {
    const until = new Date(now.getTime() + 600_000);
    await grants.leaseExpiring({ now, until }, 500);
    await grants.endReminder({ grantId: 'no grant', until });
  });
  await doWebhooks(step, outbox);
  await doSignIns(step, { signIns, grants });
  await doSharedSignals(step, stores);
}
