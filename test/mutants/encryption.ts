import { type Mutant, mutantsOf } from './mutant.js';

/** What is encrypted to clients, and to the server. */
export const ENCRYPTION: readonly Mutant[] = [
  ...mutantsOf(
    'crypto/encryption-algorithms.ts',
    ['rfc/jarm/encrypted-responses.test.ts'],
    [
      {
        breaks: 'nothing is encrypted to a key that only signs (RFC 7517 §4.2)',
        from: "if (use !== undefined && use !== 'enc') return false;",
        to: "if (use === 'none') return false;",
      },
      {
        breaks: 'nothing is encrypted to a key of another algorithm (RFC 7517 §4.4)',
        from: 'if (alg !== undefined && alg !== algorithm) return false;',
        to: "if (alg === '') return false;",
      },
    ],
  ),
  ...mutantsOf(
    'clients/encryption-fields.ts',
    ['rfc/jarm/encrypted-responses.test.ts'],
    [
      {
        breaks: 'RSA1_5 and shared secrets are registered for nothing (RFC 8725 §3.2)',
        from: 'if (!algorithms.includes(named))',
        to: "if (named === '')",
      },
    ],
  ),
  ...mutantsOf(
    'authorization/response-modes/signed.ts',
    ['rfc/jarm/encrypted-responses.test.ts'],
    [
      {
        breaks: 'the answers of who has asked for that are encrypted (JARM §3)',
        from: '        alg: client.authorizationEncryptedResponseAlg,\n',
        to: '',
      },
    ],
  ),
];
