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

describe('RFC 9396 §6.1 what lies within what was granted', () => {
  test('without a comparison of its type it is the same JSON, in whatever order', () => {
    const granted = [accounts({ a: 1, b: { c: [1, 2] } })];
    expect(isWithin({ b: { c: [1, 2] }, a: 1, type: 'accounts' }, granted, rulesOf({}))).toBe(true);
    expect(isWithin(accounts({ a: 1 }), granted, rulesOf({}))).toBe(false);
    expect(isWithin(accounts({ a: 1, b: { c: [2, 1] } }), granted, rulesOf({}))).toBe(false);
  });

  test('a type that this server has lost is compared as JSON, and no other type is', () => {
    const granted = [{ type: 'lost', a: 1 }];
    expect(isWithin({ type: 'lost', a: 1 }, granted, rulesOf({}))).toBe(true);
    expect(isWithin({ type: 'lost', a: 2 }, granted, rulesOf({}))).toBe(false);
    // the comparison of a type never sees a detail of another one
    expect(isWithin(accounts({ a: 1 }), granted, rulesOf({ compare: () => true }))).toBe(false);
  });

  test('one of several that were granted will do, but not parts of two', () => {
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
    ['nothing', undefined],
  ])('a comparison that gives %s allows nothing', (_what, given) => {
    expect(isWithin(accounts({}), [accounts({})], rulesOf({ compare: () => given }))).toBe(false);
  });

  test('one that throws is a fault of the host, whose text the client never sees', () => {
    const compare = () => {
      throw new Error('of the account DE00');
    };
    const work = () => isWithin(accounts({}), [accounts({})], rulesOf({ compare }));
    expect(refusalOf(work)).toBe('server_error');
    expect(work).not.toThrow(/DE00/);
  });
});

describe('RFC 9396 §7.1 what a person has picked', () => {
  const rules = rulesOf({ compare: () => true, choices: ['of', 'upTo'] });
  const selected = accounts({ of: ['a', 'b'], upTo: 5, actions: ['list'] });
  const found = (fields: object, granted = selected) => findWithin(accounts(fields), [granted], rules);

  test.each<[string, object]>([
    ['absent', {}],
    ['empty (figure 16)', { of: [] }],
  ])('fills a field that is %s', (_what, fields) => {
    expect(found(fields)).toEqual(accounts({ of: ['a', 'b'], upTo: 5 }));
  });

  test('stays what it is where less of it is named', () => {
    expect(found({ of: ['b'] })).toEqual(accounts({ of: ['b'], upTo: 5 }));
    expect(found({ of: 'b' })).toEqual(accounts({ of: 'b', upTo: 5 }));
  });

  test('fills nothing else: what is no choice stays as it was asked for', () => {
    expect(found({ actions: [] })).toEqual(accounts({ of: ['a', 'b'], upTo: 5, actions: [] }));
  });

  test.each<[string, object]>([
    ['another one', { of: ['c'] }],
    ['one more', { of: ['a', 'c'] }],
    ['a part of its text', { of: 'ab' }],
    ['another number', { upTo: 6 }],
    ['a number as text', { upTo: '5' }],
    ['a list in the list', { of: [['a']] }],
    ['an object', { of: [{ a: 1 }] }],
    ['an object that cannot be text', { of: [{ toString: 1 }] }],
    ['null in the list', { of: [null] }],
  ])('is not exceeded by %s, whatever its type compares', (_what, fields) => {
    expect(found(fields)).toBeUndefined();
  });

  test('an object is within the same object, and in no other', () => {
    const granted = accounts({ of: [{ iban: 'A', currency: 'EUR' }] });
    expect(found({ of: [{ currency: 'EUR', iban: 'A' }] }, granted)).toBeDefined();
    expect(found({ of: [{ currency: 'EUR', iban: 'B' }] }, granted)).toBeUndefined();
  });

  test('where nothing was picked, nothing can be named', () => {
    const without = accounts({ actions: ['list'] });
    expect(found({}, without)).toEqual(accounts({}));
    expect(found({ of: ['a'] }, without)).toBeUndefined();
  });
});

describe('RFC 9396 §6 the details of a token', () => {
  const payment = { type: 'accounts', amount: '20.00' };
  const refused = (...given: Parameters<typeof narrowDetails>) => refusalOf(() => narrowDetails(...given));

  test('are all that was granted if its request names none', () => {
    const granted = [payment, payment];
    expect(narrowDetails(undefined, granted, rulesOf({}))).toBe(granted);
  });

  test('are what it names, in its own order', () => {
    const other = { ...payment, amount: '7.00' };
    expect(narrowDetails([other, payment], [payment, other], rulesOf({}))).toEqual([other, payment]);
  });

  test('that cannot be compared are there as often as they were granted', () => {
    expect(narrowDetails([payment, payment], [payment, payment], rulesOf({}))).toEqual([payment, payment]);
    expect(refused([payment, payment], [payment], rulesOf({}))).toBe('invalid_authorization_details');
    // spelt in another order it is the same payment
    const turned = { amount: '20.00', type: 'accounts' };
    expect(refused([payment, turned], [payment], rulesOf({}))).toBe('invalid_authorization_details');
  });

  test('and were picked for are as often there, open or named', () => {
    const rules = rulesOf({ choices: ['of'] });
    const from = (of?: string) => accounts({ amount: '20.00', ...(of !== undefined && { of }) });
    expect(narrowDetails([from(), from()], [from('a'), from('b')], rules)).toEqual([from('a'), from('b')]);
    expect(refused([from('a'), from()], [from('a')], rules)).toBe('invalid_authorization_details');
  });

  test('that can be compared cover one detail each, as far as all find one', () => {
    const rules = rulesOf({
      compare: (requested, granted) => Number(requested.upTo) <= Number(granted.upTo),
    });
    const upTo = (amount: number) => accounts({ upTo: amount });
    expect(refused([upTo(20), upTo(20)], [upTo(50)], rules)).toBe('invalid_authorization_details');
    // the first detail fits both, and must leave the larger one to the second detail
    expect(narrowDetails([upTo(10), upTo(50)], [upTo(50), upTo(20)], rules)).toEqual([upTo(10), upTo(50)]);
    expect(refused([upTo(30), upTo(50)], [upTo(50), upTo(20)], rules)).toBe('invalid_authorization_details');
  });

  test('that were picked for are matched so that what is named finds its pick', () => {
    const rules = rulesOf({ choices: ['of'] });
    const from = (of?: string) => accounts({ ...(of !== undefined && { of }) });
    expect(narrowDetails([from(), from('a')], [from('a'), from('b')], rules)).toEqual([from('b'), from('a')]);
  });

  test('take nothing away from the grant', () => {
    const granted = Object.freeze([payment]);
    narrowDetails([payment], granted, rulesOf({}));
    expect(granted).toEqual([payment]);
  });
});

describe('RFC 9396 §10 what a grant still holds', () => {
  const granted = [accounts({ a: 1 }), { type: 'lost' }];
  test.each<[string, readonly string[] | undefined, number]>([
    ['a client that is registered for no types in particular', undefined, 1],
    ['one that is registered for it', ['accounts', 'lost'], 1],
    ['one that is registered for others', ['payment'], 0],
    ['one that is registered for none', [], 0],
  ])('for %s, as far as the server has its type', (_what, authorizationDetailsTypes, count) => {
    const client = authorizationDetailsTypes === undefined ? {} : { authorizationDetailsTypes };
    expect(stillRegisteredDetails(granted, client as never, rulesOf({}))).toEqual(granted.slice(0, count));
  });

  test('a grant from before there were details holds none', () => {
    expect(stillRegisteredDetails(undefined, {}, rulesOf({}))).toEqual([]);
  });
});
