import { type Mutant, mutantsOf } from './mutant.js';

const SECURITY = ['rfc/fapi2-security-profile/security-profile.test.ts'];
const OPENID = ['rfc/fapi2-security-profile/with-openid.test.ts'];
const SIGNING = ['rfc/fapi2-message-signing/message-signing.test.ts'];

/** Sites and clients that are held to FAPI 2.0. */
export const PROFILES: readonly Mutant[] = [
  ...mutantsOf(
    'core/guard/introspection-credentials.ts',
    ['rfc/fapi2-security-profile/resource-server.test.ts'],
    [
      {
        breaks:
          'what a resource server says who it is by is for the issuer (FAPI 2.0 Security Profile §5.3.2.1-8)',
        from: 'aud: issuer,',
        to: 'aud: clientId,',
      },
    ],
  ),
  ...mutantsOf('core/clients/fapi-profile.ts', SECURITY, [
    {
      breaks: 'a single client is held to its profile',
      from: 'return settings.profile !== undefined || client.profile !== undefined;',
      to: 'return settings.profile !== undefined;',
    },
    {
      breaks: 'clients of a profile sign by few algorithms (FAPI 2.0 Security Profile §5.4.1)',
      from: '? PROFILE_ALGORITHMS : SIGNATURE_ALGORITHMS',
      to: '? SIGNATURE_ALGORITHMS : SIGNATURE_ALGORITHMS',
    },
  ]),
  ...mutantsOf('core/clients/fapi-profile.ts', OPENID, [
    {
      breaks:
        'ID tokens and answers of a profile are not signed by RS256 (FAPI 2.0 Security Profile §5.4.1-1)',
      from: "(requiresFapi(settings, client) ? defaultAlgorithmOf(settings) : 'RS256')",
      to: "'RS256'",
    },
    {
      breaks: 'those of others are signed by RS256 (OpenID Connect Registration §2)',
      from: "(requiresFapi(settings, client) ? defaultAlgorithmOf(settings) : 'RS256')",
      to: 'defaultAlgorithmOf(settings)',
    },
  ]),
  ...mutantsOf('core/clients/client-checks.ts', OPENID, [
    {
      breaks: 'no client of a profile asks for RS256 (FAPI 2.0 Security Profile §5.4.1-1)',
      from: 'name !== undefined && !PROFILE_ALGORITHMS.includes(name)',
      to: 'name === undefined',
    },
  ]),
  ...mutantsOf('settings/features/profile-options.ts', OPENID, [
    {
      breaks: 'the usual algorithm has to be one of the profile (FAPI 2.0 Security Profile §5.4.1-1)',
      from: 'const algorithms = () => [defaultAlgorithmOf(settings)];',
      to: 'const algorithms = () => [];',
    },
  ]),
  ...mutantsOf('core/grants/tokens/token-issuer.ts', SECURITY, [
    {
      breaks: 'every token of a profile is bound (FAPI 2.0 Security Profile §5.3.2.1-4)',
      from: '(proof === undefined && requiresFapi(settings, client)) ||',
      to: '(proof === null && requiresFapi(settings, client)) ||',
    },
  ]),
  ...mutantsOf('core/guard/token-checks.ts', SECURITY, [
    {
      breaks: 'the guards of a profile take bound tokens alone (FAPI 2.0 Security Profile §5.3.4-5)',
      from: "return profile === undefined ? [] : ['jkt', 'x5t#S256'];",
      to: 'return profile === undefined ? [] : [];',
    },
  ]),
  ...mutantsOf('core/client-authentication/verify-assertion.ts', SECURITY, [
    {
      breaks: 'an assertion of a profile is for the issuer, as text (FAPI 2.0 Security Profile §5.3.2.1-8)',
      from: '    if (keys.isForIssuer === true) checkIssuer(claims, issuer);\n',
      to: '',
    },
  ]),
  ...mutantsOf('server/create-client-authentication.ts', SECURITY, [
    {
      breaks: 'no secret lets a client of a profile in (FAPI 2.0 Security Profile §5.3.2.1-6)',
      from: '(settings.profile === undefined || PROFILE_METHODS.includes(name))',
      to: "(settings.profile === undefined || name !== '')",
    },
  ]),
  ...mutantsOf('core/grant-types/authorization-code.ts', SECURITY, [
    {
      breaks:
        'a code of a profile is good once, however soon it comes again (FAPI 2.0 Security Profile §5.3.2.2-9)',
      from: '(requiresFapi(settings, client) ? 0 : settings.tokens.reuseGrace)',
      to: '(requiresFapi({ profile: undefined }) ? 0 : settings.tokens.reuseGrace)',
    },
  ]),
  ...mutantsOf(
    'core/clients/client-checks.ts',
    ['grants/stable-refresh-tokens.test.ts'],
    [
      {
        breaks:
          'a public client without a key is not registered to keep its refresh token (RFC 9700 §4.14.2)',
        from: "if (type === 'confidential' || dpopBoundAccessTokens === true) return [];",
        to: "if (type !== 'confidential' || dpopBoundAccessTokens === true) return [];",
      },
    ],
  ),
  ...mutantsOf('core/grant-types/refresh-token.ts', SECURITY, [
    {
      breaks: 'refresh tokens of a profile stay as they are (FAPI 2.0 Security Profile §5.3.2.1-9)',
      from: ': token.family !== undefined && isConfidential && requiresFapi(settings, client);',
      to: ': token.family === null && requiresFapi(settings, client);',
    },
    {
      breaks: 'a public client keeps a refresh token only if it is bound to its key (RFC 9700 §4.14.2)',
      from: '? isConfidential || current.jkt !== undefined',
      to: '? isConfidential || current !== null',
      seenBy: ['grants/stable-refresh-tokens.test.ts'],
    },
  ]),
  ...mutantsOf('core/authorization/response-types/code.ts', SECURITY, [
    {
      breaks: 'a code of a profile lives a minute (FAPI 2.0 Security Profile §5.3.2.1-11)',
      from: 'requiresFapi(settings, client) ? Math.min(ttl, PROFILE_LIMITS.codeTtl) : ttl',
      to: 'requiresFapi(settings, client) ? Math.max(ttl, PROFILE_LIMITS.codeTtl) : ttl',
    },
  ]),
  ...mutantsOf('server/resolve-dependencies.ts', SECURITY, [
    {
      breaks: 'requests of a profile are pushed (FAPI 2.0 Security Profile §5.3.2.2-3)',
      from: 'requiresFapi(settings, client) || isPushingRequired(client)',
      to: 'isPushingRequired(client)',
    },
    {
      breaks:
        'they have to be, even where none can be pushed any more (FAPI 2.0 Security Profile §5.3.2.2-3)',
      from: 'requiresFapi(settings, client) || isPushingRequired(client)',
      to: '(settings.pushedRequests !== false && requiresFapi(settings, client)) || isPushingRequired(client)',
    },
  ]),
  ...mutantsOf('server/resolve-dependencies.ts', SIGNING, [
    {
      breaks:
        'requests have to be signed, even where none can be any more (FAPI 2.0 Message Signing §5.3.1-1)',
      from: 'requiresMessageSigning(settings, client) || isSigningRequired(client)',
      to: '(settings.signedRequests !== false && requiresMessageSigning(settings, client)) || isSigningRequired(client)',
    },
  ]),
  ...mutantsOf('core/authorization/request-parameters.ts', SECURITY, [
    {
      breaks: 'requests of a profile have PKCE (FAPI 2.0 Security Profile §5.3.2.2-5)',
      from: 'if (params.code_challenge === undefined)',
      to: "if (params.code_challenge === '')",
    },
    {
      breaks: 'requests of a profile name their redirect URI (FAPI 2.0 Security Profile §5.3.2.2-6)',
      from: 'if (!isRedirectUriRequested)',
      to: 'if (isRedirectUriRequested === undefined)',
    },
  ]),
  ...mutantsOf('core/authorization/request-parameters.ts', SIGNING, [
    {
      breaks: 'answers of message signing are signed (FAPI 2.0 Message Signing §5.4.1-1)',
      from: 'responseMode.isSigned !== true)',
      to: 'responseMode === undefined)',
    },
  ]),
  ...mutantsOf('features/signed-requests/request-object.ts', SIGNING, [
    {
      breaks: 'request objects of message signing have an nbf (FAPI 2.0 Message Signing §5.3.1-3)',
      from: "if (nbf === undefined) throw invalidObject('it has no nbf');",
      to: 'if (nbf === undefined) return;',
    },
  ]),
];
