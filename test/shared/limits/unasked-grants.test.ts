import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import type { ClientWithSecret } from '../../../lib/index.js';
import { letPass } from '../../support/clock.js';
import { DEVICE_CODE, deviceRequest } from '../../support/device.js';
import { asClient, register } from '../../support/registration.js';
import { openSite, type Site } from '../../support/site.js';
import { siteFor } from '../../support/site-for.js';
import { tokenRequest } from '../../support/tokens.js';

/** Clients that the site has not checked have a limit of grants without a user's consent. */
const site = siteFor({
  grantTypes: ['client_credentials', DEVICE_CODE],
  registration: { open: true, grantTypes: ['client_credentials', DEVICE_CODE] },
});

const CONFIDENTIAL = { client_name: 'Frame maker', grant_types: ['client_credentials', DEVICE_CODE] };
const registered = async (): Promise<ClientWithSecret> =>
  asClient(site, (await register(site, CONFIDENTIAL).expect(201)).body);
const grants = () => site.database.collection('oauth_grants').countDocuments();
const tokens = (client: ClientWithSecret) => tokenRequest(site, client, { grant_type: 'client_credentials' });
const codes = (client: ClientWithSecret) => deviceRequest(site, client);

test.each([
  ['tokens by client_credentials', tokens, 60],
  ['codes of devices', codes, 60],
])('%s of a self-registered client have a limit for each client', async (_what, ask, max) => {
  const [first, second] = [await registered(), await registered()];
  const before = await grants();
  const answers = await Promise.all(Array.from({ length: max + 3 }, () => ask(first)));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(max).fill(200), 429, 429, 429]);
  expect(answers.find(({ status }) => status === 429)?.headers['retry-after']).toEqual(expect.any(String));
  expect(await grants()).toBe(before + max);
  expect((await ask(second)).status).toBe(200);
});

describe('the limits of strangers', () => {
  let one: Site;
  let other: Site;
  let client: ClientWithSecret;
  const MAX = 4;

  beforeAll(async () => {
    const options = {
      issuer: 'http://127.0.0.1:3000',
      grantTypes: ['client_credentials', DEVICE_CODE] as const,
      registration: { open: true, grantTypes: ['client_credentials', DEVICE_CODE] as const },
      security: { rateLimits: { registration: MAX } },
    };
    one = await openSite(options);
    other = await openSite({ ...options, database: one.database });
    client = await asClient(one, (await register(one, CONFIDENTIAL).expect(201)).body);
  });
  afterAll(async () => {
    await other.close();
    await one.close();
  });

  test.each([
    ['clients that register themselves', (at: Site) => register(at, CONFIDENTIAL), 201, MAX],
    [
      'client credentials tokens of self-registered clients',
      (at: Site) => tokenRequest(at, client, { grant_type: 'client_credentials' }),
      200,
      60,
    ],
    ['device codes of self-registered clients', (at: Site) => deviceRequest(at, client), 200, 60],
  ])('%s have one limit in all processes', async (_what, ask, made, max) => {
    // the registration of the client counted as well
    letPass(61);
    const statuses: number[] = [];
    for (let count = 0; count <= max; count += 1) statuses.push((await ask(one)).status);
    expect(statuses).toEqual([...Array<number>(max).fill(made), 429]);
    // the other process reads the count at its second token
    for (let count = 0; count < 3; count += 1) statuses.push((await ask(other)).status);
    expect(statuses.slice(-3)).toEqual([made, made, 429]);
  });
});

test.each([
  ['registered by the host', {}, 200],
  ['of a user', { ownerId: 'ada' }, 429],
  ['of a user, verified', { ownerId: 'ada', verified: true }, 200],
])('a client %s: the token above the limit is answered %o', async (_whose, options, status) => {
  const client = await site.client({ redirectUris: [], ...options });
  for (let count = 0; count < 60; count += 1) await tokens(client).expect(200);
  expect((await tokens(client)).status).toBe(status);
});
