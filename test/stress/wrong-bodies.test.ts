import { describe, expect, test } from '@jest/globals';

import { outcomeOf } from '../support/outcomes.js';
import { sendRaw } from '../support/raw-http.js';
import {
  encodeFields,
  type Endpoint,
  type Field,
  FORM,
  type RightRequest,
  storedText,
  toRaw,
} from '../support/right-requests.js';
import {
  asking,
  type Change,
  each,
  endpoints,
  expectRefusals,
  posting,
  site,
  tokenEndpoints,
  wholeRequest,
  withBody,
} from './wrong-requests.js';

describe('a body that is no form', () => {
  const form = { fieldsOf: wholeRequest };
  const asForm = (right: RightRequest, type: string, more?: readonly Field[]) =>
    withBody(right, type, encodeFields(right.fields), more);

  test('a body of a wrong type is refused', () =>
    expectRefusals({
      ...form,
      endpoints: posting(endpoints),
      changes: each(
        [
          'application/json',
          'text/plain',
          'multipart/form-data; boundary=x',
          'application/xml',
          `${FORM}+json`,
          `x/${FORM}`,
          ';;;',
          '',
        ],
        (type) => (right) => asForm(right, type),
      ),
    }));

  test('a body of a wrong charset is refused', () =>
    expectRefusals({
      ...form,
      endpoints: posting(endpoints),
      changes: each(
        ['x-unknown', 'utf-16', 'utf-32', 'ibm500'],
        (charset) => (right) => asForm(right, `${FORM}; charset=${charset}`),
      ),
    }));

  test('a body of a wrong encoding is refused', () =>
    expectRefusals({
      ...form,
      endpoints: posting(endpoints),
      changes: each(
        ['gzip', 'deflate', 'br', 'compress', 'x-unknown', 'gzip, gzip'],
        (encoding) => (right) => asForm(right, FORM, [['Content-Encoding', encoding]]),
      ),
    }));

  test('a JSON body is refused', async () => {
    const json =
      (bodyOf: (right: RightRequest) => string): Change =>
      (right) =>
        withBody(right, 'application/json', bodyOf(right));
    const changes = {
      plain: json(({ fields }) => JSON.stringify(Object.fromEntries(fields))),
      operators: json(({ fields }) =>
        JSON.stringify(Object.fromEntries(fields.map(([name]) => [name, { $ne: null }]))),
      ),
      prototype: json(({ fields }) => `{"__proto__":${JSON.stringify(Object.fromEntries(fields))}}`),
      list: json(({ fields }) => JSON.stringify(fields)),
    };
    await expectRefusals({ ...form, endpoints: posting(endpoints), changes });
  });

  test('an empty body, a body in the URL and one with two lengths are refused', () =>
    expectRefusals({
      ...form,
      endpoints: posting(endpoints),
      changes: {
        nothing: (right) => withBody(right, FORM, ''),
        'in the URL': (right) => ({
          method: 'POST',
          target: `${right.path}?${encodeFields(right.fields)}`,
          headers: right.headers,
        }),
        'two lengths': (right) =>
          asForm(right, FORM, [
            ['Transfer-Encoding', 'chunked'],
            ['Content-Length', '5'],
          ]),
      },
    }));
});

describe('a request that the endpoint does not have', () => {
  test('a request with a wrong method is refused', () =>
    expectRefusals({
      fieldsOf: wholeRequest,
      changes: each(['PUT', 'PATCH', 'DELETE', 'PROPFIND', 'BREW'], (method) => (right) => ({
        ...toRaw(right),
        method,
      })),
    }));

  test('HEAD, which Express would take for GET, gets no code and no page', async () => {
    for (const endpoint of asking()) {
      const right = await endpoint.create();
      const response = await sendRaw(site.server, { ...toRaw(right), method: 'HEAD' });
      expect([response.status, response.headers.allow, response.headers.location]).toEqual([
        405,
        ['GET, POST'],
        undefined,
      ]);
    }
  });

  test('OPTIONS, as in a preflight, changes nothing', async () => {
    for (const endpoint of endpoints) {
      const right = await endpoint.create();
      const before = await storedText(site);
      const { status, body } = await sendRaw(site.server, { ...toRaw(right), method: 'OPTIONS' });
      expect([endpoint.name, status === 204 || (status >= 400 && status < 500)]).toEqual([
        endpoint.name,
        true,
      ]);
      expect(body).not.toMatch(/access_token|csrf_token/);
      expect((await storedText(site)) === before).toBe(true);
    }
  });

  test.each([
    '/oauth/authorize',
    '/oauth/token',
    '/oauth/revoke',
    '/oauth/introspect',
    '/.well-known/oauth-authorization-server',
  ])('a wrong method at %s is 405 with the allowed methods', async (target) => {
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const response = await sendRaw(site.server, { method, target });
      expect(response.status).toBe(405);
      expect(response.headers.allow?.[0]).toMatch(/^(GET, POST|POST|GET, HEAD)$/);
    }
  });

  test('two Authorization headers are refused', () =>
    expectRefusals({
      endpoints: tokenEndpoints(),
      fieldsOf: wholeRequest,
      changes: {
        two: (right) => ({
          ...toRaw(right),
          headers: [
            ...right.headers,
            ['Authorization', 'Basic YTpi'],
            ['Authorization', 'Bearer abc'],
            ['Content-Type', FORM],
          ],
        }),
      },
    }));

  test('a malformed Authorization header is refused', () =>
    expectRefusals({
      endpoints: tokenEndpoints().filter(({ name }) => !name.includes('in the body')),
      fieldsOf: wholeRequest,
      changes: each(
        [
          '',
          'Basic',
          'Basic !!!',
          'Basic Og==',
          'Basic YQ==',
          'Basic Y\u00ff',
          `Basic ${'A'.repeat(10_000)}`,
          'Basic JWZmOiVmZg==',
          `Basic ${Buffer.from('a\0:b').toString('base64')}`,
          'Bearer abc',
          'Digest a="b"',
        ],
        (authorization) => (right) => ({
          ...toRaw(right),
          headers: [
            ['Authorization', authorization],
            ['Content-Type', FORM],
          ],
        }),
      ),
    }));

  test('an application page of a malformed id is refused', async () => {
    const ids = [
      '%ff',
      '%00',
      '%',
      '..%2f..%2fetc',
      '__proto__',
      'constructor',
      '%7B%22$ne%22:null%7D',
      '[$ne]',
      'x'.repeat(8000),
      '%0d%0aSet-Cookie:%20a=b',
    ];
    const register = endpoints.find(({ name }) => name === 'applications: register') as Endpoint;
    const { headers } = await register.create();
    const before = await storedText(site);
    for (const target of ids.flatMap((id) =>
      ['', '/edit', '/rotate-secret', '/delete'].map((action) => `/oauth/applications/${id}${action}`),
    )) {
      for (const method of ['GET', 'POST']) {
        const response = await sendRaw(site.server, { method, target, headers });
        expect([target, outcomeOf(register, response), response.headers['set-cookie']]).toEqual([
          target,
          'refused',
          undefined,
        ]);
      }
    }
    expect((await storedText(site)) === before).toBe(true);
  });
});
