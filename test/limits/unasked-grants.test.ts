import { afterAll, beforeAll, expect, test } from '@jest/globals';

import type { ClientWithSecret } from '../../lib/index.js';
import { DEVICE_CODE, deviceRequest } from '../support/device.js';
import { asClient, register } from '../support/registration.js';
import { openSite, type Site } from '../support/site.js';
import { tokenRequest } from '../support/tokens.js';

/** Grants that are stored without a person's say have a limit for clients that nobody of the site has looked at. */
let site: Site;

beforeAll(async () => {
  site = await openSite({
    grantTypes: ['client_credentials', DEVICE_CODE],
    registration: { open: true, grantTypes: ['client_credentials', DEVICE_CODE] },
    rateLimits: { clientCredentials: 3, deviceAuthorization: 2 },
  });
});
afterAll(() => site.close());

const CONFIDENTIAL = { client_name: 'Frame maker', grant_types: ['client_credentials', DEVICE_CODE] };
const registered = async (): Promise<ClientWithSecret> =>
  asClient(site, (await register(site, CONFIDENTIAL).expect(201)).body);
const grants = () => site.database.connection.collection('oauth_grants').countDocuments();
const tokens = (client: ClientWithSecret) => tokenRequest(site, client, { grant_type: 'client_credentials' });
const codes = (client: ClientWithSecret) => deviceRequest(site, client);

test.each([
  ['tokens by client_credentials', tokens, 3],
  ['codes of devices', codes, 2],
])('%s of a client that registered itself have a limit, one for each client', async (_what, ask, most) => {
  const [first, second] = [await registered(), await registered()];
  const before = await grants();
  const answers = await Promise.all(Array.from({ length: most + 3 }, () => ask(first)));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(most).fill(200), 429, 429, 429]);
  expect(answers.find(({ status }) => status === 429)?.headers['retry-after']).toEqual(expect.any(String));
  expect(await grants()).toBe(before + most);
  expect((await ask(second)).status).toBe(200);
});

test.each([
  ['registered by the host', {}, 200],
  ['of a person', { ownerId: 'ada' }, 429],
  ['of a person, verified', { ownerId: 'ada', verified: true }, 200],
])('a client %s: the fourth token is answered %o', async (_whose, options, status) => {
  const client = await site.client({ redirectUris: [], ...options });
  for (let count = 0; count < 3; count += 1) await tokens(client).expect(200);
  expect((await tokens(client)).status).toBe(status);
});
