import { type Mutant, mutantsOf } from './mutant.js';

const INTROSPECTION = ['rfc/rfc7662/introspection.test.ts', 'rfc/rfc7662/endpoint.test.ts'];
const GUARD = [
  'rfc/rfc6749/resource-server.test.ts',
  'rfc/rfc6750/tokens.test.ts',
  'rfc/rfc6750/authorization-header.test.ts',
  'rfc/rfc6750/body-and-query.test.ts',
  'rfc/rfc8707/resource-indicators.test.ts',
];
const CHAINS = ['features/token-exchange/chains.test.ts'];
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
  ]),
  ...mutantsOf(
    'core/grants/stored-access-token.ts',
    [...GUARD, ...INTROSPECTION],
    [
      {
        breaks: 'a token of a revoked grant is not active, whoever reads it (RFC 6749 §1.4, RFC 7662 §2.2)',
        from: "if (grant.revokedAt !== undefined) return 'the grant is revoked';",
        to: '',
        seenBy: [...GUARD, ...INTROSPECTION, ...CHAINS],
      },
      {
        breaks: 'nor is one that has expired (RFC 6749 §7, RFC 7662 §2.2)',
        from: "if (found.stored.expiresAt <= now) return 'expired';",
        to: '',
      },
      {
        breaks: 'nor one of a client that is blocked',
        from: "if (grant.blockedAt !== undefined) return 'its client, or the token of a program, is blocked';",
        to: '',
        seenBy: ['clients/blocked-clients.test.ts', 'pages/blocked-applications.test.ts', ...CHAINS],
      },
      {
        breaks: 'nor one of a host that is blocked (Client ID Metadata Document §8.9)',
        from: 'return holders.some(isBlockedDomain) ?',
        to: 'return holders.length === 0 ?',
        seenBy: ['rfc/draft-ietf-oauth-client-id-metadata-document-02/wrong-documents.test.ts'],
      },
    ],
  ),
  ...mutantsOf('storage/grants/exchange-steps.ts', REVOCATION, [
    {
      breaks: 'a client revokes its own access tokens only (RFC 7009 §2.1)',
      from: "{ _id: grantId, clientId, 'accessTokens.hash': hash },",
      to: "{ _id: grantId, 'accessTokens.hash': hash },",
    },
  ]),
];
