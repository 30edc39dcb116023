import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { type RunningExample, startExample } from './support/example.js';
import { openLoggedInBrowser } from './support/flows.js';
import type { BrowserPage, HttpBrowser } from './support/http-browser.js';

const FLOW = '/playground/personal-token';

let example: RunningExample;
beforeAll(async () => {
  example = await startExample({ environment: { RATE_LIMITS: 'off' } });
});
afterAll(() => example.stop());

/** Presses the button of a step, as a browser without JavaScript does. */
async function press(browser: HttpBrowser, step: string, fields = {}): Promise<BrowserPage> {
  const page = await browser.open(`${example.issuer}${FLOW}`);
  const [, csrf_token = ''] = /name="csrf_token" value="([^"]+)"/.exec(page.text) ?? [];
  const form = `<form id="step" action="${FLOW}/${step}"></form>`;
  return browser.submit({ ...page, text: form }, 'step', { fields: { csrf_token, ...fields } });
}

test('a person makes a token at the page, which works, makes no other, and ends as somebody reports it', async () => {
  const browser = await openLoggedInBrowser(example.issuer);
  const form = await browser.open(`${example.issuer}/oauth/access-tokens/new`);
  const made = await browser.submit(form, 'token-form', {
    fields: { name: 'For the playground', granted_scope: 'photos:read' },
  });
  const [, token = ''] = /id="token-value"[^>]*>(eas_pat_[^<]+)</.exec(made.text) ?? [];
  expect([made.status, token]).toEqual([201, expect.stringMatching(/^eas_pat_/)]);
  expect((await press(browser, 'make', { token })).text).not.toContain(token);
  expect((await press(browser, 'use')).text).toContain('200');
  expect((await press(browser, 'open')).text).toContain('token_kind');
  expect((await press(browser, 'another')).text).toContain('was refused: 403');
  const page = await press(browser, 'leak');
  expect(page.text).toContain('401');
  expect(page.text).not.toContain(token);
});
