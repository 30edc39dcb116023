import { describe, expect, test } from '@jest/globals';
import type { Response } from 'supertest';

import { SHIPPED_MESSAGES } from '../../../lib/messages/index.js';
import { letPass } from '../../support/clock.js';
import {
  decideOn,
  deviceClient,
  deviceRequest,
  openDeviceSite,
  PAGE,
  personOf,
  poll,
  startDevice,
  typeCode,
} from '../../support/device.js';
import { hiddenFields, postForm } from '../../support/person.js';
import { fixture } from '../../support/site-for.js';
import { refreshTokens } from '../../support/tokens.js';

const site = fixture(() => openDeviceSite({ security: { rateLimits: false } }));
const client = fixture(() => deviceClient(site, { scopes: ['photos:read'] }));
const ada = fixture(() => personOf(site));

const translatorOf = ({ text }: Response) => text.replaceAll('&#39;', "'").replaceAll('&#34;', '"');

const submits = ({ text }: Response) =>
  (text.match(/<button type="submit"[^>]*\bform="consent-form"[^>]*>/g) ?? []).map(
    (button) => /value="([^"]*)"/.exec(button)?.[1],
  );

describe('§6.1 measures against phishing by the code of another device', () => {
  test('§6.1.4 devices that ask at once get different codes [6.1.4-1]', async () => {
    const devices = await Promise.all(Array.from({ length: 20 }, () => startDevice(site, client)));
    expect(new Set(devices.map((device) => device.user_code)).size).toBe(20);
    expect(new Set(devices.map((device) => device.device_code)).size).toBe(20);
  });

  test('§6.1.9 a device gets only scopes that its client may have and the person leaves selected [6.1.9-1]', async () => {
    const refused = await deviceRequest(site, client, { scope: 'photos:read photos:write' });
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_scope']);
    const device = await startDevice(site, client);
    await decideOn(ada, device, { scopes: ['photos:read', 'photos:write'] });
    expect((await poll(site, client, device)).body).toMatchObject({ scope: 'photos:read' });
  });

  test('§6.1.10 tokens of a device client may expire sooner than tokens of other clients [6.1.10-1]', async () => {
    const brief = await deviceClient(site, { accessTokenTtl: 120, refreshTokenTtl: 600 });
    const device = await startDevice(site, brief);
    await decideOn(ada, device);
    const { body } = await poll(site, brief, device);
    expect(body.expires_in).toBe(120);
    const refresh = (token: string) => refreshTokens(site, brief, token);
    const next = await refresh(body.refresh_token);
    expect(next.body.expires_in).toBe(120);
    letPass(601);
    expect((await refresh(next.body.refresh_token)).body).toMatchObject({ error: 'invalid_grant' });
  });

  test.each(Object.entries(SHIPPED_MESSAGES))(
    '§6.1.13, §6.1.14 the pages in %s warn of phishing and show the code, the application and the account [6.1.13-1] [6.1.14-1] [6.1.14-2] [6.1.14-7] [4.3.3-1]',
    async (language, texts) => {
      const device = await startDevice(site, client);
      const page = await ada.agent.get(PAGE).set('Accept-Language', language).expect(200);
      expect(translatorOf(page)).toContain(texts['device.warning']);
      const question = await postForm(ada.agent, PAGE, { ...hiddenFields(page), user_code: device.user_code })
        .set('Accept-Language', language)
        .redirects(1);
      for (const part of [texts['consent.deviceCheck'], device.user_code, client.name, 'Name of ada'])
        expect(translatorOf(question)).toContain(part);
    },
  );

  test('§6.1.14 the first button of the consent form denies, and no button has the focus [6.1.14-3] [6.1.14-4]', async () => {
    const page = await typeCode(ada, (await startDevice(site, client)).user_code);
    // Enter presses the first button of a form
    expect(submits(page)).toEqual(['deny', 'allow']);
    expect(page.text).not.toContain('autofocus');
  });

  test('§6.1.14 a form without a decision leaves the device pending [6.1.14-4]', async () => {
    const device = await startDevice(site, client);
    await decideOn(ada, device, { decision: '' as 'allow' });
    expect((await poll(site, client, device)).body).toMatchObject({ error: 'authorization_pending' });
  });

  test('§4.1.1 an allowed device is among the connected apps, and its token ends with the disconnection [4.1.1-1]', async () => {
    const problem = await deviceClient(site, { name: 'Free bonus device' });
    const device = await startDevice(site, problem);
    await decideOn(ada, device);
    const { access_token: token } = (await poll(site, problem, device)).body;
    const page = await ada.agent.get('/oauth/authorizations').expect(200);
    expect(page.text).toContain('Free bonus device');
    await postForm(ada.agent, '/oauth/authorizations/revoke', {
      ...hiddenFields(page),
      client_id: problem.clientId,
    }).expect(303);
    const answer = await ada.agent.get('/api/me').set('Authorization', `Bearer ${token}`);
    expect(answer.status).toBe(401);
  });
});
