import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import express, { type Express, type RequestHandler } from 'express';
import session from 'express-session';

import { allEndpoints, BUILT_IN } from '../../lib/features.js';
import { IS_LONG } from '../support/long-run.js';
import { parameterNames } from '../support/parameter-names.js';
import { codeQuery } from '../support/person.js';
import { EVERY_ENDPOINT, type Route, routesOf } from '../support/routes.js';
import { siteFor } from '../support/site-for.js';

/**
 * Every endpoint, every parameter, every shape from a parser of the host. Endpoints and their routes come from the
 * server, names of parameters from the code and the views, so that new ones are included.
 */

const express4 = createRequire(import.meta.url)('express4') as typeof express;
const FORM = 'application/x-www-form-urlencoded';
/** The endpoints for JSON. */
const JSON_ENDPOINTS: readonly string[] = ['register'];
const ID = '00000000-0000-4000-8000-000000000000';

/** The shapes of a value after a parser: qs of `a[b]=c`, JSON, multer of files. */
const SHAPES: Readonly<Record<string, () => unknown>> = {
  text: () => 'x',
  'empty text': () => '',
  'long text': () => 'x'.repeat(9000),
  'text with NUL': () => 'a\0b',
  'half of a surrogate pair': () => '\ud800',
  'the name of a member of Object': () => '__proto__',
  list: () => ['x', 'y'],
  'empty list': () => [],
  'list of one': () => ['x'],
  'list of lists': () => [['x'], [['y']]],
  'list of objects': () => [{ a: 'x' }, null],
  'sparse list': () => Object.assign([], { 3: 'x' }),
  object: () => ({ a: 'x' }),
  'empty object': () => ({}),
  'object without prototype': () => Object.assign(Object.create(null), { a: 'x' }) as unknown,
  'object with toString': () => ({ toString: 'x', valueOf: 'y' }),
  'object like a text': () => ({ length: 3, startsWith: 'x', trim: 'y', split: 'z', 0: 'a' }),
  'object with constructor': () => ({ constructor: { prototype: { polluted: 'yes' } } }),
  'object with __proto__': () => JSON.parse('{"__proto__":{"polluted":"yes"}}') as unknown,
  'object for MongoDB': () => ({ $ne: null, $where: 'sleep(1)' }),
  'deep object': () => JSON.parse(`${'{"a":'.repeat(90)}1${'}'.repeat(90)}`) as unknown,
  zero: () => 0,
  number: () => 1e308,
  'not a number': () => NaN,
  true: () => true,
  false: () => false,
  null: () => null,
  undefined: () => undefined,
  Buffer: () => Buffer.from('x'),
  date: () => new Date(NaN),
  'file of multer': () => ({ fieldname: 'a', originalname: 'b', buffer: Buffer.from('x'), size: 1 }),
};

/** The values of a parser in the place of a body. */
const BODIES: Readonly<Record<string, (fields: object) => unknown>> = {
  'nothing, the stream read': () => undefined,
  null: () => null,
  'empty object': () => ({}),
  text: (fields) => new URLSearchParams(fields as Record<string, string>).toString(),
  'text that is no form': () => '%%%\0{"a":',
  Buffer: (fields) => Buffer.from(new URLSearchParams(fields as Record<string, string>).toString()),
  'Buffer of odd bytes': () => Buffer.from([0xff, 0xfe, 0, 0x25]),
  list: () => [{ client_id: 'x' }],
  number: () => 7,
  true: () => true,
  'fields of multer': (fields) => Object.assign(Object.create(null), fields) as unknown,
  'a thousand keys': (fields) =>
    Object.assign(
      Object.fromEntries(Array.from({ length: 1000 }, (_each, index) => [`k${index}`, 'x'])),
      fields,
    ),
  'names of members of Object': (fields) =>
    Object.assign(
      JSON.parse('{"__proto__":"x","constructor":"x","toString":"x","hasOwnProperty":"x"}') as object,
      fields,
    ),
  'a getter that is not its own': (fields) => Object.create(fields) as unknown,
};

interface Host {
  readonly name: string;
  readonly server: Server;
}

interface Sent {
  readonly route: Route;
  readonly what: string;
  /** What the host's parser leaves in the place of the body. */
  readonly body?: () => unknown;
  readonly query?: string;
}

const KEEP_ALIVE = new Agent({ keepAlive: true, maxSockets: 16 });
let routes: readonly Route[];
let hosts: readonly Host[];
/** The valid fields of every request, so that it reaches more than the first check. */
let right: Readonly<Record<string, string>>;
const unfolded = new Map<string, () => unknown>();

const site = siteFor(EVERY_ENDPOINT);
beforeAll(async () => {
  const { clientId, clientSecret } = await site.client({ introspection: true, ownerId: 'ada' });
  routes = routesOf(site.oauth).map((route) => ({
    ...route,
    path: route.path.replace(/:clientId/, clientId).replace(/:\w+/g, ID),
  }));
  hosts = await Promise.all(
    [express, express4].flatMap((create, index) =>
      (['simple', 'extended'] as const).map(async (parser) => {
        // otherwise a busy server closes an idle connection just when its client sends the next request
        const server = createServer({ keepAliveTimeout: 0 }, hostOf(create, parser)).listen(0, '127.0.0.1');
        await once(server, 'listening');
        return { name: `Express ${5 - index}, query parser ${parser}`, server };
      }),
    ),
  );
  const page = await send(hosts[0]!, { route: routeOf('end_session', 'get'), what: 'the form' });
  right = codeQuery(clientId, {
    client_secret: String(clientSecret),
    grant_type: 'authorization_code',
    user_code: 'BCDF-GHJK',
    csrf_token: /name="csrf_token" value="([^"]+)"/.exec(page.text)?.[1] ?? '',
  });
});
afterAll(() => {
  KEEP_ALIVE.destroy();
  for (const { server } of hosts) server.close();
});

const routeOf = (endpoint: string, method: string): Route =>
  routes.find((route) => route.endpoint === endpoint && route.method === method)!;

/** A site with a logged-in user, and with a strange parser of bodies. */
function hostOf(create: typeof express, queryParser: 'simple' | 'extended'): Express {
  const app = create();
  app.set('query parser', queryParser);
  app.set('env', 'test');
  app.use(session({ secret: 'of the test', resave: false, saveUninitialized: true, store: sessions }));
  const readBody: RequestHandler = (req, _res, next) => {
    req.user = { id: 'ada', name: 'Ada' };
    const body = unfolded.get(String(req.headers['x-unfolded']));
    if (body === undefined) return next();
    req.resume().on('end', () => {
      req.body = body();
      next();
    });
  };
  // the usual parsers are there, too, for bodies that are sent unchanged
  const parse = create.urlencoded({ extended: true });
  app.use(
    readBody,
    (req, res, next) => void (req.readableEnded ? next() : parse(req, res, next)),
    site.oauth.router,
  );
  return app;
}
const sessions = new session.MemoryStore();
let cookie: string | undefined;
let count = 0;

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

async function send({ server }: Host, { route, body, query = '' }: Sent): Promise<Answer> {
  count += 1;
  const number = String(count);
  if (body !== undefined) unfolded.set(number, body);
  const { port } = server.address() as AddressInfo;
  const sent = request({
    port,
    agent: KEEP_ALIVE,
    method: route.method.toUpperCase(),
    path: `${route.path}${query}`,
    headers: {
      'Content-Type': JSON_ENDPOINTS.includes(route.endpoint) ? 'application/json' : FORM,
      'X-Unfolded': number,
      'Sec-Fetch-Site': 'same-origin',
      ...(cookie !== undefined && { Cookie: cookie }),
    },
  }).end(route.method === 'get' ? undefined : 'a=b');
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const text = (await answer.toArray()).join('');
  unfolded.delete(number);
  cookie ??= answer.headers['set-cookie']?.[0]?.split(';')[0];
  return { status: answer.statusCode ?? 0, type: answer.headers['content-type'] ?? '', text };
}

/** The fault of an answer; undefined if it is documented. */
function faultIn({ status, type, text }: Answer): string | undefined {
  if (status >= 500 || status === 0) return `${status} ${text.slice(0, 200)}`;
  if (status >= 400 && !type.startsWith('text/html') && text !== '') {
    // RFC 8935 §2.3 has `err` in the place of `error`
    const { err, error = err } = JSON.parse(text) as { readonly err?: unknown; readonly error?: unknown };
    if (typeof error !== 'string' || !/^[a-z_]+$/.test(error)) return `${status} without an error code`;
  }
  return undefined;
}

/** Sends all of them, some at once. */
async function sendAll(
  all: readonly Sent[],
  hostFor: (index: number) => readonly Host[],
): Promise<readonly string[]> {
  const faults: string[] = [];
  const queue = all.entries();
  const before = site.errors.length;
  const work = async (): Promise<void> => {
    for (const [index, sent] of queue)
      for (const host of hostFor(index)) {
        const fault = faultIn(await send(host, sent));
        if (fault !== undefined)
          faults.push(`${host.name}: ${sent.route.method} ${sent.route.path} ${sent.what}: ${fault}`);
      }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  const internal = site.errors.slice(before).filter(({ error }) => error === 'server_error');
  return [
    ...faults,
    ...internal.map(({ endpoint, detail }) => `${endpoint}: server_error ${String(detail)}`),
  ];
}

/** In the long run each host is sent everything; otherwise they take turns. */
const hostFor = (index: number): readonly Host[] => (IS_LONG ? hosts : [hosts[index % hosts.length]!]);

/** Every n-th request of too many, so that all routes, names and shapes are among them. */
const thinned = <Value>(all: readonly Value[], step: number): readonly Value[] =>
  IS_LONG ? all : all.filter((_each, index) => index % step === 0);

const bodiesOf = (route: Route): boolean => route.method !== 'get';
const nothingPolluted = (): void => {
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  expect(Object.keys(Object.prototype)).toEqual([]);
};

describe('unfolded fields from a parser of the host', () => {
  test('the test covers all endpoints and parameters', () => {
    const endpoints = [...new Set(routes.map(({ endpoint }) => endpoint))];
    // the metadata compares paths, and reads no parameter
    expect([...endpoints, 'metadata'].sort()).toEqual(
      allEndpoints(BUILT_IN)
        .map(({ name }) => name)
        .sort(),
    );
    expect(parameterNames()).toEqual(
      expect.arrayContaining([
        'request_uri',
        'logout_request',
        'client_id',
        'user_code',
        'csrf_token',
        'token',
      ]),
    );
    expect(right.csrf_token).not.toBe('');
  });

  test('every parameter of every endpoint in every unfolded shape is no error of the server', async () => {
    const names = [...parameterNames(), '__proto__', 'constructor', 'toString'];
    const all = routes.filter(bodiesOf).flatMap((route) =>
      names.flatMap((name) =>
        Object.entries(SHAPES).map(([shape, make]) => ({
          route,
          what: `${name}: ${shape}`,
          body: () =>
            Object.defineProperty({ ...right }, name, {
              value: make(),
              enumerable: true,
              writable: true,
              configurable: true,
            }),
        })),
      ),
    );
    const sent = thinned(all, 397);
    expect(await sendAll(sent, hostFor)).toEqual([]);
    nothingPolluted();
  });

  test('the parameters that control the parsing, in every shape, are no error of the server', async () => {
    const all = routes.filter(bodiesOf).flatMap((route) =>
      [
        'request_uri',
        'request',
        'logout_request',
        'csrf_token',
        'client_id',
        'decision',
        'account',
        'authorization_request',
      ].flatMap((name) =>
        Object.entries(SHAPES).map(([shape, make]) => ({
          route,
          what: `${name}: ${shape}`,
          body: () => ({ ...right, [name]: make() }),
        })),
      ),
    );
    expect(await sendAll(thinned(all, 29), hostFor)).toEqual([]);
  });

  test('a strange value in the place of the whole body is no error of the server', async () => {
    const all = routes
      .filter(bodiesOf)
      .flatMap((route) =>
        Object.entries(BODIES).map(([what, make]) => ({ route, what, body: () => make({ ...right }) })),
      );
    expect(await sendAll(thinned(all, 3), hostFor)).toEqual([]);
    nothingPolluted();
  });

  test('every parameter in the query, as qs unfolds it, is no error of the server', async () => {
    const spellings = [
      '=',
      '[a]=1',
      '[]=1',
      '[toString]=x',
      '[__proto__][polluted]=yes',
      '=1&NAME=2',
      '=%00',
      '=%zz',
    ];
    const names = [...parameterNames(), 'constructor'];
    const all = routes.flatMap((route) =>
      names.flatMap((name) =>
        spellings.map((spelling) => ({
          route,
          what: `query ${name}${spelling}`,
          query: `?${name}${spelling.replace('NAME', name)}&client_id=${encodeURIComponent(right.client_id ?? '')}`,
        })),
      ),
    );
    expect(
      await sendAll(
        thinned(
          all.filter(({ route }) => route.method === 'get'),
          211,
        ),
        hostFor,
      ),
    ).toEqual([]);
    nothingPolluted();
  });
});
