import { beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';

import {
  decideDevice,
  decideOn,
  type DeviceAuthorization,
  deviceClient,
  openDeviceSite,
  PAGE,
  personOf,
  poll,
  startDevice,
  storedDevice,
  typeCode,
} from '../../support/device.js';
import { createPerson, hiddenFields, postForm, tickedScopes } from '../../support/person.js';
import { fixture } from '../../support/site-for.js';

let authorization: DeviceAuthorization;

const site = fixture(() => openDeviceSite({ security: { rateLimits: false } }));
const client = fixture(() => deviceClient(site, { name: 'Frame <b>of</b> ada' }));
const ada = fixture(() => personOf(site));
const grace = fixture(() => personOf(site, 'grace'));
beforeEach(async () => {
  authorization = await startDevice(site, client, { scope: 'photos:read profile' });
});

const isCodePage = (page: { text: string }) => page.text.includes('id="device-form"');
const isConsent = (page: { text: string }) => page.text.includes('id="consent-form"');
const decisionStored = async () => (await storedDevice(site, authorization))?.device.decision;

describe('§3.3 user interaction', () => {
  test('§3.3 a person enters the code at verification_uri, allows the device, and returns to the device [3.3-1] [5.4-1] [5.4-2]', async () => {
    const { pathname } = new URL(authorization.verification_uri);
    const page = await ada.agent.get(pathname).expect(200);
    expect(isCodePage(page)).toBe(true);
    const consent = await typeCode(ada, authorization.user_code);
    expect(consent.status).toBe(200);
    expect(consent.text).toContain('<bdi>Frame &lt;b&gt;of&lt;/b&gt; ada</bdi> wants to access your account');
    expect(consent.text).toContain('You are connecting a device');
    expect(consent.text).toContain(authorization.user_code);
    expect(consent.text).toContain('Name of ada');
    expect(tickedScopes(consent)).toEqual(['photos:read', 'profile']);
    expect(consent.text).not.toContain('Either way you go on to');
    const done = await decideDevice(ada, consent);
    expect(done.status).toBe(200);
    expect(done.text).toContain('Your device is connected');
    expect(done.text).toContain('You can go back to it now');
    await poll(site, client, authorization).expect(200);
  });

  test('§3.3 a person who denies sees that nothing was connected [3.3-1]', async () => {
    const done = await decideOn(ada, authorization, { decision: 'deny' });
    expect(done.text).toContain('Nothing was connected');
    expect(done.text).not.toContain('/oauth/authorizations');
    expect(await decisionStored()).toBe('deny');
  });

  test('§3.3 a person who is not logged in logs in first and returns with the code', async () => {
    const stranger = createPerson(site);
    const bare = await stranger.agent.get(PAGE).expect(303);
    expect(bare.headers.location).toBe(`/login?return_to=${encodeURIComponent(PAGE)}`);
    const complete = new URL(authorization.verification_uri_complete);
    const sent = await stranger.agent.get(`${complete.pathname}${complete.search}`).expect(303);
    const login = new URL(sent.headers.location!, site.url);
    expect(login.searchParams.get('return_to')).toBe(`${complete.pathname}${complete.search}`);
    const back = await postForm(stranger.agent, `${login.pathname}${login.search}`, {
      username: 'ada',
      password: 'password of ada',
    }).expect(303);
    const page = await stranger.agent.get(back.headers.location!).expect(200);
    expect(page.text).toContain(`value="${authorization.user_code}"`);
  });

  test.each([
    '//evil.example',
    'https://evil.example',
    '"><script>alert(1)</script>',
    'CALL 0800 123',
    'A'.repeat(5000),
    '%00',
  ])('§3.3 an invalid code in the address is neither shown nor passed on: %#', async (value) => {
    const query = `?user_code=${encodeURIComponent(value)}`;
    const page = await ada.agent.get(`${PAGE}${query}`).expect(200);
    expect(page.text).toMatch(/id="user-code" name="user_code" value=""/);
    const sent = await request(site.server).get(`${PAGE}${query}`).expect(303);
    expect(sent.headers.location).toBe(`/login?return_to=${encodeURIComponent(PAGE)}`);
  });

  test('§3.3.1 verification_uri_complete fills in the code without a look-up or a decision [3.3.1-4]', async () => {
    const { pathname, search } = new URL(authorization.verification_uri_complete);
    const page = await ada.agent.get(`${pathname}${search}`).expect(200);
    expect(isCodePage(page)).toBe(true);
    expect(page.text).toContain(`value="${authorization.user_code}"`);
    expect(page.text).toContain('only if the device in front of you shows exactly this code');
    expect(page.text).not.toContain('Frame');
    const unknown = await ada.agent.get(`${pathname}?user_code=BBBB-BBBB`).expect(200);
    expect(
      unknown.text
        .replaceAll('BBBB-BBBB', authorization.user_code)
        .replace(/name="csrf_token" value="[^"]*"/, ''),
    ).toBe(page.text.replace(/name="csrf_token" value="[^"]*"/, ''));
    const consent = await postForm(ada.agent, PAGE, {
      ...hiddenFields(page),
      user_code: authorization.user_code,
    }).redirects(1);
    expect(isConsent(consent)).toBe(true);
    expect(consent.text).toContain('shows exactly this code');
    expect(consent.text).toMatch(new RegExp(`class="eas-user-code"[^>]*>${authorization.user_code}<`));
    expect(await decisionStored()).toBeUndefined();
  });

  test('§3.3 the device pages are not cached, not framed, and run no script', async () => {
    for (const page of [await ada.agent.get(PAGE), await typeCode(ada, authorization.user_code)]) {
      expect(page.headers['cache-control']).toBe('no-store');
      expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(page.headers['content-security-policy']).toContain("default-src 'none'");
      expect(page.headers['content-security-policy']).toMatch(/form-action 'self'(;|$)/);
      expect(page.text).not.toContain('<script');
    }
  });
});

describe('the address of a device request', () => {
  const addressOf = ({ user_code: userCode }: DeviceAuthorization) => `${PAGE}/request?user_code=${userCode}`;

  test('both device forms lead to an address that survives back and reload, and shows the decision', async () => {
    const consent = await typeCode(ada, authorization.user_code);
    expect(isConsent(await ada.agent.get(addressOf(authorization)))).toBe(true);
    const decided = await decideDevice(ada, consent).redirects(0);
    expect([decided.status, decided.headers.location]).toEqual([303, addressOf(authorization)]);
    for (let times = 0; times < 2; times += 1)
      expect((await ada.agent.get(addressOf(authorization))).text).toContain('Your device is connected');
  });

  test('two tabs have separate device requests', async () => {
    const other = await startDevice(site, client);
    const [first, second] = [
      await typeCode(ada, authorization.user_code),
      await typeCode(ada, other.user_code),
    ];
    expect((await ada.agent.get(addressOf(authorization))).text).toContain(authorization.user_code);
    await decideDevice(ada, first, { decision: 'deny' });
    await decideDevice(ada, second);
    expect((await poll(site, client, authorization)).body.error).toBe('access_denied');
    await poll(site, client, other).expect(200);
  });

  test('the address of a device request shows nothing before the code was sent with the form [3.3.1-4]', async () => {
    for (const userCode of [authorization.user_code, 'BBBB-BBBB']) {
      const sent = await ada.agent.get(`${PAGE}/request?user_code=${userCode}`);
      expect([sent.status, sent.headers.location]).toEqual([303, `${PAGE}?user_code=${userCode}`]);
    }
    for (const query of ['', '?user_code=x', '?user_code=a&user_code=b'])
      expect((await ada.agent.get(`${PAGE}/request${query}`)).headers.location).toBe(PAGE);
  });

  test('a device request of one person shows nothing to another person', async () => {
    await decideOn(ada, authorization);
    await typeCode(grace, authorization.user_code);
    const page = await grace.agent.get(addressOf(authorization));
    expect([page.status, isCodePage(page)]).toEqual([422, true]);
  });
});

describe('§6.1 the entry of a user code', () => {
  test.each([
    ['in lower case', (code: string) => code.toLowerCase()],
    ['without the dash', (code: string) => code.replace('-', '')],
    ['with spaces', (code: string) => ` ${[...code].join(' ')} `],
    ['with other dashes and dots', (code: string) => `${code.replace('-', '–')}.`],
    [
      'in full width',
      (code: string) =>
        code.replace(/[A-Z]/g, (letter) => String.fromCodePoint(letter.codePointAt(0)! + 0xfee0)),
    ],
  ])('§6.1 a user code %s is accepted [6.1-2]', async (_how, typed) => {
    expect(isConsent(await typeCode(ada, typed(authorization.user_code)))).toBe(true);
  });

  test('§6.1 look-alike characters are read as the letters of the code [6.1-2]', async () => {
    const { parseUserCode } = await import('../../../lib/features/device/user-codes.js');
    expect(parseUserCode('oi25-68u0')?.text).toBe('QLZS-GBVQ');
    expect(parseUserCode('1|OO 2222')?.text).toBe('LLQQ-ZZZZ');
  });

  test.each(['', 'WDJB', 'WDJB-MJHTT', 'AAAA-AAAA', '????-????', 'BCDF'.repeat(5000)])(
    '§6.1 an invalid user code shows the form again with an error: %#',
    async (typed) => {
      const page = await typeCode(ada, typed);
      expect([page.status, isCodePage(page)]).toEqual([422, true]);
      expect(page.text).toContain('role="alert"');
      expect(page.text).toContain('aria-invalid="true"');
    },
  );

  test('a repeated field of the device form is refused', async () => {
    const fields = hiddenFields(await ada.agent.get(PAGE));
    for (const body of [
      `user_code=BBBB-BBBB&user_code=${authorization.user_code}`,
      `user_code=${authorization.user_code}&decision=allow&decision=deny`,
    ]) {
      expect(
        (await ada.agent.post(PAGE).type('form').send(`csrf_token=${fields.csrf_token}&${body}`)).status,
      ).toBe(400);
    }
    expect(await decisionStored()).toBeUndefined();
  });
});

describe('the decision', () => {
  test('a device form without a valid CSRF token is refused, and nothing is decided', async () => {
    const consent = await typeCode(ada, authorization.user_code);
    const foreign = hiddenFields(await grace.agent.get(PAGE)).csrf_token;
    for (const csrfToken of [undefined, '', 'x', foreign]) {
      const answer = await postForm(ada.agent, PAGE, {
        ...hiddenFields(consent),
        csrf_token: csrfToken,
        granted_scope: 'photos:read',
        decision: 'allow',
      });
      expect([answer.status, isCodePage(answer)]).toEqual([403, true]);
      expect(answer.text).toContain(`value="${authorization.user_code}"`);
    }
    expect(await decisionStored()).toBeUndefined();
  });

  test('a device form after the end of the session leads to the login, and nothing is decided', async () => {
    const eve = await personOf(site);
    const consent = await typeCode(eve, authorization.user_code);
    await eve.agent.post('/logout');
    const answer = await decideDevice(eve, consent).redirects(0);
    expect([answer.status, answer.headers.location]).toEqual([
      303,
      // the address has the code, so that nobody has to type the code again
      `/login?return_to=${encodeURIComponent(`${PAGE}?user_code=${authorization.user_code}`)}`,
    ]);
    expect(await decisionStored()).toBeUndefined();
  });

  test.each([undefined, '', 'maybe', 'ALLOW'])('the decision %s shows the form again', async (decision) => {
    const consent = await typeCode(ada, authorization.user_code);
    const answer = await postForm(ada.agent, PAGE, {
      ...hiddenFields(consent),
      ...(decision !== undefined && { decision }),
    }).redirects(1);
    expect(isConsent(answer)).toBe(true);
    expect(await decisionStored()).toBeUndefined();
  });

  test('a form cannot add scopes that the device did not request', async () => {
    await decideOn(ada, authorization, { scopes: ['photos:read', 'photos:write', 'admin'] });
    expect((await poll(site, client, authorization)).body.scope).toBe('photos:read');
  });

  test('a scope with optional: false is granted with each permission, and never with a denial', async () => {
    await using firm = await openDeviceSite({
      scopes: {
        'photos:read': 'See your photos',
        profile: { description: 'See your name', optional: false },
      },
    });
    const frame = await deviceClient(firm, { scopes: ['photos:read', 'profile'] });
    const person = await personOf(firm);
    const start = (scope: string) => startDevice(firm, frame, { scope });
    const both = await start('photos:read profile');
    const consent = await typeCode(person, both.user_code);
    expect(tickedScopes(consent)).toEqual(['photos:read']);
    expect(consent.text).toContain('See your name');
    await decideDevice(person, consent, { scopes: [] });
    expect((await poll(firm, frame, both)).body.scope).toBe('profile');
    const one = await start('photos:read');
    await decideOn(person, one, { scopes: ['profile'] });
    expect((await poll(firm, frame, one)).body.error).toBe('access_denied');
    const denied = await start('photos:read profile');
    await decideOn(person, denied, { decision: 'deny' });
    expect((await poll(firm, frame, denied)).body.error).toBe('access_denied');
  });

  test('a second person who decides on a user code sees that the code is used', async () => {
    const consents = [
      await typeCode(ada, authorization.user_code),
      await typeCode(grace, authorization.user_code),
    ];
    await decideDevice(ada, consents[0]!);
    const late = await decideDevice(grace, consents[1]!);
    expect([late.status, isCodePage(late)]).toEqual([422, true]);
    expect((await typeCode(grace, authorization.user_code)).status).toBe(422);
    expect((await storedDevice(site, authorization))?.userId).toBe('ada');
  });

  test('only one of two concurrent persons decides on a user code', async () => {
    for (let round = 0; round < 5; round += 1) {
      authorization = await startDevice(site, client);
      const [hers, theirs] = [
        await typeCode(ada, authorization.user_code),
        await typeCode(grace, authorization.user_code),
      ];
      const answers = await Promise.all([decideDevice(ada, hers), decideDevice(grace, theirs)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
    }
  });

  test('a repeated device form gets the same response and changes nothing', async () => {
    const consent = await typeCode(ada, authorization.user_code);
    const [first, second] = await Promise.all([decideDevice(ada, consent), decideDevice(ada, consent)]);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.text).toContain('Your device is connected');
    await poll(site, client, authorization).expect(200);
    const changed = await decideDevice(ada, consent, { decision: 'deny' });
    expect(changed.text).toContain('Your device is connected');
    expect(await decisionStored()).toBe('allow');
  });

  test('the decision on a device is not remembered as consent', async () => {
    await decideOn(ada, authorization);
    expect(
      await site.database.collection('oauth_consents').countDocuments({ clientId: client.clientId }),
    ).toBe(0);
    const next = await startDevice(site, client);
    expect(isConsent(await typeCode(ada, next.user_code))).toBe(true);
  });

  test('a device of a trusted client needs the decision of the person', async () => {
    const trusted = await deviceClient(site, { trusted: true });
    expect(isConsent(await typeCode(ada, (await startDevice(site, trusted)).user_code))).toBe(true);
  });

  test('an expired user code and the user code of a deleted client are unknown', async () => {
    const expire = { $set: { 'device.expiresAt': new Date(0) } };
    const { _id: id } = (await storedDevice(site, authorization))!;
    await site.database.update('oauth_grants', id, expire);
    expect((await typeCode(ada, authorization.user_code)).status).toBe(422);
    const gone = await deviceClient(site);
    const orphan = await startDevice(site, gone);
    await site.oauth.clients.delete(gone.clientId);
    expect((await typeCode(ada, orphan.user_code)).status).toBe(422);
  });
});

describe('§5.1 user code brute forcing', () => {
  test('§5.1 wrong user codes of one person are limited at any address, and do not limit another person [5.1-1]', async () => {
    await using limited = await openDeviceSite({
      before: (app) => app.set('trust proxy', 'loopback'),
    });
    const frame = await deviceClient(limited);
    const waiting = await startDevice(limited, frame);
    const eve = await personOf(limited);
    const csrf = hiddenFields(await eve.agent.get(PAGE));
    const type = (userCode: string, address: string) =>
      postForm(eve.agent, PAGE, { ...csrf, user_code: userCode })
        .set('X-Forwarded-For', address)
        .set('X-Forwarded-Proto', 'https');
    for (let index = 0; index < 10; index += 1)
      expect((await type('BBBB-BBBB', `192.0.2.${index}`)).headers.location).toMatch(/BBBB-BBBB$/);
    const refused = await type(waiting.user_code, '192.0.2.99');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused.text).toContain('Too many tries');
    expect(isConsent(await typeCode(await personOf(limited, 'grace'), waiting.user_code))).toBe(true);
    // each failure is reported to the site, for its log
    expect(
      limited.errors
        .filter(({ endpoint }) => endpoint === 'device')
        .map(({ error, detail }) => [error, detail]),
    ).toEqual([
      ...Array.from({ length: 10 }, () => ['invalid_request', 'typed by user ada']),
      ['temporarily_unavailable', expect.stringContaining('rate limit')],
    ]);
  });

  test('§5.1 wrong user codes of many persons at one address lock out nobody, in any process [5.1-1] [5.1-2]', async () => {
    let account = 'stranger 0';
    await using limited = await openDeviceSite({ people: { id: () => account } });
    const { database, url: issuer } = limited;
    await using sibling = await openDeviceSite({ database, issuer, people: { id: () => account } });
    const frame = await deviceClient(limited);
    for (let stranger = 0; stranger < 10; stranger += 1) {
      account = `stranger ${stranger}`;
      const eve = await personOf(limited, 'eve');
      for (let index = 0; index < 10; index += 1) expect((await typeCode(eve, 'BBBB-BBBB')).status).toBe(422);
      // each account has its own limit
      expect((await typeCode(eve, 'BBBB-BBBB')).status).toBe(429);
    }
    account = 'ada';
    for (const site of [limited, sibling]) {
      const ada = await personOf(site);
      expect((await typeCode(ada, 'BBBB-BBBB')).status).toBe(422);
      expect(isConsent(await typeCode(ada, (await startDevice(limited, frame)).user_code))).toBe(true);
    }
  });

  test('§5.1 concurrent wrong user codes cannot exceed the limit [5.1-1]', async () => {
    await using limited = await openDeviceSite();
    const eve = await personOf(limited);
    const csrf = hiddenFields(await eve.agent.get(PAGE));
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => postForm(eve.agent, PAGE, { ...csrf, user_code: 'BBBB-BBBB' })),
    );
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(6);
  });

  test('§5.1 valid and malformed user codes do not count as wrong [5.1-1]', async () => {
    await using limited = await openDeviceSite();
    const frame = await deviceClient(limited);
    const eve = await personOf(limited);
    for (let index = 0; index < 11; index += 1) {
      expect((await typeCode(eve, 'typo')).status).toBe(422);
      expect(isConsent(await typeCode(eve, (await startDevice(limited, frame)).user_code))).toBe(true);
    }
  });
});
