import request from 'supertest';

import { hiddenFields, type Person } from '../support/person.js';
import type { Site } from '../support/site.js';
import { callApi } from '../support/tokens.js';
import type { Step } from './everything.js';

const PAGE = '/oauth/access-tokens';

/** Tokens of users for their programs: from code, at the guard, on the pages, at their expiry and after a leak. */
export async function doNamedTokens(site: Site, step: Step, ada: Person): Promise<void> {
  const { personalAccessTokens: tokens } = site.oauth;
  const make = (more = {}) => tokens.create({ userId: 'ada', name: 'Backup', scopes: ['profile'], ...more });
  await step('code: access tokens', async () => {
    const { id, token } = await make({ scopes: ['profile', 'photos:read'] });
    await tokens.list({ userId: 'ada' });
    await tokens.list({ ownerId: 'ada' });
    await tokens.find(id);
    await tokens.narrow(id, ['profile']);
    await tokens.rotate(id);
    await tokens.block(id);
    await tokens.block(id, { reason: 'odd' });
    await callApi(site, token);
    await tokens.unblock(id);
    await tokens.revokeLeaked(token);
    const service = await make({ userId: undefined, owners: ['ada'] });
    await tokens.addOwner(service.id, 'grace');
    await tokens.revoke(service.id);
  });
  const { id, token } = await make();
  await step('guard: personal access token', () => callApi(site, token));
  const { token: leaked } = await make();
  await step('endpoint: a report of leaked tokens', () =>
    request(site.server)
      .post('/oauth/leaked-token')
      .send([{ token: leaked, type: 'x', url: '' }])
      .expect(200),
  );
  await step('page: access tokens', async () => {
    await ada.agent.get(PAGE).expect(200);
    const page = await ada.agent.get(`${PAGE}/${id}`).expect(200);
    await ada.agent.post(`${PAGE}/revoke-all`).type('form').send(hiddenFields(page)).expect(303);
  });
}
