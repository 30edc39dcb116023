import { type Mutant, mutantsOf } from './mutant.js';

const REQUESTS = ['rfc/rfc9396/authorization-details.test.ts'];
const PEOPLE = ['rfc/rfc9396/consented-details.test.ts'];
const REMEDIATION = ['rfc/draft-ietf-oauth-rar-metadata-remediation-00/remediation.test.ts'];
const CHOICES = ['pages/choices.test.ts'];

/** Authorization details (RFC 9396), and people's choices. */
export const DETAILS: readonly Mutant[] = [
  ...mutantsOf('core/authorization-details/read-details.ts', REQUESTS, [
    {
      breaks: 'a field that the schema leaves out is unknown (RFC 9396 §5)',
      from: 'if (!isCovered(fields, value)) throw',
      to: "if (type === '') throw",
    },
    {
      breaks: 'a client asks for types that it is registered for (RFC 9396 §10)',
      from: 'if (registered?.includes(type) === false)',
      to: 'if (registered?.length === 0)',
    },
  ]),
  ...mutantsOf(
    'settings/features/detail-schema.ts',
    ['rfc/rfc9396/json-schemas.test.ts'],
    [
      {
        breaks: 'what a JSON Schema says and nobody holds is refused (RFC 9396 §5)',
        from: 'if (problem !== undefined) throw',
        to: "if (problem === '') throw",
      },
    ],
  ),
  ...mutantsOf(
    'shared/protocol/storable.ts',
    ['properties/storable.test.ts'],
    [
      {
        breaks: 'a name that the driver or Mongoose reads is not stored (RFC 9396 §12)',
        from: 'READ_NAMES.has(name) || name in Object.prototype',
        to: 'false',
      },
      {
        breaks: 'what would be stored as another text is not stored (RFC 9396 §12)',
        from: ' && !LONE_SURROGATE.test(text)',
        to: '',
      },
    ],
  ),
  ...mutantsOf(
    'core/clients/public-jwks.ts',
    ['properties/storable.test.ts'],
    [
      {
        breaks: 'a key is stored as it was checked (RFC 7517 §4)',
        from: ' || findUnstorable(jwk, KEY_DEPTH) !== undefined',
        to: '',
        lives:
          'the fields of a client are checked as well; this one is for keys that are fetched or in proofs',
      },
    ],
  ),
  ...mutantsOf('core/authorization-details/compare-details.ts', REQUESTS, [
    {
      breaks: 'a token has no more than was granted (RFC 9396 §6)',
      from: 'if (filled !== undefined && compareBy(compare, filled, each)) found',
      to: 'if (filled !== undefined) found',
    },
    {
      breaks: 'what was granted once is in a token once, unless it is divisible (RFC 9396 §6.1)',
      from: '?.divisible === true',
      to: "?.optional !== 'no'",
    },
  ]),
  ...mutantsOf('core/grant-types/client-credentials.ts', REQUESTS, [
    {
      breaks: 'what registered itself has nothing in its own name (RFC 9396 §6)',
      from: 'if (!isThirdParty(client) && details.every',
      to: 'if (details.every',
    },
  ]),
  ...mutantsOf('shared/protocol/authorization-details.ts', REQUESTS, [
    {
      breaks: 'what is for another resource is not in the token (RFC 9396 §9.1)',
      from: 'locations.some((location) => isAt(location, resource))',
      to: 'locations.length > 0',
    },
  ]),
  ...mutantsOf(
    'core/authorization-details/bipartite-matching.ts',
    ['properties/authorization-details.test.ts'],
    [
      {
        breaks: 'each granted detail covers one that is asked for (RFC 9396 §6.1)',
        from: 'fitting.find((place) => !itemAt.has(place))',
        to: 'fitting.find((place) => place >= 0)',
      },
    ],
  ),
  ...mutantsOf('core/authorization-details/consent-after.ts', PEOPLE, [
    {
      breaks: 'what was refused is remembered no more',
      from: ' && !isRefused(detail.type)',
      to: '',
    },
  ]),
  ...mutantsOf('core/authorization/prior-consent.ts', PEOPLE, [
    {
      breaks: 'a type that cannot compare is asked about each time',
      from: 'consented.filter((detail) => isComparable(detail, settings))',
      to: 'consented',
    },
  ]),
  ...mutantsOf('core/authorization-details/selections.ts', CHOICES, [
    {
      breaks: 'what is picked was offered',
      from: 'entries.some((entry) => entry.value === value)',
      to: 'entries.length > 0',
    },
    {
      breaks: 'one is picked where one is to be picked',
      from: 'if (selected.length > 1 && !choice.multiple) return false;',
      to: '',
    },
  ]),
  ...mutantsOf('core/authorization-details/compare-details.ts', CHOICES, [
    {
      breaks: 'who leaves a choice open gets what was picked (RFC 9396 §7.1)',
      from: 'const open = choices.filter((name) => isLeftOpen(requested[name]) && granted[name] !== undefined);',
      to: 'const open: readonly string[] = [];',
    },
    {
      breaks: 'where nothing was picked no token request names anything (RFC 9396 §6)',
      from: '(name) => !isLeftOpen(requested[name]) && !isSelected(',
      to: '(name) => granted[name] !== undefined && !isLeftOpen(requested[name]) && !isSelected(',
    },
  ]),
  ...mutantsOf('core/authorization-details/selectable-choices.ts', CHOICES, [
    {
      breaks: 'what a client names is not granted without a pick',
      from: 'const choice = { ...offer.choice, optional: false };',
      to: 'const { choice } = offer;',
    },
  ]),
  ...mutantsOf(
    'core/authorization-details/selectable-choices.ts',
    ['pages/named-choices.test.ts'],
    [
      {
        breaks: 'a client gets no higher number than it has named',
        from: 'const max = Math.min(bounds.max, Number.parseFloat(named));',
        to: 'const { max } = bounds;',
      },
    ],
  ),
  ...mutantsOf(
    'settings/features/choice-options.ts',
    ['pages/choices-of-implied-scopes.test.ts'],
    [
      {
        breaks: 'what implies a scope is asked about with the choices of that scope',
        from: 'choice.scopes && withImpliers(choice.scopes, impliedScopes)',
        to: 'choice.scopes',
      },
    ],
  ),
  ...mutantsOf('core/grant-types/refresh-token.ts', CHOICES, [
    {
      breaks: "what is not the person's to give any more ends at a refresh",
      from: 'if (userId !== undefined && lost !== undefined) {',
      to: "if (userId !== undefined && lost === '') {",
    },
  ]),
  ...mutantsOf('core/authorization/prior-consent.ts', CHOICES, [
    {
      breaks: 'what was picked is taken again only as long as it is offered',
      from: 'if (findInvalidSelections(offers, picks).length > 0) return undefined;',
      to: 'if (offers.length > 99 && findInvalidSelections(offers, picks).length > 0) return undefined;',
    },
    {
      breaks: 'a lifetime that is over is asked for anew',
      from: 'return end !== undefined && end > now ?',
      to: 'return end !== undefined ?',
    },
  ]),
  ...mutantsOf('core/grants/tokens/token-issuer.ts', CHOICES, [
    {
      breaks: 'no token lives longer than what was picked',
      from: 'const { userId, endsAt } = authorization;',
      to: 'const { userId } = authorization;\n      const endsAt = authorization.endsAt && new Date(8.64e15);',
    },
  ]),
  ...mutantsOf('core/guard/details-check.ts', REMEDIATION, [
    {
      breaks: 'what a call needs lies within what the token has (RAR Remediation §4)',
      from: 'if (!covered.every((each) => each !== undefined)) throw',
      to: 'if (covered.length === 0) throw',
    },
    {
      breaks: 'what is for one call is used up',
      from: 'singleUse.length > 0 && !(await',
      to: 'singleUse.length > 99 && !(await',
    },
    {
      breaks: 'a host that gives no list lets nobody in',
      from: '!isDetailList(required)',
      to: 'Array.isArray(required) && !isDetailList(required)',
    },
    {
      breaks: 'no reference to details for one call (RAR Remediation §4)',
      from: '!details.some((each) => isSingleUse(each, options))',
      to: 'details.length > 0',
    },
  ]),
  ...mutantsOf('storage/grants/detail-steps.ts', REMEDIATION, [
    {
      breaks: 'of two calls at once one uses a detail up',
      from: 'usedDetails: { $nin: [...places] },',
      to: '',
    },
  ]),
  ...mutantsOf('core/authorization-details/issuable-details.ts', REMEDIATION, [
    {
      breaks: 'a refreshed token has nothing that was used up',
      from: 'usableOf(grant), settings)',
      to: '{}, settings)',
    },
  ]),
  ...mutantsOf('core/authorization-details/compare-details.ts', REMEDIATION, [
    {
      breaks: 'the person is asked each time about what is for one call',
      from: ' && !known.singleUse',
      to: '',
    },
  ]),
];
