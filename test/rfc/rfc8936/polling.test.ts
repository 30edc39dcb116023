import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';

import type { OAuthError } from '../../../lib/index.js';
import { letPass } from '../../support/clock.js';
import { openToken, openTransmittingSite } from '../../support/shared-signals.js';
import { fixture } from '../../support/site-for.js';
import { until } from '../../support/until.js';

let id: string;
const errors: OAuthError[] = [];
const emit = (userId = 'ada') => site.oauth.sharedSignals.emit('account-enabled', { userId });
const answerOf = async (body: object = {}) => site.api('post', `/poll/${id}`, body);
const poll = async (body: object = {}) =>
  (await answerOf({ returnImmediately: true, ...body })).body as {
    readonly sets: Readonly<Record<string, string>>;
    readonly moreAvailable?: boolean;
  };

const site = fixture(() => openTransmittingSite({}, { onError: (error) => void errors.push(error) }));
beforeEach(async () => {
  id = await site.stream();
});
afterEach(() => site.api('delete', `/streams?stream_id=${id}`));

describe('§2.3 an answer', () => {
  test('a poll response has the tokens by jti [2.3-2] [2.5-2]', async () => {
    await emit('ada');
    await emit('grace');
    const { status, headers, body } = await answerOf({ returnImmediately: true });
    expect([status, headers['content-type']]).toEqual([200, 'application/json;charset=UTF-8']);
    const sets = Object.entries(body.sets as Record<string, string>);
    expect(sets).toHaveLength(2);
    for (const [jti, token] of sets) expect((await openToken(site, token)).payload.jti).toBe(jti);
  });

  test('a poll response is empty if no event is waiting [2.2-5] [2.3-1]', async () => {
    expect(await poll()).toEqual({ sets: {} });
  });

  test('a poll response has the oldest tokens up to maxEvents, and says whether more are available [2.2-1] [2.2-2] [2.2-3] [2.3-3]', async () => {
    for (const userId of ['ada', 'grace', 'bob']) await emit(userId);
    const first = await poll({ maxEvents: 2 });
    expect([Object.keys(first.sets), first.moreAvailable]).toEqual([
      [expect.any(String), expect.any(String)],
      true,
    ]);
    const last = await poll({ maxEvents: 2 });
    expect([Object.keys(last.sets).length, last.moreAvailable]).toEqual([1, undefined]);
    const [token] = Object.values(last.sets);
    expect((await openToken(site, token!)).payload.sub_id).toMatchObject({ sub: 'bob' });
  });
});

describe('§2.4 acknowledgement', () => {
  test('an acknowledged token is not sent again, unlike a token without an acknowledgement [2.4-1]', async () => {
    await emit();
    const [jti] = Object.keys((await poll()).sets);
    // the token was just sent, perhaps to another process of the receiver
    expect(await poll()).toEqual({ sets: {} });
    letPass(61);
    expect(Object.keys((await poll()).sets)).toEqual([jti]);
    expect(await poll({ ack: [jti] })).toEqual({ sets: {} });
    letPass(61);
    expect(await poll()).toEqual({ sets: {} });
  });

  test('an acknowledgement ends no token of another stream', async () => {
    await emit();
    const [jti] = Object.keys((await poll()).sets);
    const other = await site.stream();
    await site.api('post', `/poll/${other}`, { ack: [jti], returnImmediately: true });
    letPass(61);
    expect(Object.keys((await poll()).sets)).toEqual([jti]);
    await site.api('delete', `/streams?stream_id=${other}`);
  });

  test('an acknowledgement with maxEvents 0 returns no tokens [2.2-4] [2.4.2-1]', async () => {
    await emit('ada');
    const [jti] = Object.keys((await poll()).sets);
    await emit('grace');
    expect(await poll({ ack: [jti], maxEvents: 0 })).toEqual({ sets: {}, moreAvailable: true });
    expect(Object.keys((await poll()).sets)).toHaveLength(1);
  });

  test('§2.4.4 an error of the receiver ends the token and is reported to the site [2.4.4-1]', async () => {
    await emit();
    const [jti] = Object.keys((await poll()).sets);
    const failed: unknown[] = [];
    site.oauth.events.once('signal.failed', (event) => failed.push(event));
    await poll({ setErrs: { [jti!]: { err: 'invalid_key', description: 'Key has been revoked.' } } });
    expect(failed).toMatchObject([{ clientId: 'desk', reason: 'refused', count: 1 }]);
    // logs group errors by the detail, so that the text of the receiver is not in it
    expect(errors.at(-1)?.detail).toBe('client desk refused events');
    letPass(61);
    expect(await poll()).toEqual({ sets: {} });
  });

  test('§2.2 errors for tokens that were not delivered are ignored', async () => {
    const failed: unknown[] = [];
    const note = (event: unknown) => failed.push(event);
    site.oauth.events.on('signal.failed', note);
    const { length } = errors;
    const setErrs = Object.fromEntries(
      Array.from({ length: 998 }, (_, index) => [`none-${index}`, { err: 'invalid_key' }]),
    );
    await poll({ setErrs });
    expect([failed, errors.length]).toEqual([[], length]);
    await emit();
    const [jti] = Object.keys((await poll()).sets);
    await poll({ setErrs: { ...setErrs, none: { err: 'x' }, [jti!]: { err: 'y' } }, ack: ['unknown'] });
    expect(failed).toMatchObject([{ clientId: 'desk', reason: 'refused', count: 1 }]);
    expect(errors.at(-1)?.cause).toBe('1: y');
    site.oauth.events.off('signal.failed', note);
  });
});

describe('§2.5 a long poll', () => {
  test('a long poll is answered when an event occurs [2.1-1] [2.5-1]', async () => {
    const answer = answerOf({});
    const later = answer.then(({ body }) => Object.keys(body.sets as object).length);
    // the poll is waiting by now
    await until(async () => (await site.oauth.models.Webhook?.countDocuments({})) === 0);
    await emit();
    expect(await later).toBe(1);
  });

  test('a long poll is answered without tokens at its time limit [2.5-1]', async () => {
    const answer = answerOf({});
    let isAnswered = false;
    const later = answer.then(({ body }) => {
      isAnswered = true;
      return body as object;
    });
    // only a poll that already waits can reach its limit, so time passes more than once
    let looks = 0;
    await until(() => {
      looks += 1;
      if (looks % 50 === 0) letPass(30);
      return isAnswered;
    });
    expect(await later).toEqual({ sets: {} });
  });
});

describe('§2.5.1, §3 refused polls', () => {
  test.each([
    { maxEvents: -1 },
    { maxEvents: 'all' },
    { returnImmediately: 'yes' },
    { ack: 'all' },
    { ack: [7] },
    { setErrs: [] },
    { setErrs: { x: 'wrong' } },
  ])('a poll with %j is answered 400 [2.5.1-1]', async (body) => {
    expect((await answerOf({ returnImmediately: true, ...body })).status).toBe(400);
  });

  test('a poll that is no JSON is answered 400', async () => {
    const { status } = await request(site.server)
      .post(`/oauth/ssf/poll/${id}`)
      .set('Authorization', `Bearer ${await site.tokenOf()}`)
      .type('application/json')
      .send('{');
    expect(status).toBe(400);
  });

  test('a poll without a token is answered 401 with a challenge [3-2]', async () => {
    const { status, headers } = await request(site.server).post(`/oauth/ssf/poll/${id}`).send({});
    expect([status, headers['www-authenticate']]).toEqual([401, expect.stringContaining('Bearer')]);
  });

  test('a poll of an unknown stream is answered 404', async () => {
    expect((await site.api('post', '/poll/nonsense', {})).status).toBe(404);
  });
});
