import { type Mutant, mutantsOf } from './mutant.js';

const NAMES_OF_OTHERS = ['clients/names-of-others.test.ts'];

/** What clients that nobody has looked at cannot be called, and how many of them there are. */
export const NEW_CLIENTS: readonly Mutant[] = [
  ...mutantsOf(
    'core/clients/wire-metadata.ts',
    ['rfc/openid-rp-metadata-choices/choices.test.ts'],
    [
      {
        breaks: 'a preference is in its list (OpenID Connect RP Metadata Choices 1.0 §2)',
        from: "if (typeof preferred === 'string' && preferred !== '' && !list.includes(preferred))",
        to: "if (typeof preferred === 'string' && preferred === 'none')",
      },
      {
        breaks: 'nothing is chosen that is not possible here (§4)',
        from: 'find((each) => list.includes(each) && isPossible(field, each))',
        to: 'find((each) => list.includes(each))',
      },
    ],
  ),
  ...mutantsOf(
    'core/clients/wire-metadata.ts',
    ['rfc/rfc7591/lenient-registration.test.ts'],
    [
      {
        breaks: 'keys that cannot be used are refused, and only an empty set is left out (RFC 7517 §5)',
        from: "if (['{}', '{\"keys\":[]}'].includes(JSON.stringify(jwks))) delete cleaned.jwks;",
        to: 'if (jwks) delete cleaned.jwks;',
      },
    ],
  ),
  ...mutantsOf('core/clients/validation/protected-names.ts', NAMES_OF_OTHERS, [
    {
      breaks: 'nobody takes the name of a verified client, or of one of the site (RFC 7591 §5)',
      from: 'return taken === undefined || hasAllAlong || isInstallation(given)',
      to: 'return taken === undefined || found.length > 0',
    },
    {
      breaks: 'only what goes where the other one’s goes has its name',
      from: 'grantTypes.every((name) => REDIRECTING_GRANT_TYPES.includes(name))',
      to: 'true',
    },
  ]),
  ...mutantsOf('features/registration/registration.ts', NAMES_OF_OTHERS, [
    {
      breaks: 'a client that changes itself does not take a name that it could not have registered',
      from: 'await checkNameIsFree(models.clients, { ...replacement, clientId: current.clientId }, current);',
      to: '',
    },
  ]),
  ...mutantsOf(
    'core/clients/client-checks.ts',
    ['clients/names.test.ts'],
    [
      {
        breaks: 'no name says what only the site says of an application',
        from: 'const word = findBadgeWord(name);',
        to: 'const word: string | undefined = undefined;',
      },
    ],
  ),
  ...mutantsOf(
    'core/clients/new-client-limit.ts',
    ['attacks/clients-of-one-account.test.ts'],
    [
      {
        breaks: 'one account stores so many clients a day',
        from: 'await limit.consume(failureKey({}, userId));',
        to: '',
      },
    ],
  ),
  ...mutantsOf(
    'storage/clients/client-expiry.ts',
    ['attacks/clients-of-one-account.test.ts'],
    [
      {
        breaks: 'a client that was tried once goes with its tokens',
        from: 'if (registration?.unusedSince !== undefined || document?.isUnstored === true)',
        to: 'if (Number.isNaN(firstLife))',
      },
    ],
  ),
];
