import { expect, test } from '@jest/globals';

import { findProblem, MUTANTS } from './table.js';

test('each mutant is one place of the current code, and its suites are there', () => {
  expect(MUTANTS.length).toBeGreaterThan(700);
  expect(MUTANTS.flatMap(findProblem)).toEqual([]);
});
