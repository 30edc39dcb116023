import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';

import { expectGoodPage } from '../support/axe.js';
import { describeInChromium, launchChromium } from '../support/chromium.js';
import { openPagesSite, PERSON, submitLogin } from '../support/pages-site.js';
import { fixture } from '../support/site-for.js';
import { closeWatched, openWatched } from '../support/watched-page.js';

const TOKENS = '/oauth/access-tokens';
const WORKSPACES = [
  { value: 'atelier', label: 'Atelier', details: 'Three people' },
  { value: 'home', label: 'At home' },
];

/** Only the curl line in a shell needs nothing of the browser; no page needs a script. */
for (const javaScriptEnabled of [true, false]) {
  describeInChromium(`access tokens in Chromium, JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    const site = fixture(() =>
      openPagesSite({
        personalAccessTokens: { serviceTokens: true, maxTtl: false },
        audit: { ttl: 86_400 },
        people: { findByName: () => null },
        scopes: {
          'photos:read': 'See your photos',
          'photos:write': { description: 'Add photos to your album', implies: ['photos:read'] },
          'photos:delete': { description: 'Delete photos for good', risk: 'high' },
        },
        choices: { workspace: { label: 'Which workspace', list: () => WORKSPACES } },
      }),
    );
    const browser = fixture(launchChromium);
    let context: BrowserContext;
    let page: Page;

    beforeEach(async () => {
      const viewport = { width: 390, height: 740 };
      ({ context, page } = await openWatched(browser, { javaScriptEnabled, viewport }));
      await page.goto(`${site.url}${TOKENS}`);
      await submitLogin(page);
      await page.waitForURL(`**${TOKENS}`);
    });
    afterEach(() => closeWatched(context));

    const isPictured = javaScriptEnabled;
    const look = async (name: string) => {
      if (isPictured) await expectGoodPage(page, `access-tokens-${name}`);
    };

    test('a person creates, uses, rotates, narrows and revokes a personal access token', async () => {
      await look('none');
      await page.click('#token-new');
      await look('form');
      await page.click('#token-submit');
      await page.locator('#problem-summary').waitFor();
      await look('problems');
      await page.fill('#token-name', 'Nightly backup');
      await page.fill('#token-purpose', 'Copies the album to the archive');
      await page.locator('[value="photos:write"]').check();
      await page.locator('[value="photos:read"]').check();
      await page.getByLabel('Atelier').check();
      await page.getByLabel('In 90 days').check();
      await page.click('#token-submit');
      const line = String(await page.locator('#token-curl').textContent());
      await look('made');
      // not awaited in this thread, which answers the request
      const value = String(await page.locator('#token-value').textContent());
      // the token is typed, so that it is not in the history of the shell
      expect(line).not.toContain(value);
      const command = `${line} --silent --show-error --max-time 20`;
      const running = promisify(execFile)('bash', ['-c', command]);
      running.child.stdin?.end(`${value}\n`);
      const { stdout } = await running;
      expect(JSON.parse(stdout)).toMatchObject({ token_name: 'Nightly backup', token_kind: 'personal' });

      await page.click('#tokens-all');
      await look('list');
      expect(await page.locator('main').innerText()).not.toContain(value);
      await page.getByRole('link', { name: 'Nightly backup' }).click();
      expect(await page.locator('#token-used').innerText()).toMatch(/20\d\d from/);
      await look('one');
      await page.click('#token-rotate');
      await page.locator('#token-value').waitFor();
      expect(await page.locator('#token-value').textContent()).not.toBe(value);
      expect(await page.locator('#token-former').innerText()).toContain('The former value works until');

      await page.click('#tokens-all');
      await page.getByRole('link', { name: 'Nightly backup' }).click();
      await page.locator('[name=scope][value="photos:write"]').uncheck();
      await page.click('#token-save');
      expect(await page.locator('#token-note').innerText()).toContain('can do less from now on');
      await page.click('#revoke');
      await page.click('#revoke-confirm');
      expect(await page.locator('#tokens-note').innerText()).toContain('Nightly backup has ended');
      expect(await page.locator('#tokens').count()).toBe(0);
    });

    test('a token with a dangerous scope needs a confirmation', async () => {
      await page.click('#token-new');
      await page.fill('#token-name', 'Cleaner');
      await page.getByLabel('Delete photos for good').check();
      await page.getByLabel('At home').check();
      await page.getByLabel('On a date').check();
      await page.fill('#token-expires-on', new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10));
      await page.click('#token-submit');
      expect(await page.locator('#token-risks').innerText()).toContain('Delete photos for good');
      await look('confirm');
      await page.click('#token-back');
      expect(await page.inputValue('#token-name')).toBe('Cleaner');
      await page.click('#token-submit');
      await page.click('#token-confirm');
      expect(await page.locator('#token-value').textContent()).toMatch(/^eas_pat_/);
    });

    // the tests above check the same pages
    if (!javaScriptEnabled) return;

    test('a person creates a service token for a team', async () => {
      await page.click('#service-token-new');
      await page.fill('#token-name', 'Deployment');
      await page.locator('[value="photos:read"]').check();
      await page.click('#token-submit');
      expect(await page.locator('#token-value').textContent()).toMatch(/^eas_sat_/);
      await look('service');
      await page.click('#tokens-all');
      expect(await page.locator('#service-tokens').innerText()).toContain('Deployment');
      await look('both');
    });

    test('the owner of a service token invites another one and withdraws the invitation', async () => {
      await page.click('#service-token-new');
      await page.fill('#token-name', 'Owned by many');
      await page.locator('[value="photos:read"]').check();
      await page.click('#token-submit');
      await page.click('#tokens-all');
      await page.getByRole('link', { name: 'Owned by many' }).click();
      await page.fill('#invite-person', 'grace@example.com');
      await page.click('#token-invite');
      expect(await page.locator('#token-invited').innerText()).toContain('grace@example.com');
      await look('owners');
      await page.click('#invitation-withdraw-0');
      expect(await page.locator('#token-invited').count()).toBe(0);

      const person = await site.database.collection('oauth_users').findOne({ username: PERSON.username });
      const { id } = await site.oauth.personalAccessTokens.create({
        owners: ['eve'],
        name: 'Build server',
        purpose: 'Puts new pictures online',
        scopes: ['photos:write'],
      });
      const invitation = {
        id: 'invitation',
        userId: String(person?._id),
        typed: PERSON.username,
        as: 'owner',
        invitedBy: 'eve',
        expiresAt: new Date(Date.now() + 86_400_000),
      };
      await site.oauth.models.Grant.updateOne(
        { _id: id },
        { $set: { 'namedToken.invitations': [invitation] } },
      );
      await page.click('#tokens-all');
      await look('invited');
      await page.click('#tokens-invitations a');
      await look('invitation');
      await page.click('#invitation-accept');
      expect(await page.locator('#token-note').innerText()).toContain('You are an owner of this token now.');
      await page.click('#owner-remove-1');
      await look('leave');
      await page.click('#application-owner-confirm');
      expect(await page.locator('#tokens-note').innerText()).toContain('Build server');
    });
  });
}
