import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { openSite, type Site } from '../support/site.js';
import { basic, postToken } from '../support/tokens.js';

let site: Site;
beforeAll(async () => void (site = await openSite()));
afterAll(() => site.close());

test('failures that come at once are each answered as a failure, whichever of them is stored first', async () => {
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
