import { type Mutant, mutantsOf } from './mutant.js';

const ASSERTIONS = [
  'rfc/rfc7521/client-assertions.test.ts',
  'rfc/rfc7523/private-key-jwt.test.ts',
  'rfc/rfc7523/client-secret-jwt.test.ts',
  'attacks/jwt-headers.test.ts',
];

/** Client assertions: which JWTs prove who a client is. */
export const CLIENT_ASSERTIONS: readonly Mutant[] = [
  ...mutantsOf('shared/clock-tolerance.ts', ASSERTIONS, [
    {
      breaks: 'an assertion ends soon (RFC 7523 §3)',
      from: 'if (exp > latest + maxTtl)',
      to: 'if (exp > latest + 1e9)',
    },
    {
      breaks: 'an assertion is not from the future (RFC 7523 §3)',
      from: 'if (iat > latest)',
      to: 'if (iat > latest + 1e9)',
    },
  ]),
  ...mutantsOf('core/client-authentication/verify-assertion.ts', ASSERTIONS, [
    {
      breaks: 'an assertion is for this server and no other (RFC 7523 §3)',
      from: 'if (audience === undefined || more.length > 0 || !audiences.includes(audience))',
      to: 'if (audience === undefined || more.length > 0)',
    },
    {
      breaks: 'an assertion is for this server alone (draft-ietf-oauth-rfc7523bis §4)',
      from: 'if (audience === undefined || more.length > 0 || !audiences.includes(audience))',
      to: 'if (audience === undefined || !audiences.includes(audience))',
    },
    {
      breaks: 'an assertion counts once (RFC 7523 §3)',
      from: 'if (!(await assertionIds.use(clientId, jti, expiresAt)))',
      to: 'if (!(await assertionIds.use(clientId, jti + Math.random(), expiresAt)))',
    },
    {
      breaks: 'the times of an assertion are looked at (RFC 7523 §3)',
      from: 'if (found === undefined) return;',
      to: 'return;',
    },
    {
      breaks: 'another JWT is no assertion: typ (RFC 8725 §3.11)',
      from: 'if (!TYPES.includes(type))',
      to: "if (type === 'none')",
    },
    {
      breaks: 'the client says it of itself: iss (RFC 7523 §3)',
      from: '    issuer: clientId,\n',
      to: '',
    },
    {
      breaks: 'an assertion has an end, an audience and an id (RFC 7523 §3)',
      from: "requiredClaims: ['exp', 'aud', 'jti'],",
      to: 'requiredClaims: [],',
    },
    {
      breaks: 'an id is kept for as long as any clock takes the assertion (RFC 7523 §3)',
      from: 'const expiresAt = new Date((exp + 2 * clockTolerance) * 1000);',
      to: 'const expiresAt = new Date((exp - 2 * clockTolerance) * 1000);',
    },
  ]),
];
