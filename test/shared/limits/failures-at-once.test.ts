import { beforeAll, expect, test } from '@jest/globals';

import { createStores } from '../../../lib/storage/stores.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { basic, postToken } from '../../support/tokens.js';

const site = siteFor();
const stores = fixture(() => createStores(site.database.connection, { timeout: 5000 }));
beforeAll(async () => {
  await stores.ready();
});

test('concurrent failures are each answered as a failure, in whatever order they are stored', async () => {
  for (let round = 0; round < 20; round += 1) {
    const { clientId } = await site.client();
    const wrong = { grant_type: 'client_credentials', client_id: clientId };
    const answers = await Promise.all([
      postToken(site, wrong),
      postToken(site, { ...wrong, client_secret: 'wrong' }),
      postToken(site, wrong).set('Authorization', basic(clientId, 'wrong')),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
  }
});

test('concurrent failures count once each, whichever creates the document', async () => {
  const count = stores.failures.counterOf({ name: 'guesses', window: 60 });
  for (let round = 0; round < 20; round += 1) {
    const key = `key ${round}`;
    await Promise.all(Array.from({ length: 12 }, () => count(key, 1)));
    expect((await count(key, 1)).failures).toBe(13);
  }
});
