import { inspect } from 'node:util';

import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

import { sanitizeForLog } from '../../lib/shared/log-text.js';
import { fixture, siteFor } from '../support/site-for.js';
import { basic, postToken, tokenRequest } from '../support/tokens.js';

const CHOSEN = 'brought along from elsewhere';

/** All records about a request: events, attributes of spans, errors; the audit is read. */
let recorded: unknown[] = [];

const span = {
  setAttributes: (attributes: unknown) => recorded.push(attributes),
  addEvent: (name: unknown) => recorded.push(name),
  setStatus: () => undefined,
  end: () => undefined,
};
const site = siteFor({
  grantTypes: ['client_credentials', 'password'],
  audit: { ttl: 60 },
  telemetry: {
    tracer: {
      startActiveSpan: (_name: string, options: unknown, work: (given: typeof span) => unknown) => {
        recorded.push(options);
        return work(span);
      },
    } as never,
  },
});
const client = fixture(() => site.client());
const chosen = fixture(() => site.client({ clientSecret: CHOSEN }));
beforeAll(() => {
  site.oauth.events.on('*', (event) => recorded.push(event));
});
beforeEach(() => {
  recorded = [];
  site.errors.length = 0;
});

const allRecorded = async () =>
  inspect([recorded, site.errors, await site.oauth.audit.find({ limit: 1000 })], { depth: Infinity });

describe('a secret in a wrong place', () => {
  const secrets = () => [client.clientSecret ?? '', CHOSEN];

  test('a secret in the place of the client id is not logged', async () => {
    for (const { clientId, clientSecret = '' } of [client, chosen]) {
      await postToken(site, { grant_type: 'client_credentials' })
        .set('Authorization', basic(clientSecret, clientId))
        .expect(401);
      await postToken(site, {}).set('Authorization', basic(clientSecret, clientId)).expect(400);
      await postToken(site, { grant_type: 'client_credentials', client_id: clientSecret }).expect(401);
    }
    const text = await allRecorded();
    expect(text).toContain('client.authentication_failed');
    for (const secret of secrets()) expect(text).not.toContain(secret);
  });

  test('a secret in the place of the grant type or the user name is not logged', async () => {
    for (const secret of secrets()) {
      await tokenRequest(site, client, { grant_type: secret }).expect(400);
      await postToken(site, { grant_type: secret, client_id: client.clientId }).expect(401);
    }
    site.oauth.events.emit('login.failed', { username: client.clientSecret ?? '' });
    const text = await allRecorded();
    expect(text).toContain('token.refused');
    expect(text).toContain('eas_cs_…');
    expect(text).not.toContain(client.clientSecret);
    expect(JSON.stringify(recorded)).not.toContain(CHOSEN);
  });

  test('existing client ids and grant types are logged', async () => {
    await postToken(site, { grant_type: 'password' })
      .set('Authorization', basic(client.clientId, 'wrong'))
      .expect(401);
    expect(recorded).toContainEqual(
      expect.objectContaining({
        type: 'token.refused',
        clientId: client.clientId,
        grantType: 'password',
        error: 'invalid_client',
      }),
    );
  });
});

describe('a line of a log is one line', () => {
  test('input of a stranger is in the detail of an error without control characters', async () => {
    await postToken(site, {
      grant_type: 'client_credentials',
      client_assertion: 'x',
      client_assertion_type: 'a\r\n2026-01-01 login of root\u001b[2J\u202e\u2028b',
    }).expect(401);
    const [{ detail = '' } = {}] = site.errors;
    expect(detail).toContain('a\\u{d}\\u{a}2026-01-01 login of root\\u{1b}[2J\\u{202e}\\u{2028}b');
    expect(detail).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u);
  });

  test('input of a stranger is in an event without control characters', () => {
    site.oauth.events.emit('login.failed', { username: 'ada\nlogin.succeeded' });
    expect(recorded).toContainEqual(expect.objectContaining({ username: 'ada\\u{a}login.succeeded' }));
  });

  test.each([
    ['eas_rt_abc-_1 and eas_at_x', 'eas_rt_… and eas_at_…'],
    ['Bearer eyJhbGciOiJIUzI1NiJ9.e30.c2ln', 'Bearer eyJ…'],
    ['a plain text, é 😀', 'a plain text, é 😀'],
    ['\ud800', '\\u{d800}'],
  ])('the text %j is logged as %j', (text, expected) => expect(sanitizeForLog(text)).toBe(expected));
});
