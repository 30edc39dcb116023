import { describe, expect, it } from '@jest/globals';
import session, { type SessionData } from 'express-session';

import { deviceClient, openDeviceSite, PAGE, startDevice } from '../support/device.js';
import { codeQuery, hiddenFields } from '../support/person.js';
import { fixture } from '../support/site-for.js';

/** Takes longer to write than a browser needs for its next request. */
class SlowStore extends session.MemoryStore {
  delay = 50;
  override set(id: string, data: SessionData, done?: (error?: unknown) => void): void {
    setTimeout(() => super.set(id, data, done), this.delay);
  }
}

const store = new SlowStore();
const site = fixture(() =>
  openDeviceSite({
    security: { rateLimits: false },
    before: (app) =>
      app.use(session({ secret: 'of the test', resave: false, saveUninitialized: false, store })),
  }),
);

/** Continues as soon as it has the headers of a response, like browsers, without waiting for the body. */
function createBrowser() {
  let cookie = '';
  return async (path: string, fields?: Readonly<Record<string, string>>): Promise<Response> => {
    const response = await fetch(new URL(path, site.url), {
      redirect: 'manual',
      headers: { cookie },
      ...(fields && { method: 'POST', body: new URLSearchParams(fields) }),
    });
    const [set] = response.headers.getSetCookie();
    if (set !== undefined) cookie = set.split(';')[0] ?? '';
    return response;
  };
}

describe('the session of a form is stored before the next GET', () => {
  it.each(Array.from({ length: 5 }, (_, index) => index + 1))(
    'the confirmed user code of a device is stored before the redirect, try %d',
    async () => {
      const { user_code: userCode } = await startDevice(site, await deviceClient(site));
      const open = createBrowser();
      await open('/login', { username: 'ada', password: 'password of ada' });
      const form = hiddenFields({ text: await (await open(PAGE)).text() });
      const sent = await open(PAGE, { ...form, user_code: userCode });
      expect(sent.status).toBe(303);
      const displayed = await open(String(sent.headers.get('location')));
      expect(await displayed.text()).toContain('id="consent-allow"');
    },
  );

  it('the problem of a wrong user code is stored before the redirect', async () => {
    const open = createBrowser();
    await open('/login', { username: 'ada', password: 'password of ada' });
    const form = hiddenFields({ text: await (await open(PAGE)).text() });
    const sent = await open(PAGE, { ...form, user_code: 'BBBB-BBBB' });
    const displayed = await open(String(sent.headers.get('location')));
    expect([sent.status, displayed.status]).toEqual([303, 422]);
  });
});

/** The text of a page until its form is complete; the end of the page may be missing. */
async function untilForm(page: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of page.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.includes('id="consent-allow"')) break;
  }
  return text;
}

describe('the session of a page is stored before its form can be sent', () => {
  it('a form works that is sent before the end of its page has arrived', async () => {
    const { clientId } = await site.client();
    const open = createBrowser();
    await open('/login', { username: 'ada', password: 'password of ada' });
    const query = codeQuery(clientId, { scope: 'profile' });
    store.delay = 2000;
    const page = await open(`/oauth/authorize?${new URLSearchParams(query).toString()}`);
    const form = hiddenFields({ text: await untilForm(page) });
    store.delay = 50;
    const sent = await open('/oauth/authorize', { ...form, granted_scope: 'profile', decision: 'allow' });
    const answered = await open(String(sent.headers.get('location')));
    expect(String(answered.headers.get('location'))).toContain('code=');
  });
});
