import { type Mutant, mutantsOf } from './mutant.js';

/** Migration: nothing that was ended, bound or guessable gets in through it. */
export const MIGRATION: readonly Mutant[] = [
  ...mutantsOf(
    'core/client-authentication/verify-secret.ts',
    ['cli/migrated-secrets.test.ts'],
    [
      {
        breaks: 'only a secret that was taken over may come as it is (RFC 6749 §2.3.1)',
        from: 'possible.filter(({ isRawInBasic }) => isRawInBasic === true)',
        to: 'possible.filter(({ isRawInBasic }) => isRawInBasic !== null)',
      },
      {
        breaks: 'the old reading ends with the right one',
        from: "endsRawBasic: rawSecret !== '' && encoded.isRawInBasic === true",
        to: 'endsRawBasic: encoded.isRawInBasic === undefined',
      },
      {
        breaks: 'a public client has no secret, whichever way it is read (RFC 6749 §2.1)',
        from: "return clientSecret === '' && rawSecret === '';",
        to: "return clientSecret === '';",
      },
    ],
  ),
  ...mutantsOf(
    'server/create-tokens.ts',
    ['cli/migrate.test.ts'],
    [
      {
        breaks: 'tokens of another server are honoured if the host says so, and not otherwise',
        from: 'settings.tokens.migrated ? models.migrated : undefined',
        to: 'models.migrated',
      },
    ],
  ),
  ...mutantsOf(
    'cli/migrate/take-tokens.ts',
    ['cli/migrate.test.ts'],
    [
      {
        breaks: 'what was ended here does not come back with a second run',
        from: 'const isNew = !taken.has(hash);',
        to: 'const isNew = true as boolean;',
      },
    ],
  ),
  ...mutantsOf(
    'cli/migrate/sources/oidc-provider.ts',
    ['cli/migrate-sources.test.ts'],
    [
      {
        breaks: 'a token that is bound to a key is not honoured without it (RFC 9449 §7, RFC 8705 §3)',
        from: "if (read('boundTo') !== undefined)",
        to: "if (read('boundTo') === null)",
      },
      {
        breaks: 'a refresh token that was used at the old server is used here, too (RFC 9700 §4.14.2)',
        from: "if (read('consumed') !== undefined)",
        to: "if (read('consumed') === null)",
      },
      {
        breaks: 'a token ends with the login that it was to end with',
        from: "return endsWithSession && (await isGone('sessions', sessionUid))",
        to: "return endsWithSession && (await isGone('nowhere', sessionUid))",
      },
    ],
  ),
  ...mutantsOf(
    'cli/migrate/tokens.ts',
    ['cli/migrate-sources.test.ts'],
    [
      {
        breaks: 'a hash of a token cannot be turned back by trying (RFC 6749 §10.10)',
        from: 'if (value.length < MIN_LENGTH)',
        to: 'if (value.length < 1)',
      },
      {
        breaks: 'a public client has no token of its own (RFC 6749 §4.4)',
        from: "if (type === 'public')",
        to: "if (type !== 'public' && type !== 'confidential')",
      },
      {
        breaks: 'an expired token stays expired',
        from: 'if (expiresAt <= now)',
        to: 'if (expiresAt.getTime() === 0)',
      },
    ],
  ),
  ...mutantsOf(
    'cli/migrate/secrets.ts',
    ['cli/migrate-clients.test.ts'],
    [
      {
        breaks: 'a secret that can be guessed is taken only if the host says so (RFC 6749 §10.10)',
        from: "if (options.shortSecrets === 'refuse')",
        to: "if (options.shortSecrets !== 'refuse' && options.shortSecrets !== 'take')",
      },
      {
        breaks: 'a stored hash is no secret: whoever has read the old database does not get in by it',
        from: 'if (isMarkedHash(value))',
        to: "if (isMarkedHash(value) && value === '')",
      },
    ],
  ),
  ...mutantsOf(
    'cli/migrate/redirect-uris.ts',
    ['cli/migrate-clients.test.ts'],
    [
      {
        breaks: 'a redirect URI without TLS is taken only if the host says so (RFC 6749 §3.1.2.1)',
        from: "if (reason === 'uriHttp') return { decision: httpRedirects,",
        to: "if (reason === 'uriHttp') return { decision: httpRedirects === 'refuse' ? 'take' : httpRedirects,",
      },
      {
        breaks: 'no parameter of the response is there before (RFC 6749 §3.1)',
        from: 'findRedirectUriProblem(uri, WIDEST) ?? ',
        to: '',
      },
    ],
  ),
];
