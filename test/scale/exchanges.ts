import type { Stores } from '../../lib/storage/stores.js';
import type { Step } from './everything.js';

/** Steps of the stores for optional features: exchanged tokens, details for one call, moved secrets. */
export async function doExchanges({ clients, grants }: Stores, step: Step): Promise<void> {
  const now = new Date();
  const exchanged = {
    hash: 'b',
    expiresAt: new Date(now.getTime() + 60_000),
    clientId: 'bindery',
    through: ['bindery'],
    issuedAt: now,
  };
  await step('token exchange', async () => {
    for (const lineage of [
      ['a', 'b'],
      ['a', 'b', 'c'],
    ])
      await grants.exchangeToken({ grantId: 'no grant', hash: 'no token' }, { ...exchanged, lineage }, now);
  });
  await step('page: a connected application', async () => {
    await grants.findExchangers({ userId: 'ada', clientId: 'bindery' }, now);
    await grants.findActors({ userId: 'ada', clientId: 'bindery' }, now);
  });
  await step('guard: a detail for one call', () => grants.useDetails({ grantId: 'no grant' }, [0]));
  await step('client authentication: a secret that moved', () => clients.endRawBasic('bindery', 'no hash'));
}
