import { type Mutant, mutantsOf } from './mutant.js';

const INTROSPECTION = ['rfc/rfc7662/introspection.test.ts', 'rfc/rfc7662/endpoint.test.ts'];
const REVOCATION = [
  'rfc/rfc7009/revocation.test.ts',
  'rfc/rfc7009/endpoint.test.ts',
  'properties/grant-life.test.ts',
];

/** Introspection and revocation: what is said of a token, and who may end it. */
export const INTROSPECTION_AND_REVOCATION: readonly Mutant[] = [
  ...mutantsOf('server/endpoints/introspect.ts', INTROSPECTION, [
    {
      breaks: 'only clients that are registered for it may ask (RFC 7662 §2.1)',
      from: 'if (introspection !== true)',
      to: 'if (introspection === null)',
    },
    {
      breaks: 'a client is told of tokens for its resources (RFC 7662 §4)',
      from: 'if (!isFor(client, aud)) return INACTIVE;',
      to: '',
      seenBy: [...INTROSPECTION, 'rfc/rfc8707/resource-indicators.test.ts'],
    },
    {
      breaks: 'a token that was revoked is not active (RFC 7662 §2.2)',
      from: 'revokedAt === undefined && ',
      to: '',
    },
    {
      breaks: 'a token that has expired is not active (RFC 7662 §2.2)',
      from: ' && stored.expiresAt > now;',
      to: ' && stored.expiresAt > new Date(0);',
    },
  ]),
  ...mutantsOf('storage/grants/exchange-steps.ts', REVOCATION, [
    {
      breaks: 'a client revokes its own access tokens only (RFC 7009 §2.1)',
      from: "{ _id: grantId, clientId, 'accessTokens.hash': hash },",
      to: "{ _id: grantId, 'accessTokens.hash': hash },",
    },
  ]),
];
