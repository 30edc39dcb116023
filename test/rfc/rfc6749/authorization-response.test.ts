import { describe, expect, test } from '@jest/globals';

import { type ClientWithSecret, OAuthError } from '../../../lib/index.js';
import {
  codeQuery,
  formatQuery,
  fragmentOf,
  locationOf,
  logInPerson,
  type Query,
} from '../../support/person.js';
import { REDIRECT_URI } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';

/** RFC 6749 Appendix A.5 allows printable ASCII; real clients send other characters as well. */
const STATES: readonly [string, string][] = [
  ['of letters', 'xyz'],
  ['with spaces', ' a  b '],
  ['with pluses', 'a+b++c'],
  ['with percents', '100%41%2541%zz%'],
  ['with quotes and brackets', `"'\`<script>alert(1)</script>{}[]\\^|`],
  ['with URL delimiters', 'a=b&c=d;e=f?g#h/i:j@k,l!m$n*o(p)q'],
  ['of JSON', '{"back":"/albums/7?x=1&y=2","n":[1,2]}'],
  ['of Unicode, composed and decomposed', 'Ünïcödé 照片 🖼️ \u00e9 e\u0301 \u212b'],
  ['of invisible characters', 'tab\there, line\r\nbreak, \u00a0 \u200b \u2028 \u202e \ufeff'],
  [
    'of all printable ASCII',
    Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join(''),
  ],
  ['that looks like a response', 'code=evil&iss=https://evil.example&error=x'],
  ['that is long', 'x+%"é'.repeat(200)],
];

const site = siteFor({ grantTypes: ['authorization_code', 'refresh_token', 'implicit'] });
/** The same site, with an unexpected failure. */
const broken = siteFor(() => ({
  database: site.database,
  people: {
    id: () => {
      throw new Error('secret of the host');
    },
  },
}));
/** The same site, whose policy refuses each request. */
let refusal: 'access_denied' | 'temporarily_unavailable';
const refusing = siteFor(() => ({
  database: site.database,
  policy: {
    onAuthorize: () => {
      throw new OAuthError(refusal, 'by the rule of the site');
    },
  },
}));
const client = fixture(() => site.client({ scopes: ['photos:read', 'profile'] }));
const trusted = fixture(() => site.client({ trusted: true }));
const ada = fixture(() => logInPerson(site));

const requestOf = ({ clientId }: ClientWithSecret, more: Query = {}): Query =>
  codeQuery(clientId, { state: 'xyz', ...more });
const names = (parameters: URLSearchParams) => [...parameters.keys()].sort();

describe('§4.1.2 the response', () => {
  test('§4.1.2 the authorization response has code, state and iss at the redirect URI [4.1.2-1] [4.1.2-7] [A.11-1]', async () => {
    const location = await ada.authorize(requestOf(trusted));
    expect(`${location.origin}${location.pathname}`).toBe(REDIRECT_URI);
    expect(names(location.searchParams)).toEqual(['code', 'iss', 'state']);
    expect(location.searchParams.get('code')).toMatch(/^[\x20-\x7e]+$/);
    expect(location.searchParams.get('iss')).toBe(site.url);
    expect(location.hash).toBe('');
  });

  test('§4.1.2 the authorization response is not cached and sends no referrer [4.1.2-1]', async () => {
    const { status, headers, text } = await ada.openAuthorize(requestOf(trusted));
    expect(status).toBe(302);
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(text).toBe('');
  });
});

describe('§4.1.2 state is returned unchanged', () => {
  test.each(STATES)(
    '§4.1.2 a state %s is returned unchanged with a code, also after the consent page [4.1.2-7] [A.5-1] [10.14-1] [B-1] [B-2]',
    async (_what, state) => {
      expect((await ada.authorize(requestOf(trusted, { state }))).searchParams.get('state')).toBe(state);
      const requested = await site.client();
      const page = await ada.openAuthorize(requestOf(requested, { state }));
      expect(page.status).toBe(200);
      // the form has the state as text, never as markup
      expect(page.text).not.toContain('<script');
      expect(locationOf(await ada.choose(page)).searchParams.get('state')).toBe(state);
    },
  );

  test.each(STATES)(
    '§4.1.2.1 a state %s is returned unchanged with an error [4.1.2.1-7]',
    async (_what, state) => {
      const location = await ada.authorize(requestOf(client, { state, scope: 'unknown' }));
      expect(location.searchParams.get('error')).toBe('invalid_scope');
      expect(location.searchParams.get('state')).toBe(state);
    },
  );

  test.each(STATES)(
    '§4.2.2 a state %s is returned unchanged in the fragment [4.2.2-5] [4.2.2.1-7]',
    async (_what, state) => {
      const granted = fragmentOf(await ada.authorize(requestOf(trusted, { state, response_type: 'token' })));
      const refused = fragmentOf(
        await ada.authorize(requestOf(trusted, { state, response_type: 'token', scope: 'unknown' })),
      );
      expect(granted.get('state')).toBe(state);
      expect(refused.get('state')).toBe(state);
    },
  );

  test('§4.1.2 a state with + or %20 has a space [4.1.2-7] [B-2]', async () => {
    for (const written of ['a+b', 'a%20b']) {
      const location = locationOf(
        await ada.openAuthorize(`${formatQuery(requestOf(trusted, { state: undefined }))}&state=${written}`),
      );
      expect(location.searchParams.get('state')).toBe('a b');
    }
  });

  test.each(['%ff', '%c3%28', '%ed%a0%80', 'a%00b'])(
    '§4.1.2.1 a state written as %s is refused and not returned [10.14-1]',
    async (written) => {
      const location = locationOf(
        await ada.openAuthorize(`${formatQuery(requestOf(trusted, { state: undefined }))}&state=${written}`),
      );
      expect(location.searchParams.get('error')).toBe('invalid_request');
      expect(location.searchParams.has('state')).toBe(false);
    },
  );

  test('§10.14 a state cannot add a header to the response [10.14-1]', async () => {
    const response = await ada.openAuthorize(
      requestOf(trusted, { state: 'x\r\nSet-Cookie: evil=1\r\n\r\n<html>' }),
    );
    expect(response.status).toBe(302);
    expect(String(response.headers['set-cookie'] ?? '')).not.toContain('evil');
    expect(response.headers.location).not.toMatch(/[\r\n]/);
  });
});

describe('§4.1.2.1 error responses', () => {
  const errors: readonly [string, string, Query][] = [
    ['a missing response_type', 'invalid_request', { response_type: undefined }],
    ['an empty response_type', 'invalid_request', { response_type: '' }],
    ['an unknown response_type', 'unsupported_response_type', { response_type: 'id_token' }],
    ['a malformed response_type', 'unsupported_response_type', { response_type: 'a "b' }],
    ['an unknown response_mode', 'invalid_request', { response_mode: 'pigeon' }],
    ['an unknown scope', 'invalid_scope', { scope: 'albums' }],
    ['a scope of other clients', 'invalid_scope', { scope: 'photos:write' }],
    ['a malformed scope', 'invalid_scope', { scope: 'photos:read "\\é\n' }],
    [
      'a malformed code challenge',
      'invalid_request',
      { code_challenge: 'short', code_challenge_method: 'S256' },
    ],
  ];

  test.each(errors)(
    '§4.1.2.1 %s is answered %s [3.1.1-1] [3.1.1-3] [4.1.1-1] [4.1.2.1-3] [4.1.2.1-4] [4.1.2.1-5] [4.1.2.1-8] [4.1.2.1-11] [4.1.2.1-12] [A.7-1] [A.8-1]',
    async (_what, error, query) => {
      const response = await ada.openAuthorize(requestOf(client, query));
      const { searchParams } = locationOf(response);
      expect(response.status).toBe(302);
      expect(response.headers.location?.startsWith(`${REDIRECT_URI}?`)).toBe(true);
      expect(names(searchParams)).toEqual(['error', 'error_description', 'iss', 'state']);
      expect(searchParams.get('error')).toBe(error);
      expect(searchParams.get('state')).toBe('xyz');
      expect(searchParams.get('iss')).toBe(site.url);
      for (const name of ['error', 'error_description'])
        expect(searchParams.get(name)).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
    },
  );

  test('§4.1.2.1 a client without the authorization code grant gets unauthorized_client [4.1.2.1-3] [4.1.2.1-9]', async () => {
    const implicitOnly = await site.client({ grantTypes: ['implicit'] });
    const { searchParams } = await ada.authorize(requestOf(implicitOnly));
    expect(searchParams.get('error')).toBe('unauthorized_client');
    expect(searchParams.get('iss')).toBe(site.url);
  });

  test('§4.1.2.1 a denial by the person is answered access_denied with state and iss [4.1.2.1-3] [4.1.2.1-7] [4.1.2.1-10]', async () => {
    const { searchParams } = await ada.authorize(requestOf(await site.client()), { decision: 'deny' });
    expect(names(searchParams)).toEqual(['error', 'error_description', 'iss', 'state']);
    expect(searchParams.get('error')).toBe('access_denied');
    expect(searchParams.get('state')).toBe('xyz');
    expect(searchParams.get('iss')).toBe(site.url);
  });

  test.each(['access_denied', 'temporarily_unavailable'] as const)(
    '§4.1.2.1 a refusal by the policy of the site is answered %s [4.1.2.1-3] [4.1.2.1-10] [4.1.2.1-13]',
    async (error) => {
      refusal = error;
      const grace = await logInPerson(refusing, 'grace');
      const { searchParams } = await grace.authorize(requestOf(trusted));
      expect(searchParams.get('error')).toBe(error);
      expect(searchParams.get('state')).toBe('xyz');
    },
  );

  test('§4.1.2.1 a failure of the site is answered server_error without details [4.1.2.1-3] [4.1.2.1-13]', async () => {
    const grace = await logInPerson(broken, 'grace');
    const location = await grace.authorize(requestOf(trusted));
    expect(location.searchParams.get('error')).toBe('server_error');
    expect(location.searchParams.get('state')).toBe('xyz');
    expect(location.href).not.toContain('secret');
  });
});
