import { describe, expect } from '@jest/globals';
import fc from 'fast-check';

import {
  matchDetails,
  matchToPlaces,
  narrowDetails,
} from '../../lib/core/authorization-details/compare-details.js';
import type { Settings } from '../../lib/settings/settings.js';
import { accepted, holds } from '../support/properties.js';

/** The places that fit each item. */
const pairs = fc.array(fc.uniqueArray(fc.nat(6), { maxLength: 7 }), { maxLength: 7 });

/** The size of the largest assignment, by a search of all of them. */
function largest(places: readonly (readonly number[])[], taken: readonly number[] = []): number {
  const [first, ...others] = places;
  if (first === undefined) return 0;
  const free = first.filter((place) => !taken.includes(place));
  return Math.max(largest(others, taken), ...free.map((place) => 1 + largest(others, [...taken, place])));
}

describe('the assignment of items to places', () => {
  holds('the assignment places as many items as any other could, one in each place', [pairs], (places) => {
    const matched = matchToPlaces(places);
    const taken = matched.filter((place) => place !== undefined);
    expect(matched).toHaveLength(places.length);
    expect(new Set(taken).size).toBe(taken.length);
    matched.forEach((place, item) => {
      if (place !== undefined) expect(places[item]).toContain(place);
    });
    expect(taken).toHaveLength(largest(places));
  });
});

interface Budget {
  readonly type: string;
  readonly upTo: number;
}

const TYPES = ['budget', 'payment'];
const details = fc.array(
  fc.record({ type: fc.constantFrom(...TYPES), upTo: fc.integer({ min: 1, max: 6 }) }),
  { maxLength: 8 },
);
const compare = (requested: Budget, granted: Budget) => requested.upTo <= granted.upTo;
const rules = {
  authorizationDetails: new Map<string, object>([
    ['budget', { compare, choices: new Map() }],
    ['payment', { choices: new Map() }],
  ]),
} as unknown as Pick<Settings, 'authorizationDetails'>;
const of = (type: string, all: readonly Budget[]) =>
  all
    .filter((detail) => detail.type === type)
    .map(({ upTo }) => upTo)
    .sort((one, other) => other - one);

describe('the authorization details of a token (RFC 9396 §6.1)', () => {
  holds(
    'a token gets authorization details if and only if each fits a different granted one',
    [details, details],
    (requested, granted) => {
      const budgets = of('budget', granted);
      const payments = of('payment', granted);
      // in order of size: the largest requested needs the largest granted, and so on
      const areCovered =
        of('budget', requested).every((upTo, index) => upTo <= (budgets[index] ?? 0)) &&
        [...new Set(of('payment', requested))].every(
          (upTo) =>
            of('payment', requested).filter((each) => each === upTo).length <=
            payments.filter((each) => each === upTo).length,
        );
      const given = accepted(() => narrowDetails(requested, granted, rules));
      expect(given).toEqual(areCovered ? requested : undefined);
    },
  );

  holds('the budgets of a token never exceed the granted sum', [details, details], (requested, granted) => {
    const sum = (all: readonly Budget[]) => of('budget', all).reduce((total, upTo) => total + upTo, 0);
    const matched = matchDetails(requested, granted, rules).filter((detail) => detail !== undefined);
    expect(sum(matched as unknown as Budget[])).toBeLessThanOrEqual(sum(granted));
  });
});
