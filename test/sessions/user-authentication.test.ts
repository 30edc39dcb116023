import { describe, expect, test } from '@jest/globals';
import type { Request } from 'express';

import { readUserAuthentication } from '../../lib/core/sessions/user-authentication.js';
import { refusalOf } from '../support/refusal.js';

/** A session whose login was recorded in 2029. */
const RECORDED = Date.UTC(2029);
const req = { session: { oauthLoginAt: RECORDED } } as unknown as Request;
const LOGIN = new Date('2030-01-01T00:00:00.999Z');
const SECONDS = Math.floor(LOGIN.getTime() / 1000);

const dataOf = (said: unknown) =>
  readUserAuthentication({ authentication: () => said as never }, req, () => Date.UTC(2028));

describe('OpenID Connect Core §2 the authentication in ID tokens', () => {
  test.each<[string, unknown, object]>([
    ['a Date', { at: LOGIN }, { authTime: SECONDS }],
    ['milliseconds', { at: LOGIN.getTime() }, { authTime: SECONDS }],
    ['a time as text', { at: LOGIN.toISOString() }, { authTime: SECONDS }],
    ['no time: the recorded one', { acr: 'gold' }, { authTime: RECORDED / 1000, acr: 'gold' }],
    ['undefined: the recorded time', undefined, { authTime: RECORDED / 1000 }],
    ['null: the recorded time', null, { authTime: RECORDED / 1000 }],
    ['an unknown time', { at: null }, {}],
    ['methods', { at: LOGIN, amr: ['pwd', 'otp'] }, { authTime: SECONDS, amr: ['pwd', 'otp'] }],
    ['methods without a name', { at: LOGIN, amr: [] }, { authTime: SECONDS, amr: [] }],
  ])('the authentication in ID tokens if the host gives %s', (_what, said, data) => {
    expect(dataOf(said)).toStrictEqual(data);
  });

  test('the authentication in ID tokens without people.authentication is the recorded time, if any', () => {
    const found = (at: number | undefined) =>
      readUserAuthentication({ authentication: undefined }, req, () => at);
    expect(found(LOGIN.getTime())).toStrictEqual({ authTime: SECONDS });
    expect(found(undefined)).toStrictEqual({});
  });

  test.each([
    [{ at: 'yesterday' }],
    [{ at: new Date(NaN) }],
    [{ at: {} }],
    [{ acr: '' }],
    [{ acr: 5 }],
    [{ amr: 'pwd' }],
    [{ amr: ['pwd', 5] }],
    [Promise.resolve({ acr: 'gold' })],
  ])('the authentication %j from the host is a server_error', (said) => {
    expect(refusalOf(() => dataOf(said))).toBe('server_error');
  });

  test("an exception of the host's function for the authentication is a server_error", () => {
    const authentication = () => {
      throw new Error('of the host');
    };
    expect(refusalOf(() => readUserAuthentication({ authentication }, req, () => undefined))).toBe(
      'server_error',
    );
  });
});
