import { type Mutant, mutantsOf } from './mutant.js';

const DISPLAYED = ['authorization/pending-decisions.test.ts', 'attacks/answers-to-another-question.test.ts'];

/** What a consent form means, once it is known to be the person's own; and what clients may be called there. */
export const CONSENT: readonly Mutant[] = [
  ...mutantsOf(
    'pages/consent/read-consent.ts',
    [...DISPLAYED, 'pages/risky-scopes.test.ts'],
    [
      {
        breaks: 'a form of the consent page is about what was shown (RFC 6749 §10.2)',
        from: "if (textField(form, 'shown') !== consentDigest(prompt)) return 'outOfDate';",
        to: '',
      },
      {
        breaks: 'what can do harm is given to somebody unknown in two steps (RFC 9700 §4.1)',
        from: 'return isConfirmed ? decision : { toConfirm, ...rest };',
        to: 'return isConfirmed || !isConfirmed ? decision : { toConfirm, ...rest };',
      },
      {
        breaks: 'what was confirmed is what is given',
        from: 'return JSON.stringify([consentDigest(prompt), [...scopes].sort(), userCode, details, picks]);',
        to: "return '';",
      },
    ],
  ),
  ...mutantsOf(
    'core/authorization/consent-client.ts',
    ['attacks/answers-to-another-question.test.ts', 'authorization/consent-client.test.ts'],
    [
      {
        breaks: 'the owner that the consent page names is part of what the person answers (RFC 6749 §10.2)',
        from: '    ownerId,\n    ownerSince,\n',
        to: '    ownerId: undefined,\n    ownerSince: undefined,\n',
      },
    ],
  ),
  ...mutantsOf(
    'core/authorization/store-consent.ts',
    ['pages/implied-scopes.test.ts'],
    [
      {
        breaks: 'what is denied is not given silently by what includes it (RFC 6749 §10.2)',
        from: '...withImpliers(refused, impliedScopes)',
        to: '',
      },
    ],
  ),
  ...mutantsOf(
    'core/clients/client-checks.ts',
    ['clients/names.test.ts'],
    [
      {
        breaks: 'no client takes the name of the site (RFC 6819 §4.4.1.4)',
        from: 'reservedNames?.find((other) => looksLike(name, other))',
        to: 'reservedNames?.find((other) => name === other)',
      },
      {
        breaks: 'no name is more than a name (RFC 6819 §4.4.1.4)',
        from: 'return trick && { text: NAME_TRICKS[trick], more: { reason: trick } };',
        to: 'return undefined && { text: NAME_TRICKS[trick!], more: { reason: trick! } };',
      },
    ],
  ),
];
