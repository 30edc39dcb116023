import { mutantsOf } from './mutant.js';

/** Which scopes a request gets. */
export const SCOPES = [
  ...mutantsOf(
    'shared/protocol/scope.ts',
    ['rfc/rfc6749/scope.test.ts'],
    [
      {
        breaks: 'a client asks for scopes of its registration only (RFC 6749 §3.3)',
        from: 'const resolved = requested.filter((candidate) => allowed.includes(candidate));',
        to: 'const resolved = requested;',
      },
      {
        breaks:
          'a scope that exists and is not the client’s is refused, whatever stands beside it (RFC 6749 §3.3)',
        from: "if (refused !== undefined) throw invalidScope(refused, 'scope_not_registered');",
        to: 'void refused;',
        seenBy: ['rfc/openid-core/unknown-scopes.test.ts'],
      },
      {
        breaks: 'a refresh gives no scope that was not granted (RFC 6749 §6)',
        from: 'granted.includes(candidate) || (candidate !== OFFLINE_ACCESS && isKnown(candidate))',
        to: 'granted.includes(candidate)',
        seenBy: ['rfc/openid-core/unknown-scopes.test.ts'],
      },
      {
        breaks: 'the default scopes are those of the registration (RFC 6749 §3.3)',
        from: 'return defaults.filter((candidate) => allowed.includes(candidate));',
        to: 'return defaults;',
      },
    ],
  ),
];
