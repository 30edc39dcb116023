import { type Mutant, mutantsOf } from './mutant.js';

const SITE = ['rfc/rfc9470/step-up.test.ts'];
const ELSEWHERE = ['rfc/rfc9470/other-guards.test.ts'];

/** Routes that need a new or strong login (RFC 9470). */
export const STEP_UP: readonly Mutant[] = [
  ...mutantsOf('core/guard/token-checks.ts', SITE, [
    {
      breaks: 'a login that nobody knows the time of is not new (RFC 9470 §3)',
      from: 'auth.authTime ?? -Infinity',
      to: 'auth.authTime ?? now.getTime() / 1000',
    },
    {
      breaks: 'an old login is not new (RFC 9470 §3)',
      from: 'if (age > maxAge)',
      to: 'if (age === Infinity)',
    },
    {
      breaks: 'a login in the future is not new',
      from: 'if (age < -clockTolerance)',
      to: 'if (age === -Infinity)',
      seenBy: [...SITE, ...ELSEWHERE],
    },
    {
      breaks: 'a login has one of the classes of the route (RFC 9470 §3)',
      from: '(auth.acr === undefined || !acr.includes(auth.acr))',
      to: 'auth.acr === undefined',
    },
  ]),
  ...mutantsOf('core/guard/admission.ts', ELSEWHERE, [
    {
      breaks: 'a tool needs the login that its endpoint does not (RFC 9470 §3)',
      from: ', ...createLoginChecks(logins, dependencies)];',
      to: '];',
    },
  ]),
  ...mutantsOf('core/grants/tokens/access-tokens.ts', SITE, [
    {
      breaks: 'the host does not say how somebody has logged in, by claims (RFC 9470 §6.1)',
      from: 'stepUp === false ? OWN_CLAIMS',
      to: 'stepUp !== undefined ? OWN_CLAIMS',
    },
  ]),
  ...mutantsOf('core/authorization/login-checks.ts', SITE, [
    {
      breaks: 'the requested acr is necessary (RFC 9470 §5)',
      from: "if (acr !== undefined && !acr.includes(login().acr)) return 'acrTooLow';",
      to: '',
    },
    {
      breaks: 'nobody logs in for a class that no login has',
      from: "shortfall === 'acrTooLow' && acrValues",
      to: "shortfall === 'otherUser' && acrValues",
    },
  ]),
  ...mutantsOf('core/guard/authentication-claims.ts', ELSEWHERE, [
    {
      breaks: 'a time that is no number is not compared',
      from: 'if (!isRight(value)) throw',
      to: "if (problem === '') throw",
    },
  ]),
];
