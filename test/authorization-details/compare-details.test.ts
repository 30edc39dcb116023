import { describe, expect, test } from '@jest/globals';

import {
  matchDetails,
  narrowDetails,
  stillRegisteredDetails,
} from '../../lib/core/authorization-details/compare-details.js';
import type { ChoiceSettings } from '../../lib/settings/options/choice-options.js';
import type { Settings } from '../../lib/settings/settings.js';
import type { AuthorizationDetail } from '../../lib/shared/protocol/authorization-details.js';
import { refusalOf } from '../support/refusal.js';

type Compare = (requested: AuthorizationDetail, granted: AuthorizationDetail) => unknown;
type DetailRules = Pick<Settings, 'authorizationDetails'>;

const rulesOf = (type: {
  readonly compare?: Compare;
  readonly choices?: readonly string[];
}): DetailRules => ({
  authorizationDetails: new Map([
    [
      'accounts',
      { ...type, choices: new Map((type.choices ?? []).map((name) => [name, {} as ChoiceSettings])) },
    ],
  ]) as never,
});
const accounts = (fields: object): AuthorizationDetail => ({ type: 'accounts', ...fields });
const findWithin = (
  requested: AuthorizationDetail,
  granted: readonly AuthorizationDetail[],
  rules: DetailRules,
): AuthorizationDetail | undefined => matchDetails([requested], granted, rules)[0];
const isWithin = (...given: Parameters<typeof findWithin>): boolean => findWithin(...given) !== undefined;

describe('RFC 9396 §6.1 details within the granted ones', () => {
  test('a detail without a compare function is within the same JSON, in whatever order', () => {
    const granted = [accounts({ a: 1, b: { c: [1, 2] } })];
    expect(isWithin({ b: { c: [1, 2] }, a: 1, type: 'accounts' }, granted, rulesOf({}))).toBe(true);
    expect(isWithin(accounts({ a: 1 }), granted, rulesOf({}))).toBe(false);
    expect(isWithin(accounts({ a: 1, b: { c: [2, 1] } }), granted, rulesOf({}))).toBe(false);
  });

  test('a detail of a type that the server has lost is compared as JSON', () => {
    const granted = [{ type: 'lost', a: 1 }];
    expect(isWithin({ type: 'lost', a: 1 }, granted, rulesOf({}))).toBe(true);
    expect(isWithin({ type: 'lost', a: 2 }, granted, rulesOf({}))).toBe(false);
    // the compare function of a type never gets a detail of another one
    expect(isWithin(accounts({ a: 1 }), granted, rulesOf({ compare: () => true }))).toBe(false);
  });

  test('a detail is within one granted detail, not within parts of two', () => {
    const compare: Compare = (requested, granted) =>
      (requested.actions as string[]).every((action) => (granted.actions as string[]).includes(action));
    const granted = [accounts({ actions: ['list'] }), accounts({ actions: ['pay'] })];
    expect(isWithin(accounts({ actions: ['pay'] }), granted, rulesOf({ compare }))).toBe(true);
    expect(isWithin(accounts({ actions: ['list', 'pay'] }), granted, rulesOf({ compare }))).toBe(false);
  });

  test.each([
    ['a promise', Promise.resolve(true)],
    ['text', 'yes'],
    ['a number', 1],
    ['undefined', undefined],
  ])('a compare function that returns %s allows nothing', (_what, given) => {
    expect(isWithin(accounts({}), [accounts({})], rulesOf({ compare: () => given }))).toBe(false);
  });

  test('a compare function that throws is a server_error, and the client never sees its text', () => {
    const compare = () => {
      throw new Error('of the account DE00');
    };
    const work = () => isWithin(accounts({}), [accounts({})], rulesOf({ compare }));
    expect(refusalOf(work)).toBe('server_error');
    expect(work).not.toThrow(/DE00/);
  });
});

describe('RFC 9396 §7.1 choices of a user in details', () => {
  const rules = rulesOf({ compare: () => true, choices: ['of', 'upTo'] });
  const selected = accounts({ of: ['a', 'b'], upTo: 5, actions: ['list'] });
  const found = (fields: object, granted = selected) => findWithin(accounts(fields), [granted], rules);

  test.each<[string, object]>([
    ['absent', {}],
    ['empty (figure 16)', { of: [] }],
  ])('a choice fills a field that is %s', (_what, fields) => {
    expect(found(fields)).toEqual(accounts({ of: ['a', 'b'], upTo: 5 }));
  });

  test('a requested part of a choice remains that part', () => {
    expect(found({ of: ['b'] })).toEqual(accounts({ of: ['b'], upTo: 5 }));
    expect(found({ of: 'b' })).toEqual(accounts({ of: 'b', upTo: 5 }));
  });

  test('a choice fills no field that is not selectable', () => {
    expect(found({ actions: [] })).toEqual(accounts({ of: ['a', 'b'], upTo: 5, actions: [] }));
  });

  test.each<[string, object]>([
    ['another value', { of: ['c'] }],
    ['an additional value', { of: ['a', 'c'] }],
    ['a part of the text', { of: 'ab' }],
    ['another number', { upTo: 6 }],
    ['a number as text', { upTo: '5' }],
    ['a list in the list', { of: [['a']] }],
    ['an object', { of: [{ a: 1 }] }],
    ['an object that cannot be text', { of: [{ toString: 1 }] }],
    ['null in the list', { of: [null] }],
  ])('a choice is not exceeded by %s, whatever the compare function says', (_what, fields) => {
    expect(found(fields)).toBeUndefined();
  });

  test('an object as a choice contains the same object, and no other', () => {
    const granted = accounts({ of: [{ iban: 'A', currency: 'EUR' }] });
    expect(found({ of: [{ currency: 'EUR', iban: 'A' }] }, granted)).toBeDefined();
    expect(found({ of: [{ currency: 'EUR', iban: 'B' }] }, granted)).toBeUndefined();
  });

  test('a detail without a choice cannot name one', () => {
    const without = accounts({ actions: ['list'] });
    expect(found({}, without)).toEqual(accounts({}));
    expect(found({ of: ['a'] }, without)).toBeUndefined();
  });
});

describe('RFC 9396 §6 the details of a token', () => {
  const payment = { type: 'accounts', amount: '20.00' };
  const refused = (...given: Parameters<typeof narrowDetails>) => refusalOf(() => narrowDetails(...given));

  test('a token has all granted details if its request has none', () => {
    const granted = [payment, payment];
    expect(narrowDetails(undefined, granted, rulesOf({}))).toBe(granted);
  });

  test('a token has the requested details, in their order', () => {
    const other = { ...payment, amount: '7.00' };
    expect(narrowDetails([other, payment], [payment, other], rulesOf({}))).toEqual([other, payment]);
  });

  test('a token has details without a compare function at most as often as they were granted', () => {
    expect(narrowDetails([payment, payment], [payment, payment], rulesOf({}))).toEqual([payment, payment]);
    expect(refused([payment, payment], [payment], rulesOf({}))).toBe('invalid_authorization_details');
    // spelt in another order it is the same payment
    const turned = { amount: '20.00', type: 'accounts' };
    expect(refused([payment, turned], [payment], rulesOf({}))).toBe('invalid_authorization_details');
  });

  test('a token has details with choices at most as often as they were granted, open or named', () => {
    const rules = rulesOf({ choices: ['of'] });
    const from = (of?: string) => accounts({ amount: '20.00', ...(of !== undefined && { of }) });
    expect(narrowDetails([from(), from()], [from('a'), from('b')], rules)).toEqual([from('a'), from('b')]);
    expect(refused([from('a'), from()], [from('a')], rules)).toBe('invalid_authorization_details');
  });

  test('comparable details of a token need a different granted detail each', () => {
    const rules = rulesOf({
      compare: (requested, granted) => Number(requested.upTo) <= Number(granted.upTo),
    });
    const upTo = (amount: number) => accounts({ upTo: amount });
    expect(refused([upTo(20), upTo(20)], [upTo(50)], rules)).toBe('invalid_authorization_details');
    // the first detail fits both, and must leave the larger one to the second detail
    expect(narrowDetails([upTo(10), upTo(50)], [upTo(50), upTo(20)], rules)).toEqual([upTo(10), upTo(50)]);
    expect(refused([upTo(30), upTo(50)], [upTo(50), upTo(20)], rules)).toBe('invalid_authorization_details');
  });

  test('a detail with a named choice is matched before one without', () => {
    const rules = rulesOf({ choices: ['of'] });
    const from = (of?: string) => accounts({ ...(of !== undefined && { of }) });
    expect(narrowDetails([from(), from('a')], [from('a'), from('b')], rules)).toEqual([from('b'), from('a')]);
  });

  test('the details of a token leave the grant unchanged', () => {
    const granted = Object.freeze([payment]);
    narrowDetails([payment], granted, rulesOf({}));
    expect(granted).toEqual([payment]);
  });
});

describe('RFC 9396 §10 the details left in a grant', () => {
  const granted = [accounts({ a: 1 }), { type: 'lost' }];
  test.each<[string, readonly string[] | undefined, number]>([
    ['a client without registered types', undefined, 1],
    ['a client that is registered for the type', ['accounts', 'lost'], 1],
    ['a client that is registered for other types', ['payment'], 0],
    ['a client with an empty list of types', [], 0],
  ])('details are left of %s, if the server has their type', (_what, authorizationDetailsTypes, count) => {
    const client = authorizationDetailsTypes === undefined ? {} : { authorizationDetailsTypes };
    expect(stillRegisteredDetails(granted, client as never, rulesOf({}))).toEqual(granted.slice(0, count));
  });

  test('a grant without details has none left', () => {
    expect(stillRegisteredDetails(undefined, {}, rulesOf({}))).toEqual([]);
  });
});
