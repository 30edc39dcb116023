import { afterEach, describe, expect, test } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import request from 'supertest';

import type { ClientWithSecret } from '../../lib/index.js';
import { forge } from '../support/jwt.js';
import { logInPerson } from '../support/person.js';
import { manage, METADATA, register } from '../support/registration.js';
import { openSite, REDIRECT_URI, type Site } from '../support/site.js';
import { tokenRequest } from '../support/tokens.js';

let site: Site;
let client: ClientWithSecret;
afterEach(() => site.close());

/** Reads the whole body, as frameworks and adapters do, and leaves it in some form. */
const taking =
  (
    leave: (req: Parameters<RequestHandler>[0] & { rawBody?: unknown }, bytes: Buffer) => void,
  ): RequestHandler =>
  (req, _res, next) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      leave(req, Buffer.concat(chunks));
      next();
    });
  };
const open = async (handler: RequestHandler) => {
  site = await openSite({ before: (app) => app.use(handler) });
  client = await site.client();
};
const ask = () => tokenRequest(site, client, { grant_type: 'client_credentials', scope: 'photos:read' });
const PARSED = (bytes: Buffer) => Object.fromEntries(new URLSearchParams(bytes.toString()));

describe('a form that other middleware has read', () => {
  test.each<[string, RequestHandler]>([
    ['express.urlencoded', express.urlencoded({ extended: true })],
    ['express.raw', express.raw({ type: () => true })],
    ['express.text', express.text({ type: () => true })],
    ['an object', taking((req, bytes) => (req.body = PARSED(bytes)))],
    ['text', taking((req, bytes) => (req.body = bytes.toString()))],
    ['a Buffer', taking((req, bytes) => (req.body = bytes))],
    ['a Uint8Array', taking((req, bytes) => (req.body = new Uint8Array(bytes)))],
    [
      "a Buffer of a Lambda event's base64",
      taking((req, bytes) => (req.body = Buffer.from(bytes.toString('base64'), 'base64'))),
    ],
    [
      'an object, and the bytes in rawBody',
      taking((req, bytes) => Object.assign(req, { body: PARSED(bytes), rawBody: bytes })),
    ],
    ['rawBody alone', taking((req, bytes) => (req.rawBody = bytes))],
    [
      'an empty object and rawBody as text',
      taking((req, bytes) => Object.assign(req, { body: {}, rawBody: bytes.toString() })),
    ],
  ])('a form read before is accepted as %s', async (_what, handler) => {
    await open(handler);
    const { status, body } = await ask();
    expect([status, body.scope]).toEqual([200, 'photos:read']);
  });

  test.each<[string, RequestHandler]>([
    ['nothing', taking(() => undefined)],
    ['an empty object', taking((req) => (req.body = {}))],
    ['an object without a prototype', taking((req) => (req.body = Object.create(null)))],
    ['null', taking((req) => (req.body = null))],
  ])('a form read before is refused if %s is left, and the detail has the cure', async (_what, handler) => {
    await open(handler);
    const { status, body } = await ask();
    expect([status, body.error]).toEqual([400, 'invalid_request']);
    expect(body.error_description).toBe('the request body was read before it came here, and is lost');
    expect(site.errors.at(-1)?.detail).toContain('mount oauth.clientRouter before it');
  });
});

describe('a JSON or JWT body that other middleware has read', () => {
  const READ: [string, RequestHandler][] = [
    ['express.raw', express.raw({ type: () => true })],
    ['express.text', express.text({ type: () => true })],
    ['a Uint8Array', taking((req, bytes) => (req.body = new Uint8Array(bytes)))],
    ['rawBody alone', taking((req, bytes) => (req.rawBody = bytes))],
    ['an empty object and rawBody', taking((req, bytes) => Object.assign(req, { body: {}, rawBody: bytes }))],
  ];
  const LOST: [string, RequestHandler][] = [
    ['nothing', taking(() => undefined)],
    ['an empty object', taking((req) => (req.body = {}))],
  ];
  const openAll = async (handler: RequestHandler) => {
    site = await openSite({
      before: (app) => app.use(handler),
      registration: { open: true },
      personalAccessTokens: true,
      sharedSignals: {
        receiver: {
          transmitters: [{ issuer: 'https://sso.example', audience: 'x' }],
          endSessions: () => Promise.resolve(),
        },
      },
    });
  };
  const sendTo = (path: string, type: string, body: string) =>
    request(site.server).post(`/oauth/${path}`).type(type).send(body);

  test.each(READ)('a JSON or JWT body read before is accepted as %s', async (_what, handler) => {
    await openAll(handler);
    const registered = await register(site);
    expect([registered.status, registered.body.client_name]).toEqual([201, METADATA.client_name]);
    const metadata = { ...METADATA, client_id: String(registered.body.client_id), client_name: 'Other' };
    const changed = await manage(site, 'put', registered.body, metadata);
    expect([changed.status, changed.body.client_name]).toEqual([200, 'Other']);
    const reported = await sendTo('leaked-token', 'application/json', '[{"token":"eas_pat_x"}]');
    expect([reported.status, reported.body.length]).toEqual([200, 1]);
    const event = await sendTo(
      'ssf-events',
      'application/secevent+jwt',
      forge({}, { iss: 'https://no.example' }),
    );
    expect([event.status, event.body.err]).toEqual([400, 'invalid_issuer']);
  });

  test.each(LOST)('a JSON or JWT body read before is refused if %s is left', async (_what, handler) => {
    await openAll(handler);
    const details = [];
    for (const [path, type, body] of [
      ['register', 'application/json', JSON.stringify(METADATA)],
      ['leaked-token', 'application/json', '[{"token":"eas_pat_x"}]'],
      ['ssf-events', 'application/secevent+jwt', forge({}, { iss: 'https://no.example' })],
    ] as const) {
      expect((await sendTo(path, type, body)).status).toBe(400);
      details.push(site.errors.at(-1)?.detail);
    }
    expect(details).toEqual(Array(3).fill(expect.stringContaining('mount oauth.clientRouter before it')));
  });

  test('an empty object left by express.json is taken for the sent body', async () => {
    await openAll(express.json());
    const { status, body } = await sendTo('register', 'application/json', '{ }');
    expect([status, body.error]).toEqual([400, 'invalid_redirect_uri']);
  });
});

test('a body without a length that other middleware has read is told apart from none', async () => {
  await open(taking((req) => (req.body = {})));
  const answer = await fetch(`${site.url}/oauth/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new Blob(['grant_type=client_credentials']).stream(),
    duplex: 'half',
  });
  expect(answer.status).toBe(400);
  expect(site.errors.at(-1)?.detail).toContain('mount oauth.clientRouter before it');
});

/** Changes each text of a body, as sanitizers of a site do. */
const changing = (change: (text: string) => string): RequestHandler[] => [
  express.urlencoded({ extended: true }),
  (req, _res, next) => {
    const changed = (value: unknown) => (typeof value === 'string' ? change(value) : value);
    const fields = Object.entries((req.body ?? {}) as Record<string, unknown>);
    req.body = Object.fromEntries(fields.map(([name, value]) => [name, changed(value)]));
    next();
  },
];
const REQUEST = {
  response_type: 'code',
  redirect_uri: REDIRECT_URI,
  scope: 'photos:read',
  state: 'a&b <c> "d" &amp; $e.f',
};

describe('our forms go on though a sanitizer of the site', () => {
  test.each<[string, (text: string) => string]>([
    ['escapes HTML by names', (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')],
    ['escapes HTML by numbers', (text) => text.replaceAll('&', '&#38;').replaceAll('/', '&#x2F;')],
    ['removes percent-encoded text', (text) => text.replace(/%[0-9A-F]{2}/gi, '')],
    ['removes $ and dots', (text) => text.replace(/[$.]/g, '')],
    ['removes = and ;', (text) => text.replace(/[=;]/g, '')],
  ])('the consent form works behind a sanitizer that %s', async (_what, change) => {
    site = await openSite({ before: (app) => app.use(changing(change)) });
    client = await site.client();
    const ada = await logInPerson(site);
    const answer = await ada.authorize({ ...REQUEST, client_id: client.clientId });
    expect(answer.searchParams.get('code')).toMatch(/./);
    expect(answer.searchParams.get('state')).toBe(REQUEST.state);
  });
});

test('a form that a sanitizer has changed is refused without blame for the client', async () => {
  site = await openSite({ before: (app) => app.use(changing((text) => text.toLowerCase())) });
  client = await site.client();
  const ada = await logInPerson(site);
  const refused = await ada.choose(await ada.openAuthorize({ ...REQUEST, client_id: client.clientId }));
  expect([refused.status, refused.headers.location]).toEqual([400, undefined]);
  expect(refused.text).toContain('This form could not be read');
  expect(site.errors.at(-1)?.detail).toMatch(
    /^the field authorization_request came back changed: a sanitizer/,
  );
});
