import { describe, expect, test } from '@jest/globals';

import { consentAfter } from '../../lib/core/authorization-details/consent-after.js';
import type { AuthorizationDetail } from '../../lib/shared/protocol/authorization-details.js';

const RULES = {
  authorizationDetails: new Map<string, object>([
    [
      'accounts',
      {
        choices: new Map(),
        compare: (requested: AuthorizationDetail, granted: AuthorizationDetail) =>
          (requested.actions as string[]).every((action) => (granted.actions as string[]).includes(action)),
      },
    ],
    ['payment', { choices: new Map() }],
  ]),
  choices: new Map<string, object>([
    ['workspace', { scopes: ['photos'] }],
    ['life', { scopes: ['photos'], lifetime: [60, 3600] }],
    ['album', { scopes: ['albums'] }],
  ]),
} as never;

const accounts = (...actions: string[]) => ({ type: 'accounts', actions });
const PAYMENT = { type: 'payment', amount: '20.00' };
const asking = (...authorizationDetails: AuthorizationDetail[]) => ({ scopes: [], authorizationDetails });

describe('RFC 9396 §6.1 the stored details after a decision', () => {
  const after = (
    before: readonly AuthorizationDetail[],
    requested: readonly AuthorizationDetail[],
    allowed = requested,
  ) =>
    consentAfter(
      { authorizationDetails: before },
      { requested: asking(...requested), constraints: { authorizationDetails: allowed } },
      RULES,
    ).authorizationDetails;

  test('earlier details stay stored, except those within newly allowed ones', () => {
    expect(after([accounts('list'), accounts('pay')], [accounts('list', 'see')])).toEqual([
      accounts('pay'),
      accounts('list', 'see'),
    ]);
  });

  test('a refusal of a detail leaves only the newly allowed details of its type', () => {
    const both = [accounts('pay'), accounts('list')];
    expect(after([accounts('see')], both, [accounts('list')])).toEqual([accounts('list')]);
    expect(after([accounts('see')], [accounts('pay')], [])).toEqual([]);
  });

  test('a refusal of a detail takes nothing from another type', () => {
    expect(after([accounts('see')], [PAYMENT], [])).toEqual([accounts('see')]);
  });

  test('a detail without a compare function is not stored: one payment allows no second one', () => {
    expect(after([], [PAYMENT])).toEqual([]);
    // nor does an earlier one stay whose type has lost its compare function
    expect(after([PAYMENT, { type: 'lost' }], [accounts('see')])).toEqual([accounts('see')]);
  });

  test('the newest 20 details stay stored', () => {
    const many = Array.from({ length: 25 }, (_each, index) => accounts(`action ${index}`));
    expect(after(many.slice(0, 15), many.slice(15))).toEqual(many.slice(5));
  });
});

describe('the stored choices after a decision', () => {
  const endsAt = new Date('2030-01-01T00:00:00Z');
  const before = { choices: { workspace: 'old', album: 'summer' }, endsAt };
  const photos = { scopes: ['photos'] };

  test('a requested choice gets its new answer, and others keep the old one', () => {
    const constraints = { choices: { workspace: 'new' } };
    expect(consentAfter(before, { requested: photos, constraints }, RULES).choices).toEqual({
      workspace: 'new',
      album: 'summer',
    });
  });

  test('a requested choice without an answer is deleted', () => {
    expect(consentAfter(before, { requested: photos, constraints: {} }, RULES).choices).toEqual({
      album: 'summer',
    });
  });

  test('an end is replaced or removed only by a request with an end', () => {
    const later = new Date('2031-01-01T00:00:00Z');
    const endAfter = (
      requested: { readonly scopes: readonly string[] },
      constraints: { readonly endsAt?: Date },
    ) => consentAfter(before, { requested, constraints }, RULES).endsAt;
    expect(endAfter(photos, { endsAt: later })).toBe(later);
    expect(endAfter(photos, {})).toBeUndefined();
    expect(endAfter({ scopes: ['albums'] }, {})).toBe(endsAt);
  });
});
