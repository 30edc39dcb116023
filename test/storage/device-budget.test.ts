import { describe, expect, test } from '@jest/globals';

import { commandsDuring } from '../support/commands.js';
import {
  decideDevice,
  decideOn,
  deviceClient,
  deviceRequest,
  letTimePass,
  openDeviceSite,
  PAGE,
  personOf,
  poll,
  startDevice,
  typeCode,
} from '../support/device.js';
import { createPerson, hiddenFields, postForm } from '../support/person.js';
import { fixture } from '../support/site-for.js';

/** The cost of the device flow: thousands of devices poll at the same time. */
const site = fixture(() =>
  openDeviceSite({ security: { rateLimits: false }, advanced: { clientCacheTtl: 60 } }),
);
const client = fixture(() => deviceClient(site));
const ada = fixture(() => personOf(site));

const during = (work: () => PromiseLike<unknown>) => commandsDuring(site.database, work);

const FIND_CLIENT = 'find oauth_clients';
const FIND_CODE = 'find oauth_user_codes';
const FIND_GRANT = 'find oauth_grants';
const FIND_DEVICE = [FIND_CODE, FIND_GRANT, FIND_CLIENT];
const POLL = 'findAndModify oauth_grants';
const UPDATE_GRANT = 'update oauth_grants';

describe('the device', () => {
  test('the codes of a device cost 3 commands', async () => {
    expect(await during(() => deviceRequest(site, client).expect(200))).toEqual([
      FIND_CLIENT,
      'insert oauth_user_codes',
      'insert oauth_grants',
    ]);
  });

  test('a refused device request costs 1 command, and no write', async () => {
    expect(await during(() => deviceRequest(site, client, { scope: 'everything' }).expect(400))).toEqual([
      FIND_CLIENT,
    ]);
  });

  test('a refused poll costs 1 command: pending, too fast, denied or too late', async () => {
    const authorization = await startDevice(site, client);
    const ask = () => poll(site, client, authorization).expect(400);
    expect(await during(ask)).toEqual([POLL]);
    expect(await during(ask)).toEqual([POLL]);
    await decideOn(ada, authorization, { decision: 'deny' });
    expect(await during(ask)).toEqual([POLL]);
    await letTimePass(site, authorization, 700);
    expect(await during(ask)).toEqual([POLL]);
  });

  test('the tokens of a device cost 3 commands, and a replayed device code 2', async () => {
    const authorization = await startDevice(site, client);
    await decideOn(ada, authorization);
    expect(await during(() => poll(site, client, authorization).expect(200))).toEqual([
      POLL,
      'find oauth_clients',
      UPDATE_GRANT,
    ]);
    expect(await during(() => poll(site, client, authorization).expect(400))).toEqual([POLL, UPDATE_GRANT]);
  });

  test('a malformed device code costs 0 commands', async () => {
    expect(await during(() => poll(site, client, { device_code: 'x' }).expect(400))).toEqual([]);
  });
});

describe('the user', () => {
  test('the device page costs 0 commands, with or without a code in its address or a login', async () => {
    const { user_code: userCode } = await startDevice(site, client);
    for (const { agent } of [ada, createPerson(site)]) {
      for (const query of ['', `?user_code=${userCode}`, '?user_code=x'])
        expect(await during(() => agent.get(`${PAGE}${query}`))).toEqual([]);
    }
  });

  test('a user code costs 3 commands, its page 4, a wrong code 1, a malformed one 0', async () => {
    const { user_code: userCode } = await startDevice(site, client);
    expect(await during(() => typeCode(ada, userCode))).toEqual([
      ...FIND_DEVICE,
      ...FIND_DEVICE,
      // whether few use an unverified client, from at most ten of its grants
      'aggregate oauth_grants',
    ]);
    expect(await during(() => typeCode(ada, 'BBBB-BBBB'))).toEqual([FIND_CODE]);
    expect(await during(() => typeCode(ada, 'typo'))).toEqual([]);
  });

  test('a decision about a device costs 4 commands, and the page after it 3', async () => {
    const consent = await typeCode(ada, (await startDevice(site, client)).user_code);
    expect(await during(() => decideDevice(ada, consent))).toEqual([
      ...FIND_DEVICE,
      UPDATE_GRANT,
      ...FIND_DEVICE,
    ]);
  });

  test('a device form without its CSRF token costs 0 commands', async () => {
    const { user_code: userCode } = await startDevice(site, client);
    const fields = hiddenFields(await ada.agent.get(PAGE));
    expect(
      await during(() =>
        postForm(ada.agent, PAGE, { ...fields, csrf_token: 'x', user_code: userCode, decision: 'allow' }),
      ),
    ).toEqual([]);
  });
});
