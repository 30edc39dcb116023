import { describe, expect, test } from '@jest/globals';
import type { Response } from 'supertest';

import { DEVICE_CODE, deviceRequest } from '../support/device.js';
import {
  codeQuery,
  createPerson,
  formatQuery,
  locationOf,
  type Person,
  postForm,
  tickedScopes,
} from '../support/person.js';
import { fixture, siteFor } from '../support/site-for.js';
import { basic } from '../support/tokens.js';
import { NAVIGATION } from '../support/visitor.js';

/** The largest head of an answer that nginx accepts by default (`proxy_buffer_size`, one page of memory). */
const NGINX = 4096;
/** The part of it for a session cookie and the headers of helmet. */
const OF_HOST = 1000;
/** docs/operations.md has both. */
const LONG = 2600;
const LONGEST = 6144;
/** The value of the nginx line in docs/operations.md. */
const NGINX_AS_DOCUMENTED = 16_384;

const REDIRECT_URI = `https://print.example/callback/${'c'.repeat(300)}`;
const APIS = Array.from({ length: 5 }, (_each, index) => `https://api-${index}.photos.example/v1`);
const SCOPES = Array.from({ length: 10 }, (_each, index) => `https://photos.example/auth/photos.${index}`);

const site = siteFor({
  scopes: Object.fromEntries(SCOPES.map((scope) => [scope, scope])),
  resources: Object.fromEntries(APIS.map((api) => [api, {}])),
  openid: { claims: () => ({}) },
  pushedRequests: true,
  grantTypes: ['authorization_code', 'refresh_token', DEVICE_CODE],
  security: { rateLimits: false },
});
const client = fixture(() =>
  site.client({
    redirectUris: [REDIRECT_URI],
    postLogoutRedirectUris: [REDIRECT_URI],
  }),
);

/** A request whose parameters have this length together, filled up with `state`. */
function requestOf(length: number, letter = 'a', more: object = {}): string {
  const query = formatQuery(
    codeQuery(client, {
      redirect_uri: REDIRECT_URI,
      scope: ['openid', ...SCOPES].join(' '),
      nonce: 'n'.repeat(64),
      code_challenge: 'c'.repeat(43),
      code_challenge_method: 'S256',
      ...more,
    }),
  );
  const resources = APIS.map((api) => `&resource=${encodeURIComponent(api)}`).join('');
  const rest = `${query}${resources}&state=`;
  const written = encodeURIComponent(letter);
  return rest + written.repeat(Math.floor((length - rest.length) / written.length));
}
const stateOf = (query: string) => new URLSearchParams(query).get('state');

/** Bytes of the status line and all headers. */
function headOf(response: Response): number {
  const { rawHeaders } = (response as unknown as { readonly res: { readonly rawHeaders: string[] } }).res;
  const status = 'HTTP/1.1 200 A reason phrase\r\n\r\n'.length;
  return rawHeaders.reduce((length, text) => length + Buffer.byteLength(text) + 2, status);
}
const navigate = ({ agent }: Person, path: string) => agent.get(path).set(NAVIGATION);
async function visitor(isLoggedIn = true): Promise<Person> {
  const person = createPerson(site);
  if (isLoggedIn) await person.logIn();
  return person;
}
/** The answer to a visitor, the consent page, the answer to its form, and the answer to the client. */
async function walk(query: string): Promise<Response[]> {
  const [anybody, ada] = [await visitor(false), await visitor()];
  const answers = [await navigate(anybody, `/oauth/authorize?${query}`)];
  const page = await navigate(ada, `/oauth/authorize?${query}&prompt=consent`);
  const form = await postForm(ada.agent, '/oauth/authorize', {
    ...Object.fromEntries(fieldsOf(page)),
    granted_scope: tickedScopes(page),
    decision: 'allow',
  });
  const end = await navigate(ada, String(form.headers.location));
  return [...answers, page, form, end];
}
const fieldsOf = (page: Response) =>
  [...page.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(
    ([, name = '', value = '']): [string, string] => [name, value],
  );

describe('behind nginx with its defaults', () => {
  test.each(['a', ':', '%', '"', 'é'])(
    'an authorization request of 2,600 characters passes nginx at each step (a state of %s)',
    async (letter) => {
      const query = requestOf(LONG, letter);
      const answers = await walk(query);
      expect(answers.map(({ status }) => status)).toEqual([302, 200, 303, 302]);
      for (const answer of answers) expect(headOf(answer)).toBeLessThan(NGINX - OF_HOST);
      expect(locationOf(answers.at(-1)!).searchParams.get('state')).toBe(stateOf(query));
    },
  );

  test.each(['login_required', 'invalid_scope', 'access_denied'])(
    'the redirect with error=%s to a request of 2,600 characters passes nginx',
    async (error) => {
      const ada = await visitor(error !== 'login_required');
      const more = {
        login_required: { prompt: 'none' },
        invalid_scope: { scope: `photos:${'x'.repeat(800)}` },
        access_denied: { prompt: 'consent' },
      }[error];
      const page = await navigate(ada, `/oauth/authorize?${requestOf(LONG, 'a', more)}`);
      const end = page.status === 200 ? await ada.choose(page, { decision: 'deny' }) : page;
      expect(locationOf(end).searchParams.get('error')).toBe(error);
      expect(headOf(end)).toBeLessThan(NGINX - OF_HOST);
    },
  );

  test('client endpoints answer the longest requests with short heads', async () => {
    const { agent } = await visitor(false);
    const post = (path: string, body: string) =>
      agent
        .post(path)
        .set('Authorization', basic(client.clientId, client.clientSecret ?? ''))
        .type('form')
        .send(body);
    const answers = [
      await post('/oauth/par', requestOf(30_000)),
      await post('/oauth/par', requestOf(40_000)),
      await post('/oauth/token', `grant_type=authorization_code&code=${'c'.repeat(60_000)}`),
      await post('/oauth/token', `grant_type=${'g'.repeat(60_000)}`),
      await post('/oauth/revoke', `token=${'t'.repeat(60_000)}`),
      await deviceRequest(site, client, { scope: SCOPES.join(' ') }),
      await deviceRequest(site, client, { scope: 'x'.repeat(60_000) }),
      await agent.get('/oauth/userinfo').set('Authorization', `Bearer ${'t'.repeat(8000)}`),
    ];
    for (const answer of answers) expect(headOf(answer)).toBeLessThan(1000);
  });

  test.each([
    ['confirms a long request', false],
    ['redirects a long request', true],
  ])('the logout endpoint %s with a short head', async (_what, isSent) => {
    const ada = await visitor(!isSent);
    const query = formatQuery({
      client_id: client.clientId,
      post_logout_redirect_uri: REDIRECT_URI,
      state: 's'.repeat(LONG - 600),
    });
    const page = await navigate(ada, `/oauth/end_session?${query}`);
    expect(headOf(page)).toBeLessThan(NGINX - OF_HOST);
  });
});

describe('the return path of a long request', () => {
  const begin = async (person: Person, query = requestOf(LONG)) =>
    String((await navigate(person, `/oauth/authorize?${query}`)).headers.location);
  const returnPathIn = (location: string) =>
    new URL(location, 'http://x.invalid').searchParams.get('return_to') ?? '';

  test('the return path of a long request is short, and leads back to the request', async () => {
    const ada = await visitor(false);
    const query = requestOf(LONG, 'a', { prompt: 'consent' });
    const path = returnPathIn(await begin(ada, query));
    expect(path).toMatch(/^\/oauth\/authorize\?client_id=[^&]+&oauth_way_back=[\w-]{22}$/);
    // by a login of any kind that keeps the cookies
    await postForm(ada.agent, '/login', { username: 'ada', password: 'password of ada' });
    const followed = await navigate(ada, path);
    expect(followed.status).toBe(303);
    const page = await navigate(ada, String(followed.headers.location));
    expect(page.text).toContain('id="consent-form"');
    expect(locationOf(await ada.choose(page, { decision: 'deny' })).searchParams.get('state')).toBe(
      stateOf(query),
    );
  });

  test('a return path of a replaced or foreign request is refused, and blames nobody', async () => {
    const ada = await visitor(false);
    const path = returnPathIn(await begin(ada));
    await begin(ada, requestOf(LONG, 'b'));
    for (const person of [ada, await visitor(false)]) {
      const page = await navigate(person, path);
      expect([page.status, page.headers.location]).toEqual([400, undefined]);
      expect(page.text).toContain('This request is over');
    }
  });

  test('the return path of a framed request has the whole request, since a frame gets no cookie', async () => {
    const { agent } = await visitor(false);
    const framed = await agent
      .get(`/oauth/authorize?${requestOf(LONG)}`)
      .set({ ...NAVIGATION, 'Sec-Fetch-Dest': 'iframe' });
    expect(returnPathIn(String(framed.headers.location))).toContain('response_type=code');
  });

  test('a parameter oauth_way_back of a client is ignored', async () => {
    const page = await navigate(
      await visitor(),
      `/oauth/authorize?${requestOf(1500, 'a', { prompt: 'consent' })}&oauth_way_back=x`,
    );
    expect(page.text).toContain('id="consent-form"');
  });
});

test.each(['a', ':', '%', 'é'])(
  'the longest request passes nginx with the line of docs/operations.md (a state of %s)',
  async (letter) => {
    const answers = await walk(requestOf(LONGEST - 20, letter));
    expect(answers.map(({ status }) => status)).toEqual([302, 200, 303, 302]);
    for (const answer of answers) expect(headOf(answer)).toBeLessThan(NGINX_AS_DOCUMENTED - OF_HOST);
  },
);
