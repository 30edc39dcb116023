import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { BrowserContext, Locator, Page } from 'playwright-core';

import { type ClientWithSecret, createUsers } from '../../lib/index.js';
import { expectGoodPage, findViolations } from '../support/axe.js';
import { describeInChromium, launchChromium } from '../support/chromium.js';
import {
  openPagesSite,
  OTHER_PERSON,
  type PagesSite,
  PERSON,
  requestOf,
  submitLogin,
} from '../support/pages-site.js';
import { fixture } from '../support/site-for.js';
import { closeWatched, openWatched, tabTo } from '../support/watched-page.js';

const LIST = '/oauth/applications';
const HOSTILE = '"><img src=x onerror=alert(1)>';
/** Enough for three pages of a list. */
const OTHERS = 45;

const nameOf = ({ user }: { user?: unknown }) => (user as { username?: string } | undefined)?.username;

describeInChromium('administrators, with a keyboard and on a phone', () => {
  const site: PagesSite = fixture(() =>
    openPagesSite({
      applications: { approval: true, isAdministrator: (req) => nameOf(req) === OTHER_PERSON.username },
      people: { find: (id) => users().findById(id) },
      audit: { ttl: 3600 },
    }),
  );
  const browser = fixture(launchChromium);
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    for (let index = 0; index < OTHERS; index += 1)
      await site.oauth.clients.create({ name: `Other ${index}`, redirectUris: ['https://other.example/'] });
  });
  beforeEach(async () => {
    const options = { baseURL: site.url, viewport: { width: 1280, height: 800 } };
    ({ context, page } = await openWatched(browser, options));
    await page.goto('/login');
    await submitLogin(page, OTHER_PERSON);
  });
  afterEach(() => closeWatched(context));

  const users = () => createUsers(site.database.connection);
  const rows = (): Locator => page.locator('.eas-applications li');
  const names = () => page.locator('.eas-applications h2').allInnerTexts();
  const note = () => page.locator('.eas-notice[role="status"]').innerText();
  const create = (name: string): Promise<ClientWithSecret> =>
    site.oauth.clients.create({
      name,
      redirectUris: ['https://print.example/callback'],
      scopes: ['profile', 'photos:read'],
    });
  const find = (client: ClientWithSecret) => site.oauth.clients.find(client.clientId);
  const press = async (target: Locator): Promise<void> => {
    await tabTo(page, target);
    // the response is a page or a redirect to one
    await Promise.all([page.waitForEvent('framenavigated'), page.keyboard.press('Enter')]);
    await page.waitForLoadState();
  };

  test('an administrator pages through the list and back by keyboard', async () => {
    await page.goto(`${LIST}?list=all`);
    expect(await rows().count()).toBe(20);
    const first = await names();
    await expectGoodPage(page, 'administrators-list');
    await page.setViewportSize({ width: 1280, height: 800 });
    await press(page.locator('#applications-next'));
    const second = await names();
    await press(page.locator('#applications-next'));
    const third = await names();
    expect([second.length, third.length]).toEqual([20, OTHERS - 40]);
    expect(new Set([...first, ...second, ...third]).size).toBe(OTHERS);
    expect(await page.locator('#applications-next').count()).toBe(0);
    await press(page.locator('#applications-previous'));
    expect(await names()).toEqual(second);
    await press(page.locator('#applications-first'));
    expect(await names()).toEqual(first);
  });

  test('the filters of the list mark the current one, without violations of axe', async () => {
    const [verified, blocked] = [await create('Checked'), await create('Barred')];
    await site.oauth.clients.update(verified.clientId, { verified: true });
    await site.oauth.clients.block(blocked.clientId, { reason: 'It sends spam.' });
    await page.goto(LIST);
    for (const [list, name] of [
      ['verified', 'Checked'],
      ['blocked', 'Barred'],
    ] as const) {
      await press(page.locator(`.eas-tabs a[href$="list=${list}"]`));
      expect(await names()).toContain(name);
      expect(await page.locator('.eas-tabs [aria-current="page"]').getAttribute('href')).toMatch(
        `list=${list}`,
      );
      expect(await page.title()).toContain(await page.locator('h1').innerText());
      expect(await findViolations(page)).toEqual([]);
    }
    expect(await page.locator('.eas-badge.eas-bad').first().innerText()).toBe('blocked');
    for (const list of ['waiting', 'unverified', 'self-registered', 'unused']) {
      await press(page.locator(`.eas-tabs a[href$="list=${list}"]`));
      expect(await findViolations(page)).toEqual([]);
    }
    await expectGoodPage(page, 'administrators-empty-list');
  });

  test('a search finds applications by name and id, with their number, and escapes the query', async () => {
    const inkwell = await create('Inkwell Printing Shop');
    await page.goto(`${LIST}?list=all`);
    await tabTo(page, page.locator('#search'));
    await page.keyboard.type('inkw');
    await Promise.all([page.waitForEvent('framenavigated'), page.keyboard.press('Enter')]);
    expect(new Set(await names())).toEqual(new Set(['Inkwell Printing Shop']));
    expect(await page.locator('#applications-found').innerText()).toMatch(/^Found: \d/);
    await expectGoodPage(page, 'administrators-search');
    await page.fill('#search', inkwell.clientId);
    await page.press('#search', 'Enter');
    await page.locator('.eas-applications li').waitFor();
    expect(await names()).toEqual(['Inkwell Printing Shop']);
    await page.fill('#search', HOSTILE);
    await Promise.all([page.waitForEvent('framenavigated'), page.press('#search', 'Enter')]);
    expect(await page.inputValue('#search')).toBe(HOSTILE);
    expect(await rows().count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);
  });

  test('an administrator verifies, blocks and unblocks by keyboard, with a notice each', async () => {
    const client = await create('Judged');
    await page.goto(`${LIST}/${client.clientId}`);
    await press(page.locator('#application-verify'));
    expect(await note()).not.toBe('');
    expect((await find(client))?.verified).toBe(true);
    await tabTo(page, page.locator('#block-reason'));
    await page.keyboard.type('It asks for passwords. <b>Phishing</b>');
    await press(page.locator('#application-block'));
    expect((await find(client))?.blocked?.reason).toBe('It asks for passwords. <b>Phishing</b>');
    expect(await page.locator('#application-is-blocked').innerText()).toContain('<b>Phishing</b>');
    await expectGoodPage(page, 'administrators-blocked');
    await page.setViewportSize({ width: 360, height: 740 });
    await press(page.locator('#application-unblock'));
    expect((await find(client))?.blocked).toBeUndefined();
    expect(await page.locator('#application-is-blocked').count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);
  });

  test('an administrator approves a waiting application by keyboard, which leaves its list', async () => {
    const waiting = await create('Waiting Room');
    await site.database.update('oauth_clients', waiting.clientId, {
      $set: { awaitsApprovalSince: new Date(), 'listed.lists': ['unverified', 'waiting'] },
    });
    await page.goto(`${LIST}?list=waiting`);
    expect(await names()).toEqual(['Waiting Room']);
    expect(await page.locator('.eas-badge.eas-waits').innerText()).toBe('waits for approval');
    await press(page.locator('.eas-applications h2 a'));
    await expectGoodPage(page, 'administrators-approval');
    await press(page.locator('#application-approve'));
    expect((await find(waiting))?.awaitsApprovalSince).toBeUndefined();
    expect(await page.locator('#application-approve').count()).toBe(0);
    await page.goto(`${LIST}?list=waiting`);
    expect(await rows().count()).toBe(0);
  });

  test('an administrator searches for a user and ends all access, after a page with counts', async () => {
    const ada = (await users().verify(PERSON.username, PERSON.password))!;
    const grace = (await users().verify(OTHER_PERSON.username, OTHER_PERSON.password))!;
    const client = { name: 'Albums', ownerId: ada.id, redirectUris: ['https://print.example/callback'] };
    const albums = await site.oauth.clients.create(client);
    await site.oauth.grants.create({ userId: ada.id, clientId: albums.clientId, scopes: ['photos:read'] });
    await page.goto(`${LIST}?list=all`);
    await page.fill('#search', ada.id);
    await Promise.all([page.waitForEvent('framenavigated'), page.press('#search', 'Enter')]);
    expect(await page.locator('#applications-users').innerText()).toContain(PERSON.name);
    await press(page.locator('#applications-users a'));
    expect(await page.locator('.eas-lead').innerText()).toMatch(/that end: 1\. .* blocked: 1\./);
    expect(await findViolations(page)).toEqual([]);
    expect((await find(albums))?.blocked).toBeUndefined();
    await press(page.locator('#user-access-end'));
    expect(await note()).toBe('All access of the user has ended.');
    expect((await find(albums))?.blocked).toBeDefined();
    const [ended] = (await site.oauth.audit.find()).filter(({ type }) => type === 'account.ended');
    expect(ended).toMatchObject({ actorId: grace.id, userId: expect.not.stringContaining(ada.id) });
  });

  test('an application that changed since the page was opened is not verified, with a notice', async () => {
    const client = await create('Looked at');
    await page.goto(`${LIST}/${client.clientId}`);
    await site.oauth.clients.update(client.clientId, { name: 'Another by now' });
    await press(page.locator('#application-verify'));
    expect((await find(client))?.verified).not.toBe(true);
    expect(await page.locator('h1').innerText()).toBe('Another by now');
    expect(await note()).not.toBe('');
  });

  test('the reasons for refusals fit a phone and a wide screen, in Arabic, too', async () => {
    const client = await create('Refused');
    for (const reason of [
      'redirect_uri_mismatch',
      'pkce_mismatch',
      'pkce_mismatch',
      'client_keys_unavailable',
    ])
      site.oauth.events.emit('token.refused', { error: 'invalid_grant', clientId: client.clientId, reason });
    await page.goto(`${LIST}/${client.clientId}`);
    expect(await page.locator('#application-failures li').count()).toBe(3);
    expect(await page.locator('#application-failures li').first().innerText()).toMatch(/twice|2 times/);
    await expectGoodPage(page, 'administrators-failures');
    await page.setExtraHTTPHeaders({ 'Accept-Language': 'ar' });
    await page.goto(`${LIST}/${client.clientId}`);
    expect(await page.locator('html').getAttribute('dir')).toBe('rtl');
    await expectGoodPage(page, 'administrators-failures-ar');
  });

  test('a logo that does not load leaves the letter without a picture', async () => {
    const logoUri = 'https://print.example/logo.png';
    const [plain, broken] = await Promise.all([create('Prints'), create('Prints')]);
    for (const { clientId } of [plain, broken])
      await site.oauth.clients.update(clientId, {
        verified: true,
        ...(clientId === broken.clientId && { logoUri }),
      });
    const tile = page.locator('.eas-tile-client').first();
    await page.goto(requestOf(site, plain.clientId, { scope: 'profile' }));
    const letter = await tile.screenshot();
    for (const answer of ['nothing', 'no picture', 'an empty answer'] as const) {
      await page.unroute(/client-logo/);
      await page.route(/client-logo/, (route) =>
        answer === 'nothing'
          ? route.abort()
          : route.fulfill({ contentType: 'image/png', body: answer === 'no picture' ? 'not a picture' : '' }),
      );
      const requested = page.waitForRequest(/client-logo/);
      await page.goto(requestOf(site, broken.clientId, { scope: 'profile' }));
      await requested;
      expect(await tile.innerText()).toBe('P');
      expect([answer, (await tile.screenshot()).equals(letter)]).toEqual([answer, true]);
    }
    await expectGoodPage(page, 'broken-logo');
  });
});
