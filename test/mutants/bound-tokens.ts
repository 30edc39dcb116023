import { type Mutant, mutantsOf } from './mutant.js';

const SERVER = ['rfc/rfc9449/bound-tokens.test.ts'];
const GUARD = ['rfc/rfc9449/guarded-routes.test.ts'];

/** Tokens that are bound to a key (RFC 9449). */
export const BOUND_TOKENS: readonly Mutant[] = [
  ...mutantsOf(
    'core/guard/admission.ts',
    ['guard/verify.test.ts'],
    [
      {
        breaks: 'a bound token is good only with a request that proves it (RFC 9449 §7.1, RFC 8705 §3)',
        from: 'if (verified.cnf !== undefined)',
        to: "if (verified.token === '')",
      },
      {
        breaks: 'code that checks a token checks its scopes',
        from: 'const auth = withIncluded(verified, impliedScopes);\n        for (const check of checks) check(auth, new Date());\n        return connection',
        to: 'const auth = withIncluded(verified, impliedScopes);\n        return connection',
      },
    ],
  ),
  ...mutantsOf(
    'core/guard/passport-strategy.ts',
    ['guard/passport-strategy.test.ts'],
    [
      {
        breaks: 'a refusal has its challenge, whoever answers (RFC 6750 §3)',
        from: '        leaveChallenge(req, thrown);\n',
        to: '',
      },
    ],
  ),
  ...mutantsOf(
    'core/clients/public-jwks.ts',
    ['rfc/rfc7521/client-assertions.test.ts'],
    [
      {
        breaks: 'a member of a key is of its kind (RFC 7518 §6)',
        from: "if (TEXT_MEMBERS.includes(name)) return typeof value === 'string';",
        to: "if (TEXT_MEMBERS.includes(name) && typeof value === 'string') return true;",
      },
    ],
  ),
  ...mutantsOf('core/grants/tokens/token-issuer.ts', SERVER, [
    {
      breaks: 'a client that gets bound tokens alone gets no others past the token endpoint (RFC 9449 §5.2)',
      from: 'client.dpopBoundAccessTokens === true && proof?.jkt === undefined',
      to: 'client.dpopBoundAccessTokens === null && proof?.jkt === undefined',
    },
  ]),
  ...mutantsOf('core/grants/tokens/resends.ts', SERVER, [
    {
      breaks: 'a lost answer is sent again for another proof alone (RFC 9449 §11.1)',
      from: '      await proof?.use();\n',
      to: '',
    },
  ]),
  ...mutantsOf('core/proof-of-possession/dpop-proof.ts', SERVER, [
    {
      breaks: 'a proof is about the method of the request (RFC 9449 §4.3)',
      from: 'if (htm !== method) throw',
      to: "if (htm === '') throw",
    },
    {
      breaks: 'a proof is about the address of the request (RFC 9449 §4.3)',
      from: '!urls.some((url) => isSameTarget(htu, url))',
      to: 'urls.length === 0',
    },
    {
      breaks: 'a proof is used once (RFC 9449 §11.1)',
      from: "if (!(await usedProofs.use(jkt, jti, expiresAt))) throw invalidProof('it was used before');",
      to: 'await usedProofs.use(jkt, jti, expiresAt);',
    },
    {
      breaks: 'a proof is good for a short time (RFC 9449 §11.1)',
      from: 'if (age > maxAge + present.clockTolerance)',
      to: 'if (age > 1e9)',
    },
  ]),
  ...mutantsOf('core/proof-of-possession/dpop-proof.ts', GUARD, [
    {
      breaks: 'a proof is about the token that comes with it (RFC 9449 §4.3)',
      from: 'if (accessToken !== undefined && ath !== hashSecret(accessToken))',
      to: "if (accessToken === '')",
    },
  ]),
  ...mutantsOf('core/guard/schemes/dpop.ts', GUARD, [
    {
      breaks: 'a token is used by the key that it is bound to (RFC 9449 §7.1)',
      from: 'if (cnf?.jkt !== proof.jkt)',
      to: 'if (cnf === undefined)',
    },
  ]),
  ...mutantsOf('core/guard/schemes/bearer.ts', GUARD, [
    {
      breaks: 'a bound token is no Bearer token (RFC 9449 §7.2)',
      from: "if (members.length === 0 || members.some((member) => member !== 'x5t#S256'))",
      to: 'if (members.length > 9)',
    },
  ]),
  ...mutantsOf('core/guard/token-checks.ts', GUARD, [
    {
      breaks: 'where tokens have to be bound no other is let in (RFC 9728 §2)',
      from: 'if (required.length === 0 ||',
      to: 'if (required.length < 9 ||',
    },
  ]),
  ...mutantsOf('features/device/grant-type.ts', SERVER, [
    {
      breaks: 'a device that is bound to a key polls with it (RFC 9449 §10)',
      from: '      checkKey(grant, proof);\n',
      to: '',
    },
  ]),
  ...mutantsOf('features/device/endpoint.ts', SERVER, [
    {
      breaks: 'a proof is used once at the device authorization endpoint, too (RFC 9449 §11.1)',
      from: '    await dpopProof?.use();\n',
      to: '',
    },
  ]),
  ...mutantsOf('core/grant-types/refresh-token.ts', SERVER, [
    {
      breaks: 'a refresh token of a public client is used by its key (RFC 9449 §5)',
      from: 'if (bound !== undefined && !matchesBinding(bound, proof))',
      to: "if (bound?.jkt === '')",
    },
  ]),
  ...mutantsOf('core/grant-types/authorization-code.ts', SERVER, [
    {
      breaks: 'a code is redeemed with the key that it is bound to (RFC 9449 §10)',
      from: 'if (code.jkt !== undefined && code.jkt !== proof?.jkt)',
      to: "if (code.jkt === '')",
    },
  ]),
];
