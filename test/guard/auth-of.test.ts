import { expect, it } from '@jest/globals';

import { authOf } from '../../lib/index.js';

const auth = { token: 't', clientId: 'shop', scopes: ['photos:read'], userId: 'ada' };

it('gives what the guard has left', () => {
  expect(authOf({ auth })).toBe(auth);
});

it.each([{}, { auth: undefined }, { auth: null }, { auth: { payload: { sub: 'ada' }, token: 't' } }])(
  'says where a guard is missing: %j',
  (req) => {
    expect(() => authOf(req)).toThrow(/put oauth\.guard\(…\) before this route/);
  },
);
