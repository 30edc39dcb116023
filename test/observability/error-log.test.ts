import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';

import { createErrorLog } from '../../lib/core/observability/error-log.js';
import { type ClientWithSecret, OAuthError } from '../../lib/index.js';
import { letPass } from '../support/clock.js';
import { openSite, type Site } from '../support/site.js';
import { tokenRequest } from '../support/tokens.js';

const unavailable = (detail: string, cause: Error) =>
  new OAuthError('temporarily_unavailable', 'try again later', { detail, cause });

let lines: string[];
beforeEach(() => {
  lines = [];
  jest.spyOn(console, 'error').mockImplementation((...parts: unknown[]) => void lines.push(parts.join(' ')));
});
afterEach(() => {
  jest.restoreAllMocks();
});

describe('a site without onError', () => {
  let site: Site | undefined;
  let client: ClientWithSecret;
  let call = 0;
  afterEach(() => site?.close());

  /** A site that answers each token request with 503. */
  const open = async (onError?: () => void) => {
    site = await openSite({
      onError,
      grantTypes: ['password'],
      security: { rateLimits: false },
      people: {
        authenticate() {
          call += 1;
          throw unavailable('the directory is full', new RangeError(`call ${call}`));
        },
      },
    });
    client = await site.client();
  };
  const ask = async (times: number) => {
    for (let time = 0; time < times; time += 1) {
      const body = { grant_type: 'password', username: 'ada', password: 'x' };
      expect((await tokenRequest(site!, client, body)).status).toBe(503);
    }
  };
  const FIRST =
    /^express-authorization-server: token temporarily_unavailable \[[\w-]+\] the directory is full RangeError: call \d+$/;
  const counted = (count: number) =>
    `express-authorization-server: token temporarily_unavailable ${count} more within 60 seconds: the directory is full RangeError`;

  test('503s of a kind are one line of the log, and a minute later one line with their number', async () => {
    await open();
    await ask(20);
    expect(lines).toEqual([expect.stringMatching(FIRST)]);
    letPass(61);
    await ask(1);
    expect(lines.slice(1)).toEqual([counted(19), expect.stringMatching(FIRST)]);
  });

  test('oauth.close() logs the number of further errors', async () => {
    await open();
    await ask(3);
    await site!.oauth.close();
    expect(lines).toEqual([expect.stringMatching(FIRST), counted(2)]);
  });

  test('onError gets each error, and the log none', async () => {
    const onError = jest.fn();
    await open(onError);
    await ask(5);
    expect(onError).toHaveBeenCalledTimes(5);
    expect(lines).toEqual([]);
  });
});

describe('the log of errors', () => {
  const context = (endpoint: string) => ({ endpoint, requestId: 'r' });

  test('the log distinguishes endpoints, details and classes of causes, not messages of causes', () => {
    const log = createErrorLog();
    for (const time of [1, 2]) {
      log.write(unavailable('full', new Error(`${time}`)), context('token'));
      log.write(unavailable('full', new Error(`${time}`)), context('authorize'));
      log.write(unavailable('away', new Error(`${time}`)), context('token'));
      log.write(unavailable('full', new RangeError(`${time}`)), context('token'));
    }
    expect(lines).toHaveLength(4);
    log.flush();
    expect(lines.slice(4).map((line) => / 1 more within/.test(line))).toEqual([true, true, true, true]);
  });

  test('the log folds server errors of each code, and has no errors of callers', () => {
    const log = createErrorLog();
    const thrown = (message: string) => new TypeError(message);
    for (let time = 0; time < 1000; time += 1) {
      log.write(new OAuthError('server_error', 'wrong', { cause: thrown(`${time}`) }), context('token'));
      log.write(new OAuthError('server_error', 'wrong', { cause: new TypeError('') }), context('token'));
      log.write(new OAuthError('server_error', 'wrong'), context('token'));
      log.write(new OAuthError('invalid_request', 'wrong'), context('token'));
    }
    expect(lines).toHaveLength(3);
    log.flush();
    expect(lines.slice(3)).toEqual([
      expect.stringMatching(/token server_error 999 more within 60 seconds: {2}TypeError at thrown /),
      expect.stringMatching(/token server_error 999 more within 60 seconds: {2}TypeError at Object/),
      expect.stringContaining('token server_error 999 more within 60 seconds:  undefined'),
    ]);
  });

  test('the log distinguishes at most a hundred and one kinds of errors', () => {
    const log = createErrorLog();
    for (let detail = 0; detail < 500; detail += 1)
      log.write(unavailable(`${detail}`, new Error('x')), context('token'));
    expect(lines).toHaveLength(101);
    log.flush();
    expect(lines.slice(101)).toEqual([
      'express-authorization-server: token temporarily_unavailable 399 more within 60 seconds: (several details) Error',
    ]);
  });

  test('the log writes the number of errors after a minute without further ones', () => {
    const timers = jest.spyOn(globalThis, 'setTimeout');
    const log = createErrorLog();
    for (let time = 0; time < 4; time += 1) log.write(unavailable('full', new Error('x')), context('token'));
    expect(lines).toHaveLength(1);
    expect(timers.mock.calls.map(([, delay]) => delay)).toEqual([60_000]);
    timers.mock.calls[0]![0]();
    expect(lines.slice(1)).toEqual([expect.stringContaining('3 more within 60 seconds')]);
  });
});
