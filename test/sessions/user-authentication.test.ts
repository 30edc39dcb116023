import { describe, expect, test } from '@jest/globals';
import type { Request } from 'express';

import { readUserAuthentication } from '../../lib/core/sessions/user-authentication.js';
import { refusalOf } from '../support/refusal.js';

/** A session whose login was noted in 2029. */
const RECORDED = Date.UTC(2029);
const req = { session: { oauthLoginAt: RECORDED } } as unknown as Request;
const LOGIN = new Date('2030-01-01T00:00:00.999Z');
const SECONDS = Math.floor(LOGIN.getTime() / 1000);

const dataOf = (said: unknown) =>
  readUserAuthentication({ read: () => said as never }, req, () => Date.UTC(2028));

describe('OpenID Connect Core §2 what ID tokens say of a login', () => {
  test.each<[string, unknown, object]>([
    ['a Date', { at: LOGIN }, { authTime: SECONDS }],
    ['milliseconds', { at: LOGIN.getTime() }, { authTime: SECONDS }],
    ['text that is a time', { at: LOGIN.toISOString() }, { authTime: SECONDS }],
    ['no time: then the one that was noted', { acr: 'gold' }, { authTime: RECORDED / 1000, acr: 'gold' }],
    ['nothing at all: the same', undefined, { authTime: RECORDED / 1000 }],
    ['null: the same', null, { authTime: RECORDED / 1000 }],
    ['that nobody knows the time', { at: null }, {}],
    ['how', { at: LOGIN, amr: ['pwd', 'otp'] }, { authTime: SECONDS, amr: ['pwd', 'otp'] }],
    ['in no way that has a name', { at: LOGIN, amr: [] }, { authTime: SECONDS, amr: [] }],
  ])('if the host gives %s', (_what, said, data) => {
    expect(dataOf(said)).toStrictEqual(data);
  });

  test('if the host says nothing about logins, what was found out, and nothing if it was not', () => {
    const found = (at: number | undefined) => readUserAuthentication({ read: undefined }, req, () => at);
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
  ])('%j is a fault of the host', (said) => {
    expect(refusalOf(() => dataOf(said))).toBe('server_error');
  });

  test('so is a function that throws', () => {
    const read = () => {
      throw new Error('of the host');
    };
    expect(refusalOf(() => readUserAuthentication({ read }, req, () => undefined))).toBe('server_error');
  });
});
