import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { BrowserContext, Page, Request } from 'playwright-core';

import type { ClientWithSecret } from '../../lib/index.js';
import { findRedirectUriProblem } from '../../lib/shared/protocol/redirect-uri.js';
import { describeInChromium, launchChromium } from '../support/chromium.js';
import { departureOf, stopDepartures } from '../support/departures.js';
import { IS_LONG } from '../support/long-run.js';
import { openPagesSite, PERSON } from '../support/pages-site.js';
import { fixture } from '../support/site-for.js';
import { STORABLE_REDIRECT_URIS } from '../support/storable-redirect-uris.js';
import { createPkce } from '../support/tokens.js';

/** Of each journey to each kind of redirect URI. One takes half a second. */
const RUNS = IS_LONG ? 100 : 1;
/** A retried test, or one with `REDIRECT_SEED=…`, generates the same values. */
const SEED = Number(process.env.REDIRECT_SEED ?? Date.now() % 1_000_000);

const STATE = 'of the test';
const RISKY = 'cards:charge';
const TICK_RISKY = `[name="granted_scope"][value="${RISKY}"]`;
const LOG_IN = '#login-submit';

/** From a page of the site to the client. */
interface Journey {
  /** What the user ticks and presses; the last press leads to the client. */
  readonly presses: readonly string[];
  readonly isDenied?: boolean;
  readonly isLoggedOut?: boolean;
  /** Whether the user has allowed the client before, so that no page asks. */
  readonly isAllowed?: boolean;
  readonly query?: Readonly<Record<string, string>>;
}

/** The browser sends a form to the client, which no app can receive. */
const FORM_POST = { response_mode: 'form_post' };
const ALLOW: Journey = { presses: ['#consent-allow'] };
const LOGIN: Journey = { isLoggedOut: true, isAllowed: true, presses: [LOG_IN] };
const JOURNEYS: Readonly<Record<string, Journey>> = {
  'Allow on the consent page': ALLOW,
  'Deny on the consent page': { isDenied: true, presses: ['#consent-deny'] },
  'Allow on the second page, for a scope of high risk,': {
    query: { scope: RISKY },
    presses: [TICK_RISKY, '#consent-allow', '#consent-confirm'],
  },
  'Deny on the second page': {
    query: { scope: RISKY },
    isDenied: true,
    presses: [TICK_RISKY, '#consent-allow', ':has(> #consent-confirm) > #consent-deny'],
  },
  'a login': LOGIN,
  'Continue on the account page': {
    query: { prompt: 'select_account' },
    isAllowed: true,
    presses: ['#account-continue'],
  },
  'Cancel on the account page': {
    query: { prompt: 'select_account' },
    isDenied: true,
    presses: ['#account-cancel'],
  },
  'another login, which the client asks for,': {
    query: { prompt: 'login' },
    isAllowed: true,
    presses: ['#account-switch', LOG_IN],
  },
  'Allow on the consent page, by a form,': { ...ALLOW, query: FORM_POST },
  'a login, by a form,': { ...LOGIN, query: FORM_POST },
};

/** The way in which the request has the redirect URI. */
interface Manner {
  readonly by: 'query' | 'registration' | 'pushed request';
  /** The port of a loopback redirect URI, whatever port is registered (RFC 8252 §7.3). Default: the registered port. */
  readonly port?: number | undefined;
}

const manner: fc.Arbitrary<Manner> = fc.record({
  by: fc.constantFrom('query', 'registration', 'pushed request'),
  port: fc.option(fc.integer({ min: 1024, max: 65_535 }), { nil: undefined }),
});

describeInChromium('every redirect URI that can be stored is reached', () => {
  const site = fixture(() =>
    openPagesSite({
      scopes: {
        'photos:read': 'See your photos',
        [RISKY]: { description: 'Charge your card', risk: 'high' },
      },
      formPost: true,
      pushedRequests: true,
    }),
  );
  const browser = fixture(launchChromium);
  let context: BrowserContext;
  let userId: string;

  beforeAll(async () => {
    context = await browser.newContext({ locale: 'en' });
    const users = site.database.collection('oauth_users');
    userId = String((await users.findOne({ username: PERSON.username }))?._id);
  });

  const cases = Object.entries(JOURNEYS).flatMap(([name, journey]) =>
    Object.entries(STORABLE_REDIRECT_URIS)
      .filter(([kind]) => journey.query !== FORM_POST || kind !== 'a URI of an app')
      .map(([kind, uris]) => ({ name, journey, kind, uris })),
  );
  test.each(cases.map((each, index) => ({ ...each, index })))(
    '$name leads to $kind',
    async ({ journey, uris, index }) => {
      const property = fc.asyncProperty(uris, manner, (uri, how) => expectReached(uri, journey, how));
      await fc.assert(property, { numRuns: RUNS, seed: SEED + index, endOnFailure: true });
    },
  );

  // registration refuses some of these; for [::1] CSP has no syntax
  test.each<[string, Journey, Manner]>([
    ['http://intranet/callback', ALLOW, { by: 'query' }],
    ['http://intranet:8080/callback', ALLOW, { by: 'registration' }],
    ['myapp:/callback', ALLOW, { by: 'query' }],
    ['com.example.app:/callback', ALLOW, { by: 'query' }],
    ['http://[::1]/callback', LOGIN, { by: 'registration' }],
    ['http://[::1]/callback', LOGIN, { by: 'pushed request', port: 50_123 }],
  ])('the journey to %s succeeds every time', expectReached);

  test('a login page without the authorization server shows the waiting client', async () => {
    const client = await storeClient('http://intranet/callback', LOGIN);
    const page = await openPage(LOGIN);
    await page.goto(await addressOf(client, 'query', {}));
    expect(await page.locator('main').innerText()).toContain('Old client');
  });

  async function expectReached(registered: string, journey: Journey, manner: Manner): Promise<void> {
    const { by, port } = manner;
    const isNamed = by !== 'registration';
    const redirectUri = isNamed ? atPort(registered, port) : registered;
    const client = await storeClient(registered, journey);
    await using page = await openPage(journey);
    const departure = departureOf(page, site.url);
    await page.goto(
      await addressOf(client, by, {
        ...(isNamed && { redirect_uri: redirectUri }),
        ...journey.query,
      }),
    );
    for (const selector of journey.presses) {
      if (selector === LOG_IN) await logIn(page);
      else if (selector === TICK_RISKY) await page.check(selector);
      else await page.press(selector, 'Enter', { noWaitAfter: true });
    }
    expectAnswer(await departure, { redirectUri, journey, issuer: site.url });
  }

  /** By registration, or like `migrate` if registration refuses the URI. */
  async function storeClient(redirectUri: string, { isAllowed = false }: Journey): Promise<ClientWithSecret> {
    const rules = { privateSchemes: 'any', allowsAnyLoopback: true } as const;
    const isRegistrable = findRedirectUriProblem(redirectUri, rules) === undefined;
    const client = await site.oauth.clients.create({
      name: 'Old client',
      // users consent each time for a public client if nothing proves who responds at its redirect URI
      type: isAllowed ? 'confidential' : 'public',
      redirectUris: [isRegistrable ? redirectUri : 'https://old.example/callback'],
      scopes: ['photos:read', RISKY],
    });
    const { connection } = site.database;
    const { clientId } = client;
    const clients = connection.collection<{ _id: string }>('oauth_clients');
    if (!isRegistrable) await clients.updateOne({ _id: clientId }, { $set: { redirectUris: [redirectUri] } });
    const [scopes, now] = [['photos:read'], new Date()];
    const consent = { userId, clientId, scopes, createdAt: now, updatedAt: now };
    if (isAllowed) await connection.collection('oauth_consents').insertOne(consent);
    return client;
  }

  async function addressOf(
    { clientId, clientSecret }: ClientWithSecret,
    by: Manner['by'],
    more: Readonly<Record<string, string>>,
  ): Promise<string> {
    const { challenge } = createPkce();
    const request = { client_id: clientId, response_type: 'code', state: STATE, scope: 'photos:read' };
    let query = new URLSearchParams({ ...request, ...challenge, ...more });
    if (by === 'pushed request') {
      if (clientSecret !== undefined) query.set('client_secret', clientSecret);
      const response = await fetch(`${site.url}/oauth/par`, { method: 'POST', body: query });
      const { request_uri = '' } = (await response.json()) as { request_uri?: string };
      query = new URLSearchParams({ client_id: clientId, request_uri });
    }
    return `${site.url}/oauth/authorize?${query.toString()}`;
  }

  /** A new tab: a tab that opens an app takes no more keys. */
  async function openPage({ isLoggedOut = false }: Journey): Promise<Page> {
    const page = await context.newPage();
    const isLoggedIn = (await (await context.request.get(site.url)).text()).includes('somebody');
    if (isLoggedOut || !isLoggedIn) await context.clearCookies();
    if (!isLoggedOut && !isLoggedIn) {
      await page.goto(`${site.url}/login`);
      await logIn(page);
      await page.locator('#who').waitFor();
    }
    await stopDepartures(page, site.url);
    return page;
  }

  async function logIn(page: Page): Promise<void> {
    await page.fill('#username', PERSON.username);
    await page.fill('#password', PERSON.password);
    await page.press(LOG_IN, 'Enter', { noWaitAfter: true });
  }
});

function atPort(uri: string, port: number | undefined): string {
  const loopback = /^(http:\/\/(?:localhost|app\.localhost|127\.[\d.]+|\[::1\]))(?::\d+)?(?=[/?]|$)/;
  return port === undefined ? uri : uri.replace(loopback, `$1:${port}`);
}

/** As Chromium writes it, which has %27 for ' in each query. */
const written = (uri: string): string => new URL(uri).href.replaceAll("'", '%27');

/** Exactly at the redirect URI, with each parameter once (RFC 6749 §3.1, §4.1.2, RFC 9207 §2). */
function expectAnswer(
  request: Request,
  {
    redirectUri,
    journey: { isDenied, query },
    issuer,
  }: { readonly redirectUri: string; readonly journey: Journey; readonly issuer: string },
): void {
  const [registered, url] = [written(redirectUri), written(request.url())];
  const isPosted = query === FORM_POST;
  const [base, added] = [url.slice(0, registered.length), url.slice(registered.length)];
  expect([request.method(), base]).toEqual([isPosted ? 'POST' : 'GET', registered]);
  expect(added).toMatch(isPosted ? /^$/ : /^[?&]?(?:code|error)=/);
  const { searchParams } = new URL(url);
  const answer = isPosted ? new URLSearchParams(request.postData() ?? '') : searchParams;
  const values = ['state', 'iss', 'code', 'error'].map((name) => answer.getAll(name));
  const code = expect.stringMatching(/^eas_ac_/);
  expect(values).toEqual([[STATE], [issuer], ...(isDenied ? [[], ['access_denied']] : [[code], []])]);
}
