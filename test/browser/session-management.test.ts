import { createHash } from 'node:crypto';

import { beforeAll, expect, it } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';

import { describeInChromium, launchChromium } from '../support/chromium.js';
import { openServer } from '../support/open-server.js';
import { requestOf } from '../support/pages-site.js';
import {} from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { createPkce } from '../support/tokens.js';

/** A page of a client that has the site's page in a frame and posts messages to it. */
const CLIENT = (
  frame: string,
) => `<!doctype html><title>client</title><iframe id="op" src="${frame}"></iframe>
<script>
window.ask = (message) => new Promise((resolve) => {
  addEventListener('message', ({ data, origin }) => resolve(origin + ' ' + data), { once: true });
  document.getElementById('op').contentWindow.postMessage(message, '*');
});
</script>`;

const openClient = (frame: string) =>
  openServer((_req, res) => res.setHeader('content-type', 'text/html').end(CLIENT(frame)));

describeInChromium('session management in Chromium', () => {
  const site = siteFor({ openid: { claims: () => ({}), sessionManagement: true } });
  const browser = fixture(launchChromium);
  let context: BrowserContext;
  const frame = () => `${site.url}/oauth/check_session`;
  const client = fixture(() => openClient(frame()));
  const other = fixture(() => openClient(frame()));
  let clientId: string;

  beforeAll(async () => {
    context = await browser.newContext();
    ({ clientId } = await site.client({
      trusted: true,
      type: 'public',
      redirectUris: [`${client.url}/callback`],
    }));
  });
  async function signIn(more: Record<string, string> = {}): Promise<{ page: Page; state: string }> {
    const page = await context.newPage();
    await page.goto(requestOf(site, clientId, { scope: 'openid', ...createPkce().challenge, ...more }));
    const button = page.locator('button[value=allow]');
    if (await button.isVisible()) await button.click();
    await page.waitForURL(`${client.url}/**`);
    return { page, state: new URL(page.url()).searchParams.get('session_state') ?? '' };
  }

  const ask = (page: Page, message: string) => page.evaluate<string>(`ask(${JSON.stringify(message)})`);
  const logIn = (username: string) =>
    context.request.post(`${site.url}/login`, { form: { username, password: `password of ${username}` } });

  it('a client sees that a person logs out and that another one logs in', async () => {
    await logIn('ada');
    const { page, state } = await signIn();
    const requested = () => ask(page, `${clientId} ${state}`);
    expect(await requested()).toBe(`${site.url} unchanged`);
    // another tab and another request of the same person change nothing
    const again = await signIn();
    expect(await ask(again.page, `${clientId} ${again.state}`)).toBe(`${site.url} unchanged`);
    expect(await requested()).toBe(`${site.url} unchanged`);

    const logout = await context.newPage();
    await logout.goto(`${site.url}/oauth/end_session`);
    await logout.locator('button[value=yes]').click();
    await logout.waitForLoadState();
    expect(await requested()).toBe(`${site.url} changed`);

    // nobody: the error has a state, which is valid until somebody logs in
    const nobody = await signIn({ prompt: 'none' });
    const nobodys = () => ask(nobody.page, `${clientId} ${nobody.state}`);
    expect(await nobodys()).toBe(`${site.url} unchanged`);
    await logIn('grace');
    const { page: next, state: hers } = await signIn();
    expect(await ask(next, `${clientId} ${hers}`)).toBe(`${site.url} unchanged`);
    expect([await requested(), await nobodys()]).toEqual([`${site.url} changed`, `${site.url} changed`]);
  });

  it('another origin or a wrong message gets error, which reveals nothing', async () => {
    await logIn('ada');
    const { page, state } = await signIn();
    const stranger = await context.newPage();
    await stranger.goto(other.url);
    expect(await ask(stranger, `${clientId} ${state}`)).toBe(`${site.url} error`);
    for (const message of ['', clientId, `${clientId} x`, `${clientId} ${state} y`, `other ${state}`])
      expect(await ask(page, message)).toBe(`${site.url} error`);
    // a made-up state does not reveal whether anybody is logged in
    const salt = 'a'.repeat(22);
    const hash = (text: string) => createHash('sha256').update(text).digest('base64url');
    const whose = hash(`${clientId} ${other.url} ${salt}`);
    const forged = `${clientId} ${whose}.${hash(`${clientId} ${other.url} undefined ${salt}`)}.${salt}`;
    expect(await ask(stranger, forged)).toBe(`${site.url} changed`);
  });
});
