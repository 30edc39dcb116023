import { describe, expect, test } from '@jest/globals';

import { fixture } from '../support/site-for.js';
import { startExample } from './support/example.js';
import { logIn, openLoggedInBrowser } from './support/flows.js';
import { type BrowserPage, createHttpBrowser, type HttpBrowser } from './support/http-browser.js';

/** Any usable credential: tokens, codes, secrets, also in a Basic header. */
const SECRETS = /eas_(at|rt|ac)_[\w-]{20,}|demo-secret|correct-horse|CARD-[\w-]{10}|Basic [\w+/]{10}/;

const example = fixture(() => startExample({ environment: { RATE_LIMITS: 'off' } }));

function textOf({ text }: BrowserPage, step: string): string {
  const [, content = ''] =
    new RegExp(`<li class="step[^"]*" id="${step}">([^]*?)(?=<li class="step|</ol>)`).exec(text) ?? [];
  const entities: Readonly<Record<string, string>> = {
    '&quot;': '"',
    '&#34;': '"',
    '&#39;': "'",
    '&amp;': '&',
    '&lt;': '<',
    '&gt;': '>',
  };
  return content
    .replace(/<[^>]+>/g, ' ')
    .replace(/&(?:quot|#34|#39|amp|lt|gt);/g, (found) => entities[found]!)
    .replace(/\s+/g, ' ');
}

/** Submits the form of a step, and answers the pages of the photo site on the way. */
async function walk(
  browser: HttpBrowser,
  page: BrowserPage,
  step: string,
  fields: Readonly<Record<string, string>> = {},
) {
  const [, flow = ''] = /^\/playground\/([\w-]+)/.exec(page.url.pathname) ?? [];
  const form = `<form method="post" action="/playground/${flow}/${step}">`;
  const text = page.text.replace(form, form.replace('>', ' id="step">'));
  let next = await browser.submit({ ...page, text }, 'step', { fields });
  if (next.url.pathname === '/login') next = await logIn(browser, next);
  return {
    consent: next.text,
    page: next.text.includes('id="consent-form"')
      ? await browser.submit(next, 'consent-form', { button: 'consent-allow' })
      : next,
  };
}

/** A step, and its text afterwards. */
type Tried = readonly [step: string, expected?: RegExp | string, fields?: Readonly<Record<string, string>>];

const refused = (...answers: readonly string[]) => `The attack was refused: ${answers.join(' ')}`;
const ended = (what: string, error: string) =>
  new RegExp(`${refused('400 invalid_grant')}.*${what} has ended, too: ${error}`);

describe('the protection of each grant in the playground', () => {
  test.each<[string, string, readonly Tried[]]>([
    [
      'an old refresh token ends the new one',
      'refresh-token',
      [
        ['authorize'],
        ['redeem'],
        ['refresh'],
        ['refresh'],
        ['reuse', ended('The newest refresh token', '400 invalid_grant')],
        ['reuse', /The access token has ended, too: 401 invalid_token/],
        ['reuse', /refresh token 2/],
      ],
    ],
    [
      'a revoked refresh token ends its access token',
      'refresh-token',
      [['authorize'], ['redeem'], ['revoke', /200 .*401 invalid_token/]],
    ],
    [
      'a pushed request works once, unchanged, for its client alone',
      'pushed-request',
      [
        ['impersonate', refused('401 invalid_client')],
        ['push', /201 request_uri/],
        ['change'],
        ['redeem'],
        ['change', 'good for what was pushed: photos:read.'],
        ['use', /200/],
        ['other-client', refused('400, with a page of')],
        ['reuse', refused('400, with a page of')],
        ['reuse', 'Cookie: (of your login;'],
      ],
    ],
    [
      'a stolen DPoP token, a stolen code and a recorded request open nothing',
      'dpop',
      [
        ['authorize'],
        ['steal', refused('400 invalid_grant')],
        ['redeem'],
        ['use', /htm: GET, htu: .*\/api\/me, ath: /],
        ['open'],
        ['as-bearer', refused('401 invalid_token')],
        ['other-key', refused('401 invalid_token')],
        ['replay', refused('401 invalid_dpop_proof')],
        ['elsewhere', refused('401 invalid_dpop_proof')],
        // its owner can use it as before
        ['use', /200/],
      ],
    ],
    [
      'an ID token is for the playground alone, and a logout leads nowhere else',
      'sign-in',
      [
        ['authorize'],
        ['redeem'],
        ['check', /It passes, and says: .*aud: playground-sign-in/],
        ['userinfo', 'Ada Lovelace'],
        ['tamper', refused('signature verification failed')],
        ['other-client', refused('unexpected "aud" claim value')],
        ['other-nonce', refused('unexpected "nonce" claim value')],
        ['as-key', refused('401 invalid_token')],
        ['again', 'ID token'],
        // the new one belongs to the same sign-in, and the same rules apply
        ['logout-elsewhere', refused('400, with a page of')],
        ['logout-forged', refused('400, with a page of')],
      ],
    ],
    [
      'an allowed payment is made once, and no other one',
      'payment',
      [
        ['smuggle', refused('400 invalid_authorization_details')],
        ['push', /201/, { amount: '12.50' }],
        ['authorize', 'Pay 12.50 EUR to Inkwell Printing Shop'],
        ['redeem'],
        ['open'],
        ['pay', /201/],
        ['pay-again', refused('401 insufficient_authorization')],
        ['pay-more', refused('401 insufficient_authorization')],
        ['pay-other', refused('401 insufficient_authorization')],
        ['ask-more', refused('400 invalid_authorization_details')],
      ],
    ],
    [
      'a client that copies a challenge is let in once',
      'refusals',
      [
        ['authorize'],
        ['redeem'],
        ['none', /401/],
        ['wrong', /401/],
        ['malformed', /40[01]/],
        ['scope', /403/],
        ['login', /200.*401/],
        ['pay', /401/],
        ['copy', 'Pay 20.00 EUR to Print'],
        ['redeem'],
        ['pay', /201/],
      ],
    ],
    [
      'client credentials give a token without a user, for the right secret and scopes only',
      'client-credentials',
      [
        ['ask'],
        ['use', /200/],
        ['open'],
        ['guess', /401 invalid_client/],
        ['overreach', /400 invalid_scope/],
      ],
    ],
  ])('playground: %s', async (_title, flow, steps) => {
    const browser = createHttpBrowser();
    let page = await browser.open(`${example.issuer}/playground/${flow}`);
    for (const [step, expected = '', fields] of steps) {
      const next = await walk(browser, page, step, fields);
      ({ page } = next);
      const isConsent = typeof expected === 'string' && expected.startsWith('Pay ');
      expect([step, isConsent ? next.consent : textOf(page, step)]).toEqual([
        step,
        expect.stringMatching(
          typeof expected === 'string' ? expected.replaceAll(/[().]/g, '\\$&') : expected,
        ),
      ]);
      expect(page.text).not.toMatch(SECRETS);
      if (flow === 'sign-in') expect(page.text).not.toMatch(/eyJ[\w-]+\.eyJ[\w-]+\./);
      expect(page.text).not.toContain('NOT refused');
    }
  });
});

/** Presses the button of a step of a personal token, as a browser without JavaScript does. */
async function press(browser: HttpBrowser, step: string, fields = {}): Promise<BrowserPage> {
  const page = await browser.open(`${example.issuer}/playground/personal-token`);
  const [, csrf_token = ''] = /name="csrf_token" value="([^"]+)"/.exec(page.text) ?? [];
  const form = `<form id="step" action="/playground/personal-token/${step}"></form>`;
  return browser.submit({ ...page, text: form }, 'step', { fields: { csrf_token, ...fields } });
}

test('a personal token from the page works, cannot make others, and ends when it is reported', async () => {
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
