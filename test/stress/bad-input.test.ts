import { gzipSync } from 'node:zlib';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';

import { type RawRequest, sendRaw } from '../support/raw-http.js';
import {
  encodeFields,
  type Endpoint,
  type Field,
  FORM,
  openEndpoints,
  type Outcome,
  outcomeOf,
  type RightRequest,
  sendAndFollow,
  storedText,
  toRaw,
} from '../support/right-requests.js';
import { openSite, type Site } from '../support/site.js';

const OPTIONS = {
  grantTypes: [
    'authorization_code',
    'refresh_token',
    'client_credentials',
    'password',
    'urn:ietf:params:oauth:grant-type:device_code',
  ],
  rateLimits: false,
  authorizationCodeTtl: 600,
} as const;

/** Our own parser reads the bodies. */
let site: Site;
let endpoints: readonly Endpoint[];
/** The host's parsers have read them before us, and made of them what they make. */
let parsing: Site;
let parsed: readonly Endpoint[];

beforeAll(async () => {
  site = await openSite(OPTIONS);
  endpoints = (await openEndpoints(site)).filter(takesFields);
  parsing = await openSite({
    ...OPTIONS,
    before: (app) =>
      app.set('query parser', 'extended').use(express.urlencoded({ extended: true }), express.json()),
  });
  parsed = (await openEndpoints(parsing)).filter(takesFields);
});
afterAll(async () => {
  await site.close();
  await parsing.close();
});

const takesFields = ({ single }: Endpoint) => single.length > 0;

type Change = (right: RightRequest, field: string) => RawRequest;

interface Attacks {
  readonly at?: Site;
  readonly endpoints?: readonly Endpoint[];
  /** The fields that are made wrong, one after the other. Default: those that the endpoint reads once. */
  readonly fieldsOf?: (endpoint: Endpoint, right: RightRequest) => readonly string[];
  readonly changes: Readonly<Record<string, Change>>;
}

const REFUSALS: readonly Outcome[] = ['refused', 'refused by Node'];

/** Each wrong request is refused in form and leaves no trace: nothing stored, and the right one still works after it. */
async function expectRefusals({
  at = site,
  endpoints: attacked = endpoints,
  fieldsOf = singleFields,
  changes,
}: Attacks): Promise<void> {
  for (const endpoint of attacked) {
    const right = await endpoint.create();
    const before = await storedText(at);
    const fields = fieldsOf(endpoint, right);
    expect(fields.length).toBeGreaterThan(0);
    for (const [what, change] of Object.entries(changes)) {
      for (const field of fields) {
        const response = await sendAndFollow(at.server, change(right, field));
        const outcome = outcomeOf(endpoint, response);
        // RFC 7009 §2.2: of a token that is none nothing is left to revoke
        if (endpoint.name === 'token: revoke' && outcome === 'accepted') continue;
        if (!REFUSALS.includes(outcome))
          throw new Error(
            `${what} in ${field} of ${endpoint.name}: ${outcome}, ${response.status} ${response.body.slice(0, 300)}`,
          );
      }
    }
    expect([endpoint.name, (await storedText(at)) === before]).toEqual([endpoint.name, true]);
    expect([endpoint.name, outcomeOf(endpoint, await sendAndFollow(at.server, toRaw(right)))]).toEqual([
      endpoint.name,
      endpoint.outcome,
    ]);
  }
}

/** The same change with each of the values. */
const each = <T extends string>(values: readonly T[], change: (value: T) => Change): Record<string, Change> =>
  Object.fromEntries(values.map((value) => [JSON.stringify(value.slice(0, 40)), change(value)]));

const present = ({ fields }: RightRequest, names: readonly string[]) =>
  names.filter((name) => fields.some(([field]) => field === name));
const singleFields = ({ single }: Endpoint, right: RightRequest) => present(right, single);
const requiredFields = ({ required }: Endpoint, right: RightRequest) => present(right, required);
// a page's form may hold more than a protocol's parameter, and a hint may be wrong (RFC 7009 §2.1)
const strictFields = (endpoint: Endpoint, right: RightRequest) =>
  /^applications|revoke|introspect/.test(endpoint.name)
    ? requiredFields(endpoint, right)
    : singleFields(endpoint, right);
const wholeRequest = () => ['(all)'];

const replaceValue = (right: RightRequest, field: string, change: (value: string) => string) =>
  toRaw({
    ...right,
    fields: right.fields.map(([name, value]): Field => [name, name === field ? change(value) : value]),
  });
const replaceName = (right: RightRequest, field: string, changed: string) =>
  toRaw({
    ...right,
    fields: right.fields.map(([name, value]): Field => [name === field ? changed : name, value]),
  });
const addField = (right: RightRequest, name: string, value: string) =>
  toRaw({ ...right, fields: [...right.fields, [name, value]] });
/** Written as it is, behind the encoded value. */
const appendBytes = (right: RightRequest, field: string, bytes: string) =>
  toRaw(
    right,
    right.fields
      .map(([name, value]) => `${encodeFields([[name, value]])}${name === field ? bytes : ''}`)
      .join('&'),
  );
const withBody = (
  right: RightRequest,
  type: string,
  body: string | Buffer,
  more: readonly Field[] = [],
): RawRequest => ({
  method: 'POST',
  target: right.path,
  headers: [...right.headers, ...more, ['Content-Type', type]],
  body,
});
const posting = (attacked: readonly Endpoint[]) => attacked.filter(({ name }) => !name.includes('by GET'));
const asking = () => endpoints.filter(({ name }) => name.includes('by GET'));
const tokenEndpoints = () => endpoints.filter(({ name }) => name.startsWith('token'));

describe('RFC 6749 §3.1, §3.2 a parameter that comes twice', () => {
  test('with the same value, or with another one', () =>
    expectRefusals({
      changes: {
        same: (right, field) =>
          toRaw({ ...right, fields: [...right.fields, ...right.fields.filter(([name]) => name === field)] }),
        other: (right, field) => addField(right, field, 'other'),
      },
    }));

  test('fifty thousand times in a body', () =>
    expectRefusals({
      endpoints: posting(endpoints),
      fieldsOf: (endpoint, right) => singleFields(endpoint, right).slice(0, 1),
      changes: {
        repeated: (right, field) => withBody(right, FORM, `a&`.repeat(45_000) + `${field}=&${field}=`),
      },
    }));

  test('seven thousand times in a URL', () =>
    expectRefusals({
      endpoints: asking(),
      fieldsOf: wholeRequest,
      changes: { repeated: (right) => toRaw(right, `${encodeFields(right.fields)}${'&a'.repeat(7000)}`) },
    }));
});

describe('what is nested', () => {
  const nests: Readonly<Record<string, (name: string) => string>> = {
    'an operator of MongoDB': (name) => `${name}[$ne]`,
    'an operator by a dot': (name) => `${name}.$ne`,
    'a list': (name) => `${name}[]`,
    'a list by number': (name) => `${name}[0]`,
    'a deep one': (name) => `${name}${'[a]'.repeat(30)}`,
    'a method': (name) => `${name}[toString]`,
    'the prototype': (name) => `__proto__[${name}]`,
    'the prototype of the constructor': (name) => `constructor[prototype][${name}]`,
  };
  const changes = Object.fromEntries(
    Object.entries(nests).map(([what, nest]): [string, Change] => [
      what,
      (right, field) => replaceName(right, field, nest(field)),
    ]),
  );

  test('in the place of the plain field', () => expectRefusals({ fieldsOf: requiredFields, changes }));

  test('unfolded by the parsers of the host', () =>
    // those that are lists in our forms may be written as lists
    expectRefusals({
      at: parsing,
      endpoints: parsed,
      fieldsOf: (endpoint, right) =>
        requiredFields(endpoint, right).filter((field) => endpoint.single.includes(field)),
      changes,
    }));

  test('beside the plain field, merged by the parsers of the host', () =>
    expectRefusals({
      at: parsing,
      endpoints: posting(parsed),
      changes: {
        operator: (right, field) => addField(right, `${field}[$ne]`, ''),
        list: (right, field) => addField(right, `${field}[]`, 'x'),
      },
    }));

  test('in fields that nobody knows: they are ignored', async () => {
    const names = [
      'a[b]',
      'c[toString]',
      'd[e][toString]',
      'f[]',
      'g[][h]',
      '__proto__',
      '__proto__[admin]',
      'constructor',
      'constructor[prototype][admin]',
      'toString',
      'hasOwnProperty',
      '$where',
    ];
    for (const [at, attacked] of [
      [site, endpoints],
      [parsing, parsed],
    ] as const) {
      for (const endpoint of attacked) {
        const right = await endpoint.create();
        const response = await sendAndFollow(
          at.server,
          toRaw({ ...right, fields: [...right.fields, ...names.map((name): Field => [name, 'yes'])] }),
        );
        expect([endpoint.name, outcomeOf(endpoint, response)]).toEqual([endpoint.name, endpoint.outcome]);
      }
    }
    expect((Object.prototype as { admin?: unknown }).admin).toBeUndefined();
  });

  test('names that every object has, as values', () =>
    expectRefusals({
      fieldsOf: (endpoint, right) => requiredFields(endpoint, right).filter((field) => field !== 'name'),
      changes: each(
        [
          '__proto__',
          'constructor',
          'toString',
          'hasOwnProperty',
          '$ne',
          '[object Object]',
          'undefined',
          'null',
        ],
        (value) => (right, field) => replaceValue(right, field, () => value),
      ),
    }));
});

describe('what is no text', () => {
  test('NUL, broken UTF-8, broken percent-encoding', () =>
    expectRefusals({
      fieldsOf: strictFields,
      changes: each(
        ['%00', '%ff', '%c3', '%ed%a0%80', '%c0%80', '%', '%4', '%zz', '%u0000'],
        (bytes) => (right, field) => appendBytes(right, field, bytes),
      ),
    }));

  test('a raw NUL, a raw byte that UTF-8 never has', () => {
    const raw =
      (byte: number): Change =>
      (right, field) =>
        withBody(
          right,
          FORM,
          Buffer.concat(
            right.fields.flatMap(([name, value], index) => [
              Buffer.from(`${index > 0 ? '&' : ''}${encodeFields([[name, value]])}`),
              Buffer.from(name === field ? [byte] : []),
            ]),
          ),
        );
    return expectRefusals({
      endpoints: posting(endpoints),
      fieldsOf: strictFields,
      changes: { nul: raw(0x00), byte: raw(0xff) },
    });
  });

  test('line breaks, which headers must not get', () =>
    expectRefusals({
      fieldsOf: (endpoint, right) =>
        strictFields(endpoint, right).filter((field) => !['state', 'redirect_uris', 'name'].includes(field)),
      changes: each(
        ['\r\nSet-Cookie: a=b', '\n', '\r\n\r\n<script>alert(1)</script>'],
        (text) => (right, field) => replaceValue(right, field, (value) => `${value}${text}`),
      ),
    }));
});

describe('what is too much', () => {
  test('64 KB in one field', () =>
    expectRefusals({
      fieldsOf: strictFields,
      changes: {
        long: (right, field) => replaceValue(right, field, (value) => `${value}${'x'.repeat(65_536)}`),
      },
    }));

  test('8 KB in one field', () =>
    expectRefusals({
      fieldsOf: (endpoint, right) =>
        strictFields(endpoint, right).filter((field) => field !== 'redirect_uris'),
      changes: {
        long: (right, field) => replaceValue(right, field, (value) => `${value}${'x'.repeat(8192)}`),
      },
    }));

  test('a body of 1 MB', () =>
    expectRefusals({
      endpoints: posting(endpoints),
      fieldsOf: wholeRequest,
      changes: {
        'of a field': (right) =>
          withBody(right, FORM, `${encodeFields(right.fields)}&a=${'x'.repeat(1_048_576)}`),
        'of fields': (right) =>
          withBody(right, FORM, `${encodeFields(right.fields)}${'&a=1'.repeat(262_144)}`),
        'that comes packed in 1 KB': (right) =>
          withBody(right, FORM, gzipSync(`${encodeFields(right.fields)}&a=${'x'.repeat(1_048_576)}`), [
            ['Content-Encoding', 'gzip'],
          ]),
      },
    }));
});

describe('what is no form', () => {
  const form = { fieldsOf: wholeRequest };
  const asForm = (right: RightRequest, type: string, more?: readonly Field[]) =>
    withBody(right, type, encodeFields(right.fields), more);

  test('by its type', () =>
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

  test('by its charset', () =>
    expectRefusals({
      ...form,
      endpoints: posting(endpoints),
      changes: each(
        ['x-unknown', 'utf-16', 'utf-32', 'ibm500'],
        (charset) => (right) => asForm(right, `${FORM}; charset=${charset}`),
      ),
    }));

  test('by its encoding', () =>
    expectRefusals({
      ...form,
      endpoints: posting(endpoints),
      changes: each(
        ['gzip', 'deflate', 'br', 'compress', 'x-unknown', 'gzip, gzip'],
        (encoding) => (right) => asForm(right, FORM, [['Content-Encoding', encoding]]),
      ),
    }));

  test('but JSON, read by us and by the parsers of the host', async () => {
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
    await expectRefusals({ ...form, at: parsing, endpoints: posting(parsed), changes });
  });

  test('nothing at all, or in the URL, or with two lengths that two servers could read differently', () =>
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

describe('what is no request of this endpoint', () => {
  test('by its method', () =>
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

  test('OPTIONS, the question of a browser before it asks, changes nothing', async () => {
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
  ])('%s says which methods there are', async (target) => {
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const response = await sendRaw(site.server, { method, target });
      expect(response.status).toBe(405);
      expect(response.headers.allow?.[0]).toMatch(/^(GET, POST|POST|GET, HEAD)$/);
    }
  });

  test('by two Authorization headers', () =>
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

  test('by an Authorization header that is none', () =>
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

  test('by an application that cannot be', async () => {
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
