import { expect, it } from '@jest/globals';

import { authOf } from '../../lib/index.js';

const auth = { token: 't', clientId: 'shop', scopes: ['photos:read'], userId: 'ada' };

it('authOf returns the req.auth of the guard', () => {
  expect(authOf({ auth })).toBe(auth);
});

it.each([{}, { auth: undefined }, { auth: null }, { auth: { payload: { sub: 'ada' }, token: 't' } }])(
  'authOf says where a guard is missing: %j',
  (req) => {
    expect(() => authOf(req)).toThrow(/put oauth\.guard\(…\) before this route/);
  },
);
