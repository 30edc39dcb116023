import { type Mutant, mutantsOf } from './mutant.js';

/** What is encrypted to clients, and to the server. */
export const ENCRYPTION: readonly Mutant[] = [
  ...mutantsOf(
    'shared/crypto/encryption-algorithms.ts',
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
    'core/clients/validation/jwt-fields.ts',
    ['rfc/jarm/encrypted-responses.test.ts'],
    [
      {
        breaks: 'RSA1_5 and shared secrets are registered for nothing (RFC 8725 §3.2)',
        from: 'if (!algorithms.includes(algorithm))',
        to: "if (algorithm === '')",
      },
    ],
  ),
  ...mutantsOf(
    'features/signed-requests/encrypted-object.ts',
    ['rfc/rfc9101/encrypted-requests.test.ts'],
    [
      {
        breaks: 'by which is encrypted says the server, not the header (RFC 8725 §3.1)',
        from: "if (typeof value === 'string' && allowed.includes(value)) return value;",
        to: "if (typeof value === 'string') return value;",
      },
      {
        breaks: 'a client encrypts by what it has registered (OpenID Connect Registration §2)',
        from: 'desiredAlg === undefined ? algorithms : [desiredAlg]',
        to: 'desiredAlg === undefined ? algorithms : algorithms',
      },
      {
        breaks: 'and the content by what it has registered, or the default',
        from: 'registered ?? CONTENT_ENCRYPTION_ALGORITHMS',
        to: 'CONTENT_ENCRYPTION_ALGORITHMS',
      },
      {
        breaks: 'what is compressed is refused (RFC 8725 §3.6)',
        from: 'if (header.zip !== undefined)',
        to: "if (header.zip === '')",
      },
      {
        breaks: 'nothing is decrypted that its client cannot have signed',
        from: 'if (client.jwks === undefined && client.jwksUri === undefined)',
        to: "if (client.clientId === '')",
      },
      {
        breaks: 'whatever cannot be decrypted is the fault of its client (RFC 9101 §6.1)',
        from: "throw invalidObject('it cannot be decrypted', cause);",
        to: 'throw cause;',
      },
    ],
  ),
  ...mutantsOf(
    'features/signed-requests/request-object.ts',
    ['rfc/rfc9101/encrypted-requests.test.ts'],
    [
      {
        breaks: 'who has registered to encrypt does not only sign',
        from: 'if (decrypt !== undefined && registered !== undefined)',
        to: "if (decrypt !== undefined && registered === '')",
      },
      {
        breaks: 'what is too long is not decrypted',
        from: 'if (given.length > MAX_LENGTH)',
        to: 'if (given.length > 10 * MAX_LENGTH)',
      },
      {
        breaks: 'what is encrypted is encrypted once',
        from: "if (isEncrypted(jwt)) throw invalidObject('what is encrypted in it is encrypted once more');\n",
        to: '\n',
      },
    ],
  ),
  ...mutantsOf(
    'core/keys/decryption-keys.ts',
    ['rfc/rfc9101/encrypted-requests.test.ts'],
    [
      {
        breaks: 'a key decrypts what it is for alone',
        from: 'key.kid === kid && isKeyFor(key.algorithm, alg)',
        to: "key.kid === kid && alg !== ''",
      },
      {
        breaks: 'unknown keys are looked for once in a while',
        from: 'const REST = 5_000;',
        to: 'const REST = -1;',
      },
      {
        breaks: 'a key that another process has made is looked for',
        from: 'return among(await list(), kid, alg);',
        to: 'return undefined;',
      },
    ],
  ),
  ...mutantsOf(
    'core/keys/signing-keys.ts',
    ['rfc/rfc9101/encrypted-requests.test.ts'],
    [
      {
        breaks: 'a key to encrypt to is published when all processes have it, and not when it leaves',
        from: '      !isForEncryption(key.algorithm) ||\n',
        to: "      key.kid !== '' ||\n",
      },
    ],
  ),
  ...mutantsOf(
    'shared/crypto/key-material.ts',
    ['rfc/rfc9101/encrypted-requests.test.ts', 'keys/encryption-keys.test.ts'],
    [
      {
        breaks: 'a key that is encrypted to signs nothing (RFC 7517 §4.2)',
        from: "use: isForEncryption(algorithm) ? 'enc' : 'sig'",
        to: "use: isForEncryption(algorithm) ? 'sig' : 'sig'",
      },
      {
        breaks: 'a key of the host that signs is not encrypted to (RFC 7517 §4.2)',
        from: "if (use !== 'enc')",
        to: "if (use === 'none')",
      },
    ],
  ),
  ...mutantsOf(
    'settings/options/signing-key-options.ts',
    ['keys/encryption-keys.test.ts'],
    [
      {
        breaks: 'two keys of the host have two names',
        from: 'if (new Set(kids).size < kids.length)',
        to: 'if (new Set(kids).size < 0)',
      },
    ],
  ),
  ...mutantsOf(
    'features/response-modes/jwt.ts',
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
