import { type Mutant, mutantsOf } from './mutant.js';

const TESTS = ['pages/changed-choices.test.ts'];

/** What a person picks instead, on the page of a connected app. */
export const CHANGED_CHOICES: readonly Mutant[] = [
  ...mutantsOf('pages/connected-apps/connected-apps.ts', TESTS, [
    {
      breaks: 'no other site sends the form',
      from: "router.post('/:clientId/choices', ...form(rebind));",
      to: "router.post('/:clientId/choices', ...formBody(), page(rebind));",
    },
  ]),
  ...mutantsOf('pages/connected-apps/change-choice.ts', TESTS, [
    {
      breaks: 'only what is offered is taken',
      from: 'if (findInvalidSelections([offer], picks).length > 0) {',
      to: 'if (findInvalidSelections([offer], picks).length > 9) {',
    },
  ]),
  ...mutantsOf('pages/connected-apps/app-choices.ts', TESTS, [
    {
      breaks: 'a number is lowered only',
      from: 'max: Number(selected)',
      to: 'max: number.max',
    },
    {
      breaks: 'a lifetime is shortened only',
      from: 'addSeconds(now, Number(value)) < endsAt',
      to: 'addSeconds(now, Number(value)) > now',
    },
    {
      breaks: 'nothing is no pick',
      from: 'const choice = { ...offer.choice, optional: false };',
      to: 'const choice = { ...offer.choice, optional: true };',
    },
  ]),
  ...mutantsOf('storage/grants/choice-steps.ts', TESTS, [
    {
      breaks: 'a code of the old pick ends',
      from: '{ $set: { revokedAt: now } },',
      to: '{ $set: {} },',
    },
    {
      breaks: 'tokens that are out end with the lifetime',
      from: "{ $min: { 'accessTokens.$[].expiresAt': endsAt } },",
      to: '{ $min: { expiresAt: endsAt } },',
    },
  ]),
];
