import { type Mutant, mutantsOf } from './mutant.js';

/** Access tokens that are stored nowhere. */
export const STATELESS_TOKENS: readonly Mutant[] = [
  ...mutantsOf(
    'core/grants/tokens/access-tokens.ts',
    ['grants/stateless-tokens.test.ts'],
    [
      {
        breaks: 'a token that is stored nowhere ends when it expires, also if it was seen before',
        from: 'isStateless(presented) && presented.claims.exp * 1000 <= now.getTime() ? null',
        to: 'isStateless(presented) && presented.claims.exp * 1000 <= 0 ? null',
      },
      {
        breaks: 'what is stored is looked up, whatever the option says now',
        from: 'if (STATELESS_ID.test(jti))',
        to: "if (jti !== '')",
      },
    ],
  ),
  ...mutantsOf(
    'core/grants/tokens/token-issuer.ts',
    ['grants/stateless-tokens.test.ts'],
    [
      {
        breaks: 'what a person has allowed is stored',
        from: 'spec.mayBeStateless === true && atResource?.stateless === true',
        to: 'atResource?.stateless === true',
      },
      {
        breaks: 'what nobody can take back is short-lived',
        from: 'isStateless ? Math.min(lifetimes.accessToken, STATELESS_TTL) : undefined',
        to: 'undefined',
      },
      {
        breaks: 'and no longer-lived than others',
        from: 'Math.min(lifetimes.accessToken, STATELESS_TTL)',
        to: 'STATELESS_TTL',
      },
    ],
  ),
  ...mutantsOf(
    'server/endpoints/revoke.ts',
    ['grants/stateless-tokens.test.ts'],
    [
      {
        breaks: 'no client hears of the tokens of another (RFC 7009 §2.1)',
        from: 'if (claims.client_id !== clientId) return ofOtherClient();',
        to: "if (claims.client_id === '') return ofOtherClient();",
      },
    ],
  ),
  ...mutantsOf(
    'server/endpoints/introspect.ts',
    ['grants/stateless-tokens.test.ts'],
    [
      {
        breaks: 'a token that is stored nowhere is told to its resource alone (RFC 7662 §4)',
        from: 'if (!isFor(asking, claims.aud) || isBlocked',
        to: 'if (isBlocked',
      },
      {
        breaks: 'of a client that is blocked or gone nothing is active',
        from: 'if (client === null || client.blocked !== undefined) return INACTIVE;',
        to: '',
      },
    ],
  ),
];
