import { beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';

import type { ClientWithSecret } from '../../lib/index.js';
import { commandsDuring } from '../support/commands.js';
import {
  connectDevice,
  decideOn,
  deviceClient,
  letTimePass,
  openDeviceSite,
  personOf,
  poll,
  startDevice,
} from '../support/device.js';
import { codeQuery, hiddenFields, type Person, postForm } from '../support/person.js';
import { fixture } from '../support/site-for.js';
import { callApi, obtainCode, obtainTokens, redeem, refreshTokens } from '../support/tokens.js';

const PAGE = '/oauth/authorizations';

let shop: ClientWithSecret;

const site = fixture(() => openDeviceSite({ security: { rateLimits: false } }));

const ada = fixture(() => personOf(site));
const grace = fixture(() => personOf(site, 'grace'));
beforeEach(async () => {
  await site.oauth.grants.revoke({ userId: 'ada' });
  await site.oauth.grants.revoke({ userId: 'grace' });
  shop = await site.client({ name: 'Shop & <i>Sons</i>' });
});

const listOf = ({ agent }: Person) => agent.get(PAGE).expect(200);
const works = async (token: string) => (await callApi(site, token)).status === 200;

async function send({ agent }: Person, action: string, fields: Record<string, unknown> = {}) {
  const { csrf_token: csrfToken } = hiddenFields(await agent.get('/oauth/device'));
  return postForm(agent, `${PAGE}/${action}`, { csrf_token: csrfToken, ...fields });
}

describe('the list of connected apps', () => {
  test('the list of connected apps shows each app’s scopes, first consent and last activity', async () => {
    await obtainTokens(site, shop, { query: { scope: 'photos:read profile' } });
    const { text } = await listOf(ada);
    expect(text).toContain('<bdi>Shop &amp; &lt;i&gt;Sons&lt;/i&gt;</bdi>');
    expect(text).toContain('<li><bdi>See your photos</bdi></li>');
    expect(text).toContain('<li><bdi>See your name</bdi></li>');
    expect(text).not.toContain('Add and delete photos');
    expect(text).toMatch(/Connected since <time datetime="20/);
    expect(text).toMatch(/Last active <time datetime="20[^"]+" data-moment>[^<]+ UTC</);
    expect(text).toContain('Logged in as <strong><bdi>Name of ada</bdi></strong>');
  });

  test('the list of connected apps says that it is empty', async () => {
    await obtainTokens(site, shop);
    const { text } = await listOf(grace);
    expect(text).toContain('No connected apps');
    expect(text).not.toContain('Shop');
    expect(text).not.toContain('revoke-all');
  });

  test('the list of connected apps shows each app once, with the scopes of all its grants', async () => {
    await obtainTokens(site, shop, { query: { scope: 'photos:read' } });
    await obtainTokens(site, shop, { query: { scope: 'profile' } });
    const { text } = await listOf(ada);
    expect(text.match(/id="revoke-\d"/g)).toHaveLength(1);
    expect(text).toContain('<li><bdi>See your photos</bdi></li><li><bdi>See your name</bdi></li>');
  });

  test('the last activity is the latest issue of tokens, and their use writes nothing', async () => {
    const tokens = await obtainTokens(site, shop);
    const grants = site.database.collection('oauth_grants');
    await grants.updateMany(
      { userId: 'ada' },
      { $set: { createdAt: new Date('2026-01-02T03:04:05Z'), renewedAt: new Date('2026-02-03T04:05:06Z') } },
    );
    await site.database
      .collection('oauth_consents')
      .updateMany({}, { $set: { createdAt: new Date('2026-01-02T03:04:00Z') } });
    expect((await listOf(ada)).text).toContain('2 January 2026');
    expect((await listOf(ada)).text).toContain('3 February 2026 at 04:05 UTC');
    expect(await commandsDuring(site.database, () => callApi(site, tokens.access_token))).toEqual([
      'find oauth_grants',
    ]);
    await refreshTokens(site, shop, tokens.refresh_token).expect(200);
    expect((await listOf(ada)).text).not.toContain('3 February 2026');
  });

  test('a device is in the list of connected apps, marked as one, from the consent on', async () => {
    const frame = await deviceClient(site, { name: 'Picture frame' });
    const authorization = await startDevice(site, frame, { scope: 'photos:read' });
    expect((await listOf(ada)).text).not.toContain('Picture frame');
    await decideOn(ada, authorization);
    const waiting = (await listOf(ada)).text;
    expect(waiting).toMatch(/<bdi>Picture frame<\/bdi><\/a> <span class="eas-badge">device/);
    expect(waiting).toContain('<li><bdi>See your photos</bdi></li>');
    expect(waiting).toContain('You have allowed a device that has not come for its access yet.');
    expect(waiting).not.toContain('Last active');
    await poll(site, frame, authorization).expect(200);
    const connected = (await listOf(ada)).text;
    expect(connected).toContain('Last active');
    expect(connected).not.toContain('has not come for its access yet');
  });

  test('a device with tokens and a second consent is listed once, with both', async () => {
    const frame = await deviceClient(site, { name: 'Picture frame' });
    await connectDevice(site, frame);
    await decideOn(ada, await startDevice(site, frame));
    const { text } = await listOf(ada);
    expect(text.match(/id="revoke-\d"/g)).toHaveLength(1);
    expect(text).toContain('Last active');
    expect(text).toContain('has not come for its access yet');
  });

  test('a denied or expired device is not in the list of connected apps', async () => {
    const frame = await deviceClient(site, { name: 'Picture frame' });
    await decideOn(ada, await startDevice(site, frame), { decision: 'deny' });
    const late = await startDevice(site, frame);
    await decideOn(ada, late);
    await letTimePass(site, late, 700);
    expect((await listOf(ada)).text).toContain('No connected apps');
  });

  test('an app without tokens is in the list as long as its consent is remembered', async () => {
    await obtainTokens(site, shop);
    await site.database
      .collection('oauth_grants')
      .updateMany({ userId: 'ada' }, { $set: { expiresAt: new Date(0) } });
    expect((await listOf(ada)).text).toContain(
      'no access at the moment, and may connect again without asking you',
    );
  });

  test('denied, unredeemed and revoked grants are not in the list of connected apps', async () => {
    const trusted = await site.client({ name: 'Studio', trusted: true });
    await obtainCode(site, trusted);
    expect((await listOf(ada)).text).not.toContain('Studio');
    const frame = await deviceClient(site, { name: 'Picture frame' });
    await decideOn(ada, await startDevice(site, frame), { decision: 'deny' });
    const { refresh_token: refreshToken } = await connectDevice(site, frame);
    await postForm(request(site.server), '/oauth/revoke', {
      client_id: frame.clientId,
      token: refreshToken,
    }).expect(200);
    expect((await listOf(ada)).text).not.toContain('Picture frame');
  });

  test.each(['nothing', '__proto__', 'toString', '<script>'])(
    'the list of connected apps shows no notice for ?note=%s',
    async (note) => {
      expect((await ada.agent.get(`${PAGE}?note=${encodeURIComponent(note)}`)).text).not.toContain(
        'class="eas-notice"',
      );
    },
  );

  test('the list of connected apps is not cached, not framed, and has one script', async () => {
    const page = await listOf(ada);
    expect(page.headers['cache-control']).toBe('no-store');
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(page.text.match(/<script[^>]*>/g)).toEqual([
      expect.stringMatching(/^<script src="\/oauth\/script-[0-9a-f]{16}\.js" defer>$/),
    ]);
    expect(page.headers['content-security-policy']).toContain("script-src 'self';");
  });
});

describe('disconnecting an app', () => {
  test('disconnecting an app ends its tokens at once, and no others', async () => {
    const other = await site.client({ name: 'Other' });
    const [tokens, others] = [await obtainTokens(site, shop), await obtainTokens(site, other)];
    const answer = await send(ada, 'revoke', { client_id: shop.clientId });
    expect([answer.status, answer.headers.location]).toEqual([303, PAGE]);
    expect([await works(tokens.access_token), await works(others.access_token)]).toEqual([false, true]);
    expect((await refreshTokens(site, shop, tokens.refresh_token)).body.error).toBe('invalid_grant');
    const page = await ada.agent.get(answer.headers.location!);
    expect(page.text).toContain(
      '<strong><bdi>Shop &amp; &lt;i&gt;Sons&lt;/i&gt;</bdi></strong> is disconnected, and its access has ended.',
    );
    const later = await listOf(ada);
    expect(later.text).not.toContain('Shop');
    expect(later.text).toContain('Other');
  });

  test('a disconnected app has to ask for consent again', async () => {
    await obtainTokens(site, shop);
    const query = codeQuery(shop);
    expect((await ada.openAuthorize(query)).status).toBe(302);
    await send(ada, 'revoke', { client_id: shop.clientId });
    expect((await ada.openAuthorize(query)).text).toContain('id="consent-form"');
  });

  test('disconnecting an app ends its unredeemed code', async () => {
    const code = await obtainCode(site, shop);
    await send(ada, 'revoke', { client_id: shop.clientId });
    expect((await redeem(site, shop, code)).body.error).toBe('invalid_grant');
  });

  test('disconnecting a device ends its consent before its first tokens', async () => {
    const frame = await deviceClient(site);
    const authorization = await startDevice(site, frame);
    await decideOn(ada, authorization);
    const [, clientId] = /name="client_id" value="([^"]+)"/.exec((await listOf(ada)).text) ?? [];
    await send(ada, 'revoke', { client_id: clientId });
    expect((await listOf(ada)).text).toContain('No connected apps');
    expect((await poll(site, frame, authorization)).body.error).toBe('invalid_grant');
  });

  test('all apps and devices can be disconnected at once', async () => {
    const tokens = [await obtainTokens(site, shop), await connectDevice(site, await deviceClient(site))];
    const answer = await send(ada, 'revoke-all');
    expect(answer.headers.location).toBe(PAGE);
    for (const { access_token: token } of tokens) expect(await works(token)).toBe(false);
    const { text } = await listOf(ada);
    expect(text).toContain('No connected apps');
    expect(text).toContain('All apps are disconnected');
  });

  test('disconnecting never ends the grants of another person', async () => {
    const { access_token: hers } = await obtainTokens(site, shop);
    const { access_token: theirs } = await obtainTokens(site, shop, { as: 'grace' });
    const mine = await deviceClient(site);
    const { access_token: device } = await connectDevice(site, mine, { as: 'grace' });
    await send(ada, 'revoke', { client_id: shop.clientId, user_id: 'grace', userId: 'grace' });
    await send(ada, 'revoke', { client_id: mine.clientId });
    await send(ada, 'revoke-all', { user_id: 'grace', userId: 'grace' });
    expect([await works(hers), await works(theirs), await works(device)]).toEqual([false, true, true]);
    expect((await listOf(grace)).text).toContain('Shop');
    const consents = await site.database
      .collection('oauth_consents')
      .find({ clientId: shop.clientId })
      .toArray();
    expect(consents.map(({ userId }) => String(userId))).toEqual(['grace']);
  });

  test.each([
    ['an empty token', { csrf_token: '' }],
    ['a token of another session', {}],
  ])('disconnecting needs the CSRF token of the page, not %s', async (_how, fields) => {
    const { access_token: token } = await obtainTokens(site, shop);
    const foreign = hiddenFields(await grace.agent.get('/oauth/device'));
    for (const action of ['revoke', 'revoke-all']) {
      const answer = await postForm(ada.agent, `${PAGE}/${action}`, {
        ...foreign,
        client_id: shop.clientId,
        ...fields,
      });
      expect(answer.status).toBe(403);
    }
    expect(await works(token)).toBe(true);
  });

  test.each([{}, { client_id: '' }, { client_id: ['a', 'b'] }])(
    'disconnecting needs exactly one client_id: %j',
    async (fields) => {
      const { access_token: token } = await obtainTokens(site, shop);
      expect((await send(ada, 'revoke', fields)).status).toBe(400);
      expect(await works(token)).toBe(true);
    },
  );

  test('disconnecting an unknown client changes nothing and does not reveal that it is unknown', async () => {
    expect((await send(ada, 'revoke', { client_id: 'nobody' })).headers.location).toBe(PAGE);
    expect((await listOf(ada)).text).toContain('The app is disconnected');
  });

  test('disconnecting an app twice is harmless', async () => {
    await obtainTokens(site, shop);
    for (let times = 0; times < 2; times += 1)
      expect((await send(ada, 'revoke', { client_id: shop.clientId })).status).toBe(303);
  });

  test('neither a link nor a visitor without a session can disconnect an app', async () => {
    const { access_token: token } = await obtainTokens(site, shop);
    expect((await ada.agent.get(`${PAGE}/revoke?client_id=${shop.clientId}`)).status).toBe(404);
    expect((await postForm(request(site.server), `${PAGE}/revoke-all`, {})).status).toBe(303);
    expect(await works(token)).toBe(true);
  });

  test('the notice of a disconnected app appears once, only to the person, never by a link', async () => {
    await send(ada, 'revoke', { client_id: shop.clientId });
    for (const name of ['revoked', 'revoked_all'])
      expect((await grace.agent.get(`${PAGE}?note=${name}`)).text).not.toContain('class="eas-notice"');
    expect((await ada.agent.head(PAGE)).status).toBe(200);
    expect((await listOf(ada)).text).toContain('class="eas-notice"');
    expect((await listOf(ada)).text).not.toContain('class="eas-notice"');
  });

  test('disconnecting costs six commands, and one for the name, whatever the number of grants', async () => {
    for (let times = 0; times < 3; times += 1) await obtainTokens(site, shop);
    // grants that a request stores meanwhile are ended and forgotten, too
    const [forget, end] = [
      ['find oauth_consents', 'delete oauth_consents'],
      ['find oauth_grants', 'update oauth_grants'],
    ] as const;
    const revocation = [...forget, ...end, end[0], forget[0]];
    expect(
      await commandsDuring(site.database, () => send(ada, 'revoke', { client_id: shop.clientId })),
    ).toEqual([...revocation, 'find oauth_clients']);
    await obtainTokens(site, shop);
    expect(await commandsDuring(site.database, () => send(ada, 'revoke-all'))).toEqual(revocation);
  });
});
