import { afterEach, describe, expect, jest, test } from '@jest/globals';

import type { AccessToken } from '../../lib/core/guard/access-token.js';
import { createTokenWatch, type TokenWatch } from '../../lib/core/guard/token-watch.js';
import { invalidToken, unavailable } from '../../lib/core/guard/verify-access-token.js';
import { letPass } from '../support/clock.js';
import { until } from '../support/until.js';

const MANY = 10_000;

/** The state of each token in the database: its scopes, or its end, or nothing. */
const known = new Map<string, readonly string[] | 'ended' | 'away'>();
let rechecks: string[] = [];
/** When the database answers; the answer has the earlier state. */
let response: Promise<void> | undefined;
const released: (() => void)[] = [];
afterEach(() => {
  released.splice(0).forEach((release) => release());
  known.clear();
  rechecks = [];
  response = undefined;
});

const authOf = (token: string, scopes: readonly string[] = ['read']): AccessToken => ({
  token,
  kind: 'app',
  clientId: 'c',
  scopes: [...scopes],
  expiresAt: Math.floor(Date.now() / 1000) + 3600,
});
const createWatch = (interval = 3600): TokenWatch =>
  createTokenWatch({
    interval,
    async recheck(token) {
      rechecks.push(token);
      const found = known.get(token) ?? ['read'];
      await response;
      if (found === 'ended') throw invalidToken('ended');
      if (found === 'away') throw unavailable('the database is away');
      return authOf(token, found);
    },
    // a token of the test has the name of its grant: `grant/token`
    grantIdOf: (token) => Promise.resolve(token.split('/')[0]),
  });
function open(watch: TokenWatch, token: string, scope = 'read', checkedAt = performance.now()): AbortSignal {
  const { signal, unwatch } = watch.watch({
    auth: authOf(token),
    checkedAt,
    isStillAllowed: ({ scopes }) => scopes.includes(scope),
  });
  released.push(unwatch);
  return signal;
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('the watch of tokens with open connections', () => {
  test(`${MANY} connections of one token cost one look-up, and end together`, async () => {
    const watch = createWatch();
    const signals = Array.from({ length: MANY }, () => open(watch, 'a/1'));
    const other = open(watch, 'b/1');
    await settle();
    known.set('a/1', 'ended');
    watch.changed('a');
    await until(() => signals.every(({ aborted }) => aborted));
    expect(rechecks).toEqual(['a/1']);
    expect(other.aborted).toBe(false);
    expect(signals[0]!.reason).toMatchObject({ error: 'invalid_token' });
  });

  test(`the token watch looks up a revoked token alone, not all ${MANY}`, async () => {
    const watch = createWatch();
    const signals = Array.from({ length: MANY }, (_each, index) => open(watch, `${index}/1`));
    await settle();
    known.set('77/1', 'ended');
    watch.changed('77');
    await until(() => signals[77]!.aborted);
    expect(rechecks).toEqual(['77/1']);
    expect(signals.filter(({ aborted }) => aborted)).toHaveLength(1);
  });

  test('the token watch looks up every token after missed changes', async () => {
    const watch = createWatch();
    const signals = Array.from({ length: 1000 }, (_each, index) => open(watch, `${index}/1`));
    await settle();
    known.set('5/1', 'ended');
    watch.changed();
    await until(() => rechecks.length >= 1000 && signals[5]!.aborted);
    expect(signals.filter(({ aborted }) => aborted)).toHaveLength(1);
  });

  test('a token that changes during its look-up is looked up again', async () => {
    const watch = createWatch();
    const signal = open(watch, 'a/1');
    open(watch, 'b/1');
    await settle();
    let give = (): void => undefined;
    response = new Promise((resolve) => (give = resolve));
    watch.changed('a');
    await until(() => rechecks.includes('a/1'));
    known.set('a/1', 'ended');
    watch.changed('a');
    watch.changed('b');
    // looked up together with it
    await until(() => rechecks.includes('b/1'));
    give();
    await until(() => signal.aborted);
    expect(rechecks).toEqual(['a/1', 'b/1', 'a/1']);
  });

  test('a change before the first look-up of a token counts', async () => {
    const watch = createWatch();
    const signal = open(watch, 'a/1');
    known.set('a/1', 'ended');
    watch.changed('a');
    await until(() => signal.aborted);
  });

  test('a change between the check of a token and its connection counts', async () => {
    const watch = createWatch();
    const checkedAt = performance.now();
    known.set('a/1', ['read']);
    watch.changed('a');
    // the token has had another open connection since, whose watch knows the change
    const [earlier] = [open(watch, 'a/1', 'read')];
    const late = open(watch, 'a/1', 'write', checkedAt);
    await until(() => late.aborted);
    expect(earlier.aborted).toBe(false);
    expect(rechecks).toEqual(['a/1']);
  });

  test('a lost scope ends only the connections that need it', async () => {
    const watch = createWatch();
    const [reading, writing] = [open(watch, 'a/1', 'read'), open(watch, 'a/1', 'write')];
    await settle();
    known.set('a/1', ['read']);
    watch.changed('a');
    await until(() => writing.aborted);
    expect(reading.aborted).toBe(false);
  });

  test('a token without open connections is not looked up any more', async () => {
    const watch = createWatch();
    const signal = open(watch, 'a/1');
    await settle();
    released.splice(0).forEach((release) => release());
    watch.changed('a');
    watch.changed();
    open(watch, 'b/1');
    await settle();
    watch.changed('b');
    await until(() => rechecks.includes('b/1'));
    expect(rechecks).toEqual(['b/1']);
    expect(signal.aborted).toBe(false);
  });

  test('a database that is away ends no connection at first, and is asked again', async () => {
    const watch = createWatch(1);
    const signal = open(watch, 'a/1');
    known.set('a/1', 'away');
    await until(() => rechecks.length >= 2);
    expect(signal.aborted).toBe(false);
    known.set('a/1', 'ended');
    await until(() => signal.aborted);
  });

  test('a token without a look-up for a minute ends its connections with a temporary error', async () => {
    const watch = createWatch(1);
    const signal = open(watch, 'a/1');
    known.set('a/1', 'away');
    await until(() => rechecks.length > 0);
    const now = performance.now.bind(performance);
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + 60_001);
    await until(() => signal.aborted);
    clock.mockRestore();
    // the client keeps its token
    expect(signal.reason).toMatchObject({ error: 'temporarily_unavailable', status: 503 });
  });

  test('a token ends its connections at its expiry, without a look-up', async () => {
    const watch = createWatch();
    const signal = open(watch, 'a/1');
    letPass(3601);
    await until(() => signal.aborted);
    expect(rechecks).toEqual([]);
  });
});
