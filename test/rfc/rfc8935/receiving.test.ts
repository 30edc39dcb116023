import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';

import type { OAuthEvent, ReceivedSignal } from '../../../lib/index.js';
import type { SubjectIdentifier } from '../../../lib/shared/protocol/subject-identifier.js';
import { letPass } from '../../support/clock.js';
import {
  AUDIENCE,
  CAEP,
  createTestKey,
  now,
  openTransmitter,
  push,
  RISC,
  type TokenParts,
} from '../../support/shared-signals.js';
import { openSite } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { callApi, obtainTokens } from '../../support/tokens.js';
import { until } from '../../support/until.js';

const SECRET = 'Bearer of the test 3f1c9d7e5b2a4860';

/** The users whose sessions were ended. */
let ended: string[] = [];
let signals: ReceivedSignal[] = [];
let refusals: OAuthEvent<'signal.refused'>[] = [];
let endSessions: (userId: string) => unknown;

const pushed = async (parts?: TokenParts) => push(site, await idp.token(parts));

const idp = fixture(() => openTransmitter());
const guarded = fixture(() => openTransmitter());
const polled = fixture(() => openTransmitter());

const site = siteFor(() => {
  const findUser = ({ sub }: SubjectIdentifier) => (sub === 'stranger' ? null : String(sub));
  const common = { audience: AUDIENCE, allowPrivateAddresses: true, findUser };
  return {
    sharedSignals: {
      receiver: {
        transmitters: [
          { ...common, issuer: idp.issuer },
          { ...common, issuer: guarded.issuer, authorization: SECRET },
          { ...common, issuer: polled.issuer, delivery: 'poll', accessToken: () => 'of the test' },
        ],
        endSessions: (userId) => endSessions(userId),
        onSignal: (signal) => void signals.push(signal),
      },
    },
  };
});
beforeAll(() => {
  site.oauth.events.on('signal.refused', (event) => void refusals.push(event));
});
beforeEach(() => {
  [ended, signals, refusals] = [[], [], []];
  endSessions = (userId) => void ended.push(userId);
});
afterEach(async () => {
  // the effects of a push happen within its test
  await until(
    async () => (await site.oauth.models.ReceivedEvent?.countDocuments({ nextAt: { $exists: true } })) === 0,
  );
  site.errors.length = 0;
});

describe('§2.2 a token that is valid', () => {
  test('a valid security event token is answered 202 with an empty body, and ends the access of its user [2-1] [2.2-1] [2.2-2]', async () => {
    const client = await site.client();
    const { access_token: access } = await obtainTokens(site, client);
    const ofGrace = await obtainTokens(site, client, { as: 'grace' });
    const answer = await pushed();
    expect([answer.status, answer.text]).toEqual([202, '']);
    await until(() => signals.length > 0);
    expect((await callApi(site, access)).status).toBe(401);
    expect((await callApi(site, ofGrace.access_token)).status).toBe(200);
    expect(ended).toEqual(['ada']);
    expect(signals).toMatchObject([
      {
        issuer: idp.issuer,
        type: `${CAEP}session-revoked`,
        userId: 'ada',
        event: { reason_admin: { en: 'Hijacked' } },
      },
    ]);
  });

  test('the response to a pushed token precedes its effects, and failed effects are retried [2-2] [2-3]', async () => {
    let calls = 0;
    endSessions = () => {
      calls += 1;
      if (calls === 1) throw new Error('the session store is away');
      ended.push('ada');
    };
    expect((await pushed()).status).toBe(202);
    await until(() => site.errors.some(({ detail = '' }) => detail.includes('session store is away')));
    letPass(10);
    // another event makes the worker look again
    await pushed({ claims: { sub_id: { format: 'iss_sub', iss: idp.issuer, sub: 'grace' } } });
    await until(() => calls >= 3);
    expect(ended).toContain('ada');
  });

  test('a repeated pushed token gets the same response and has one effect [2-4]', async () => {
    const token = await idp.token();
    expect((await push(site, token)).status).toBe(202);
    await until(() => signals.length >= 1);
    expect((await push(site, token)).status).toBe(202);
    // the next token takes effect after the repeated token would have
    await pushed({ claims: { sub_id: { format: 'iss_sub', iss: idp.issuer, sub: 'grace' } } });
    await until(() => signals.some(({ userId }) => userId === 'grace'));
    expect(ended).toEqual(['ada', 'grace']);
  });

  test('two concurrent copies of a pushed token have one effect', async () => {
    const token = await idp.token();
    const answers = await Promise.all([push(site, token), push(site, token)]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    await until(() => signals.length > 0);
    await pushed({ claims: { sub_id: { format: 'iss_sub', iss: idp.issuer, sub: 'grace' } } });
    await until(() => signals.some(({ userId }) => userId === 'grace'));
    expect(ended).toEqual(['ada', 'grace']);
  });

  test.each([
    [`${RISC}account-disabled`, { reason: 'hijacking' }, true],
    [`${RISC}account-purged`, {}, true],
    [`${RISC}credential-compromise`, { credential_type: 'password' }, true],
    [`${RISC}sessions-revoked`, {}, true],
    [`${RISC}account-enabled`, {}, false],
    [`${CAEP}token-claims-change`, { claims: { role: 'guest' } }, false],
    [`${CAEP}credential-change`, { credential_type: 'password', change_type: 'update' }, false],
  ])('an event %s reaches onSignal', async (type, event, isEnd) => {
    expect((await pushed({ events: { [type]: event } })).status).toBe(202);
    await until(() => signals.length > 0);
    expect(signals).toMatchObject([{ type, userId: 'ada', event }]);
    expect(ended).toEqual(isEnd ? ['ada'] : []);
  });

  test('an event about an unknown user is accepted and ends nothing', async () => {
    const claims = { sub_id: { format: 'iss_sub', iss: idp.issuer, sub: 'stranger' } };
    expect((await pushed({ claims })).status).toBe(202);
    await until(() => signals.length > 0);
    expect([signals[0]?.userId, ended]).toEqual([undefined, []]);
  });

  test('an event of an unknown type is accepted and ignored', async () => {
    const type = 'https://idp.example/event/coffee';
    const heard = new Promise((resolve) => site.oauth.events.once('signal.received', resolve));
    expect((await pushed({ events: { [type]: {} } })).status).toBe(202);
    expect(await heard).toMatchObject({ reason: type });
    await pushed();
    await until(() => signals.length > 0);
    expect(signals.map((signal) => signal.type)).toEqual([`${CAEP}session-revoked`]);
  });

  test('a pushed token with the Authorization header of its transmitter is accepted', async () => {
    expect((await push(site, await guarded.token(), { Authorization: SECRET })).status).toBe(202);
  });
});

describe('§2.3, §2.4 a token that is refused', () => {
  const expectRefusal = (answer: request.Response, err: string) => {
    expect([answer.status, answer.body.err]).toEqual([400, err]);
    expect(answer.headers['content-type']).toMatch('application/json');
    expect(answer.headers['content-language']).toBe('en');
    expect(answer.body.description).toEqual(expect.any(String));
    expect(refusals.map(({ error }) => error)).toEqual([err]);
    expect([ended, signals]).toEqual([[], []]);
  };

  test.each([
    ['is no JWT', 'nonsense'],
    ['is empty', ''],
    ['is not signed', `${Buffer.from('{"alg":"none","typ":"secevent+jwt"}').toString('base64url')}.e30.`],
  ])('a pushed token that %s is invalid_request [2.3-1] [2.3-2] [2.3-3] [2.3-4]', async (_what, token) => {
    expectRefusal(await push(site, token), 'invalid_request');
  });

  test('a push with another Content-Type is answered invalid_request [2.1-1]', async () => {
    const answer = await push(site, await idp.token(), { 'Content-Type': 'application/jwt' });
    expectRefusal(answer, 'invalid_request');
  });

  test('a pushed token signed by another key is answered invalid_key, whatever its kid', async () => {
    const key = await createTestKey('RS256');
    const { kid } = idp.key.publicJwk;
    expectRefusal(await pushed({ key, header: { kid } }), 'invalid_key');
  });

  test('a pushed token with an unknown kid is answered invalid_key once the keys are fetched again', async () => {
    const key = await createTestKey('RS256');
    await pushed({ key });
    const early = await pushed({ key });
    // a transmitter would not repeat a request that was answered 400
    expect([early.status, early.headers['retry-after']]).toEqual([503, '30']);
    letPass(31);
    refusals.length = 0;
    expectRefusal(await pushed({ key }), 'invalid_key');
  });

  test('a pushed token of an unknown issuer is answered invalid_issuer', async () => {
    await using stranger = await openTransmitter();
    expectRefusal(await push(site, await stranger.token()), 'invalid_issuer');
    expect(stranger.jwks.requests).toEqual([]);
  });

  test('a pushed token that another trusted issuer has signed is answered invalid_key', async () => {
    letPass(62);
    expectRefusal(await pushed({ claims: { iss: idp.issuer }, key: guarded.key }), 'invalid_key');
  });

  test('a pushed token for another audience is answered invalid_audience', async () => {
    expectRefusal(await pushed({ claims: { aud: 'https://print.example' } }), 'invalid_audience');
    refusals = [];
    expectRefusal(await pushed({ claims: { aud: undefined } }), 'invalid_audience');
  });

  test.each([
    ['without the Authorization header', {}],
    ['with another Authorization header', { Authorization: `${SECRET}x` }],
  ])('a push %s is answered authentication_failed', async (_what, headers) => {
    expectRefusal(await push(site, await guarded.token(), headers), 'authentication_failed');
  });

  test('a pushed token of a polled issuer is answered access_denied', async () => {
    expectRefusal(await push(site, await polled.token()), 'access_denied');
  });

  test.each([
    ['an old iat', { claims: { iat: now() - 8 * 86_400 } }],
    ['an iat in the future', { claims: { iat: now() + 600 } }],
    ['no iat', { claims: { iat: undefined } }],
    ['no jti', { claims: { jti: undefined } }],
    ['a long jti', { claims: { jti: 'x'.repeat(257) } }],
    ['no subject', { claims: { sub_id: undefined } }],
    ['half a subject', { claims: { sub_id: { format: 'iss_sub', sub: 'ada' } } }],
    ['a sub', { claims: { sub: 'ada' } }],
    ['an exp', { claims: { exp: now() + 300 } }],
    ['an expired exp', { claims: { exp: now() - 300 } }],
    ['an ID token', { header: { typ: 'JWT' } }],
    ['an access token', { header: { typ: 'at+jwt' } }],
    ['no events', { events: {} }],
    ['an event that is no object', { events: { [`${CAEP}session-revoked`]: 'now' } }],
  ])('a pushed token is answered invalid_request: %s', async (_what, parts) => {
    expectRefusal(await pushed(parts), 'invalid_request');
  });

  test('an old pushed token is refused after its jti was deleted', async () => {
    const token = await idp.token();
    expect((await push(site, token)).status).toBe(202);
    await until(() => signals.length > 0);
    [ended, signals] = [[], []];
    letPass(8 * 86_400);
    expectRefusal(await push(site, token), 'invalid_request');
  });

  test('a pushed token is answered 503 while the keys of its issuer are unreachable', async () => {
    const away = await openTransmitter();
    const other = await openSite({
      sharedSignals: {
        receiver: {
          transmitters: [{ issuer: away.issuer, audience: AUDIENCE, allowPrivateAddresses: true }],
          endSessions: () => undefined,
        },
      },
    });
    away.jwks.answer((_req, res) => res.writeHead(500).end());
    const token = await away.token();
    expect((await push(other, token)).status).toBe(503);
    away.jwks.answer((req, res) =>
      res.end(JSON.stringify(req.url === '/jwks' ? { keys: [away.key.publicJwk] } : away.metadata)),
    );
    expect((await push(other, token)).status).toBe(202);
    await Promise.all([other.close(), away.close()]);
  });

  test('no keys are fetched from a private address without allowPrivateAddresses', async () => {
    const inside = await openTransmitter();
    const other = await openSite({
      sharedSignals: {
        receiver: {
          transmitters: [{ issuer: inside.issuer, audience: AUDIENCE }],
          endSessions: () => undefined,
        },
      },
    });
    expect((await push(other, await inside.token())).status).toBe(503);
    expect(inside.jwks.requests).toEqual([]);
    await Promise.all([other.close(), inside.close()]);
  });

  test('the push endpoint refuses other methods', async () => {
    expect((await request(site.server).get('/oauth/ssf-events')).status).toBe(405);
  });
});
