import { describe, expect, test } from '@jest/globals';

import {
  connectDevice,
  decideOn,
  DEVICE_CODE,
  type DeviceAuthorization,
  deviceClient,
  letTimePass,
  openDeviceSite,
  personOf,
  poll,
  startDevice,
  storedDevice,
} from '../../support/device.js';
import { openSite } from '../../support/site.js';
import { fixture } from '../../support/site-for.js';
import { callApi, postToken, refreshTokens, tokenRequest } from '../../support/tokens.js';

const site = fixture(() => openDeviceSite({ security: { rateLimits: false } }));
const client = fixture(() => deviceClient(site));
const ada = fixture(() => personOf(site));

async function errorOf(authorization: DeviceAuthorization, of = client): Promise<string> {
  const { status, body } = await poll(site, of, authorization);
  return status === 400 ? String(body.error) : `${status}`;
}

describe('§3.4 device access token request', () => {
  test('§3.4 only the exact URN is accepted as the device grant type [3.4-1]', async () => {
    const { device_code: deviceCode } = await startDevice(site, client);
    for (const grantType of ['device_code', DEVICE_CODE.toUpperCase(), `${DEVICE_CODE} `]) {
      expect(
        (await tokenRequest(site, client, { grant_type: grantType, device_code: deviceCode })).body.error,
      ).toBe('unsupported_grant_type');
    }
  });

  test('§3.4 the device grant is refused unless grantTypes has the URN [3.4-1]', async () => {
    await using without = await openSite();
    const shop = await without.client();
    expect(
      (await tokenRequest(without, shop, { grant_type: DEVICE_CODE, device_code: 'x' })).body.error,
    ).toBe('unsupported_grant_type');
  });

  test('§3.4 a poll without a device_code is refused [3.4-2]', async () => {
    const response = await tokenRequest(site, client, { grant_type: DEVICE_CODE });
    expect([response.status, response.body.error]).toEqual([400, 'invalid_request']);
  });

  test('§3.4 a poll without a client is refused [3.4-3]', async () => {
    const { device_code: deviceCode } = await startDevice(site, client);
    expect((await postToken(site, { grant_type: DEVICE_CODE, device_code: deviceCode })).body.error).toBe(
      'invalid_client',
    );
  });

  test('§3.4 a poll of a confidential client needs authentication [3.4-4]', async () => {
    const confidential = await deviceClient(site, { type: 'confidential' });
    const authorization = await startDevice(site, confidential);
    await decideOn(ada, authorization);
    expect(
      (
        await postToken(site, {
          grant_type: DEVICE_CODE,
          device_code: authorization.device_code,
          client_id: confidential.clientId,
        })
      ).body.error,
    ).toBe('invalid_client');
    await poll(site, confidential, authorization).expect(200);
  });

  test('§3.4 a device code is refused for another client, and stays valid for its client', async () => {
    const authorization = await startDevice(site, client);
    const other = await deviceClient(site);
    await decideOn(ada, authorization);
    expect(await errorOf(authorization, other)).toBe('invalid_grant');
    expect((await storedDevice(site, authorization))?.device.interval).toBe(5);
    await poll(site, client, authorization).expect(200);
  });

  test.each(['x', 'eas_dc_', `eas_dc_${'x'.repeat(65)}`, `eas_ac_${'x'.repeat(65)}`])(
    '§3.4 the device code %s is refused',
    async (deviceCode) => {
      expect(
        (await tokenRequest(site, client, { grant_type: DEVICE_CODE, device_code: deviceCode })).body.error,
      ).toBe('invalid_grant');
    },
  );

  test('§3.4 a device code with a wrong secret is refused', async () => {
    const authorization = await startDevice(site, client);
    await decideOn(ada, authorization);
    const forged = {
      ...authorization,
      device_code: `${authorization.device_code.slice(0, -43)}${'A'.repeat(43)}`,
    };
    expect(await errorOf(forged)).toBe('invalid_grant');
    await poll(site, client, authorization).expect(200);
  });
});

describe('§3.5 device access token response', () => {
  test('§3.5 a device gets tokens for the allowed scopes after the decision [3.5-1]', async () => {
    const authorization = await startDevice(site, client, { scope: 'photos:read profile' });
    await decideOn(ada, authorization, { scopes: ['photos:read'] });
    const response = await poll(site, client, authorization).expect(200);
    expect(response.headers['cache-control']).toBe('no-store');
    expect(response.body).toEqual({
      access_token: expect.stringMatching(/^eas_at_/),
      refresh_token: expect.stringMatching(/^eas_rt_/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'photos:read',
    });
    expect((await callApi(site, response.body.access_token)).body).toMatchObject({
      clientId: client.clientId,
      userId: 'ada',
      scopes: ['photos:read'],
    });
    await refreshTokens(site, client, response.body.refresh_token).expect(200);
  });

  test('§3.5 a client without the refresh token grant gets no refresh token [3.5-1]', async () => {
    const plain = await deviceClient(site, { grantTypes: [DEVICE_CODE] });
    expect(await connectDevice(site, plain)).not.toHaveProperty('refresh_token');
  });

  test('§3.5 a device that waits for the interval gets authorization_pending until the decision [3.5-2] [3.5-6]', async () => {
    const authorization = await startDevice(site, client);
    for (let polls = 0; polls < 4; polls += 1) {
      expect(await errorOf(authorization)).toBe('authorization_pending');
      await letTimePass(site, authorization, authorization.interval);
    }
    expect((await storedDevice(site, authorization))?.device.interval).toBe(5);
  });

  test('§3.5 an opened user code is pending until the decision [3.5-2]', async () => {
    const authorization = await startDevice(site, client);
    await ada.agent.get(`/oauth/device?user_code=${authorization.user_code}`).expect(200);
    expect(await errorOf(authorization)).toBe('authorization_pending');
  });

  test('§3.5 a device that polls too early gets slow_down and an interval of 5 seconds more [3.5-3]', async () => {
    const authorization = await startDevice(site, client);
    expect(await errorOf(authorization)).toBe('authorization_pending');
    expect(await errorOf(authorization)).toBe('slow_down');
    expect(await errorOf(authorization)).toBe('slow_down');
    expect((await storedDevice(site, authorization))?.device.interval).toBe(15);
    // the first interval is too short now, and a client with that interval is slowed down again
    await letTimePass(site, authorization, 10);
    expect(await errorOf(authorization)).toBe('slow_down');
    await letTimePass(site, authorization, 20);
    expect(await errorOf(authorization)).toBe('authorization_pending');
    expect((await storedDevice(site, authorization))?.device.interval).toBe(20);
  });

  test('§3.5 each of several concurrent polls counts for slow_down [3.5-3]', async () => {
    const authorization = await startDevice(site, client);
    const errors = await Promise.all(Array.from({ length: 6 }, () => errorOf(authorization)));
    expect(errors.sort()).toEqual(['authorization_pending', ...Array.from({ length: 5 }, () => 'slow_down')]);
    expect((await storedDevice(site, authorization))?.device.interval).toBe(30);
  });

  test('§3.5 a device that got slow_down gets tokens after the decision [3.5-1]', async () => {
    const authorization = await startDevice(site, client);
    await errorOf(authorization);
    await errorOf(authorization);
    await decideOn(ada, authorization);
    await poll(site, client, authorization).expect(200);
  });

  test('§3.5 a device gets access_denied at each poll after a denial [3.5-4] [3.5-7]', async () => {
    const authorization = await startDevice(site, client);
    await decideOn(ada, authorization, { decision: 'deny' });
    expect(await errorOf(authorization)).toBe('access_denied');
    expect(await errorOf(authorization)).toBe('access_denied');
  });

  test('§3.5 a consent without scopes counts as a denial [3.5-4]', async () => {
    const authorization = await startDevice(site, client);
    await decideOn(ada, authorization, { scopes: [] });
    expect(await errorOf(authorization)).toBe('access_denied');
  });

  test('§3.5 a device gets expired_token after the lifetime, even if the person has allowed the device [3.5-5] [3.5-7]', async () => {
    for (const isAllowed of [false, true]) {
      const authorization = await startDevice(site, client);
      if (isAllowed) await decideOn(ada, authorization);
      await letTimePass(site, authorization, 601);
      expect(await errorOf(authorization)).toBe('expired_token');
    }
  });

  test('expired devices are removed by a TTL index', async () => {
    const authorization = await startDevice(site, client);
    const grant = await storedDevice(site, authorization);
    expect(grant?.expiresAt.getTime() - grant?.device.expiresAt.getTime()).toBe(600_000);
    const indexes = await site.database.collection('oauth_user_codes').indexes();
    expect(indexes.find(({ expireAfterSeconds }) => expireAfterSeconds === 0)?.key).toEqual({ expiresAt: 1 });
  });
});

describe('repeated use of a device code', () => {
  test('a second use of a device code revokes its tokens (RFC 6749 §4.1.2)', async () => {
    const authorization = await startDevice(site, client);
    await decideOn(ada, authorization);
    const { body } = await poll(site, client, authorization).expect(200);
    expect((await callApi(site, body.access_token)).status).toBe(200);
    expect(await errorOf(authorization)).toBe('invalid_grant');
    expect((await callApi(site, body.access_token)).status).toBe(401);
    expect((await refreshTokens(site, client, body.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('only one of many concurrent polls gets tokens', async () => {
    for (let round = 0; round < 5; round += 1) {
      const authorization = await startDevice(site, client);
      await decideOn(ada, authorization);
      const answers = await Promise.all(Array.from({ length: 8 }, () => poll(site, client, authorization)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ body }) => body.error === 'invalid_grant')).toHaveLength(7);
    }
  });

  test('a device code is refused after its grant was revoked', async () => {
    const authorization = await startDevice(site, client);
    await decideOn(ada, authorization);
    await site.oauth.grants.revoke({ userId: 'ada', clientId: client.clientId });
    expect(await errorOf(authorization)).toBe('invalid_grant');
  });

  test('the deletion of a client revokes its waiting devices', async () => {
    const gone = await deviceClient(site);
    const authorization = await startDevice(site, gone);
    await site.oauth.clients.delete(gone.clientId);
    expect((await storedDevice(site, authorization))?.revokedAt).toBeInstanceOf(Date);
  });
});
