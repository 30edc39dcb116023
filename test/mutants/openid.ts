import { type Mutant, mutantsOf } from './mutant.js';

/** Sign-ins by OpenID Connect. */
export const OPENID: readonly Mutant[] = [
  ...mutantsOf(
    'core/authorization/claim-scopes.ts',
    ['rfc/openid-core/single-claims.test.ts'],
    [
      {
        breaks: 'what the host takes away by a scope goes with its single claims (Core §5.5)',
        from: "...claimEntries.filter((entry) => left.includes(scopeOfEntry(entry) ?? '')),",
        to: '...claimEntries,',
      },
      {
        breaks: 'a scope that only stood for a claim before the host’s rules is not granted (Core §5.5)',
        from: 'scopes.includes(scope) || !forClaims.includes(scope)',
        to: 'requested.includes(scope)',
      },
      {
        breaks: 'a claim of a scope that can do harm is not ticked in advance',
        from: "rules.some(({ risk }) => risk === 'high') ? 'high' : 'normal'",
        to: "'normal'",
      },
    ],
  ),
  ...mutantsOf(
    'core/authorization/prompt.ts',
    ['authorization/prompt.test.ts'],
    [
      {
        breaks: 'a login makes no right request of one that contradicts itself (Core §3.1.2.1)',
        from: "if (values.includes('none')) return marked;",
        to: '',
      },
    ],
  ),
  ...mutantsOf(
    'core/authorization/authorize.ts',
    ['rfc/openid-core/single-claims.test.ts'],
    [
      {
        breaks: 'no token carries a single claim as a scope (Core §5.5)',
        from: 'scopes.filter((scope) => !isClaimEntry(scope))',
        to: 'scopes',
      },
    ],
  ),
  ...mutantsOf(
    'core/grants/revoke-scopes.ts',
    ['rfc/openid-core/single-claims.test.ts'],
    [
      {
        breaks: 'who takes a scope back takes the single claims that it names (Core §5.5)',
        from: 'lostScopesOf(withClaims(granted, implied), remaining, implied)',
        to: 'lostScopesOf(granted, remaining, implied)',
      },
    ],
  ),
  ...mutantsOf(
    'core/openid/subjects.ts',
    ['rfc/openid-core/pairwise.test.ts'],
    [
      {
        breaks: 'a pairwise subject is another one in each sector (Core §8.1)',
        from: 'JSON.stringify([purpose, sector, own])',
        to: 'JSON.stringify([purpose, own])',
      },
      {
        breaks: 'the id of a person is never told in the place of a pairwise subject (Core §8.1)',
        from: '    if (salt === undefined || sector === undefined)',
        to: '    if (salt === undefined) return own;\n    if (sector === undefined)',
      },
    ],
  ),
  ...mutantsOf(
    'core/clients/validation/sector-identifier.ts',
    ['rfc/openid-core/pairwise.test.ts'],
    [
      {
        breaks: 'no client is of the sector of a document that does not list it (Core §8.1)',
        from: 'if (missing !== undefined)',
        to: 'if (missing === uri)',
      },
      {
        breaks: 'a client of a sector has no redirect URIs that its document does not list',
        from: 'client.redirectUris.every((uri) => before.redirectUris.includes(uri))',
        to: 'client.redirectUris.length > 0',
      },
      {
        breaks: 'with several hosts a document is needed (Core §8.1)',
        from: 'isLoopbackHost(host) || others.length > 0 ?',
        to: 'isLoopbackHost(host) ?',
      },
      {
        breaks: 'loopback is no sector: each native app is there',
        from: 'isLoopbackHost(host) || others',
        to: 'others',
      },
    ],
  ),
  ...mutantsOf(
    'features/openid/logout-tokens.ts',
    ['rfc/openid-core/pairwise.test.ts'],
    [
      {
        breaks: 'logout tokens say who it is as ID tokens do (Back-Channel Logout §2.4)',
        from: 'sub: subjectOf(client, userId),',
        to: 'sub: userId,',
      },
      {
        breaks: 'no logout token says by its sid that two sites have the same visitor (Core §8.1)',
        from: 'sid: sidOf(client, sid),',
        to: 'sid,',
      },
    ],
  ),
  ...mutantsOf(
    'core/grants/tokens/access-tokens.ts',
    ['rfc/openid-core/pairwise.test.ts'],
    [
      {
        breaks: 'a client reads no id of a person in its JWTs that it may not know (Core §8.1)',
        from: 'sub: subject ?? clientId,',
        to: 'sub: plan.userId ?? clientId,',
      },
    ],
  ),
  ...mutantsOf(
    'core/openid/id-tokens.ts',
    ['rfc/openid-core/sign-in.test.ts'],
    [
      {
        breaks: 'a nonce comes back, so that an ID token is of this request (Core §2)',
        from: '...(nonce !== undefined && !isRefreshed && { nonce }),',
        to: '',
      },
      {
        breaks: 'at_hash binds the access token to the ID token (Core §3.1.3.6)',
        from: 'at_hash: halfHash(accessToken, algorithm)',
        to: 'at_hash: halfHash(accessToken.slice(1), algorithm)',
      },
      {
        breaks: 'at_hash is made by the hash of the signature (Core §3.1.3.6)',
        from: "algorithm === 'EdDSA' ? 'sha512' : 'sha256'",
        to: "algorithm === 'none' ? 'sha512' : 'sha256'",
      },
      {
        breaks: 'an ID token is for one client (Core §2)',
        from: '        aud: client.clientId,',
        to: "        aud: 'everybody',",
      },
    ],
  ),
  ...mutantsOf(
    'core/openid/id-token-hints.ts',
    ['rfc/openid-core/requests.test.ts'],
    [
      {
        breaks: 'an ID token of another client is no hint (Core §3.1.2.1)',
        from: 'if (claims?.audience === clientId) return',
        to: 'if (claims !== null) return',
      },
      {
        breaks: 'a hint that has expired says whom the client means (Core §3.1.2.1)',
        from: '    currentDate: new Date(0),\n',
        to: '',
      },
    ],
  ),
  ...mutantsOf(
    'core/authorization/login-checks.ts',
    ['rfc/openid-core/requests.test.ts'],
    [
      {
        breaks: 'somebody else than the hint is about is not signed in (Core §3.1.2.1)',
        from: "if (isOtherUser(context)) return 'otherUser';",
        to: '',
      },
      {
        breaks: 'a login that is too old is made again (Core §3.1.2.1)',
        from: 'return age <= (isLoginDone ? Math.max(maxAge, leeway) : maxAge)',
        to: 'return age >= 0',
      },
    ],
  ),
  ...mutantsOf(
    'core/openid/user-claims.ts',
    ['rfc/openid-core/claims.test.ts', 'rfc/openid-core/sign-in.test.ts'],
    [
      {
        breaks: 'what no scope names is not told (Core §5.4)',
        from: '  if (ofScopes.has(claim)) return true;',
        to: '  if (ofScopes.size > 0) return true;',
      },
      {
        breaks: 'the host does not say who it is in the place of the server (Core §2)',
        from: '  if (OWN_CLAIMS.has(claim)) return false;\n',
        to: '',
      },
    ],
  ),
  ...mutantsOf(
    'core/sessions/browser-state.ts',
    ['rfc/openid-session-management/session-management.test.ts'],
    [
      {
        breaks: "nobody's state cannot be guessed: pages of others would know whether somebody is logged in",
        from: '`~${createSecret()}`',
        to: "'~nobody'",
      },
      {
        breaks: 'after a logout the browser has another state (Session Management §3.2)',
        from: "known?.startsWith('~') === true ? known",
        to: 'known !== undefined ? known',
      },
    ],
  ),
  ...mutantsOf(
    'pages/login/local-login.ts',
    ['pages/signed-in-apps.test.ts'],
    [
      {
        breaks: 'whoever logs out is logged out here, also if clients cannot be told',
        from: '      // log out here in any case\n      await endLogin(req);',
        to: '',
      },
    ],
  ),
  ...mutantsOf(
    'storage/grants/revoke-steps.ts',
    ['pages/signed-in-apps.test.ts'],
    [
      {
        breaks: 'signing out at one app ends nothing of others',
        from: '...(clientId !== undefined && { clientId }),',
        to: '',
      },
    ],
  ),
  ...mutantsOf(
    'storage/grants/scope-steps.ts',
    ['rfc/openid-core/claims.test.ts'],
    [
      {
        breaks:
          'a claim of a scope that is taken back is told no more, whether its tokens have the scope or not',
        from: 'await narrow(CLAIM_SCOPES, SCOPES)',
        to: '0',
      },
      {
        breaks: 'a code of claims that were taken back is worth nothing',
        from: '$or: [{ [SCOPES]: names }, { [CLAIM_SCOPES]: names }],',
        to: '[SCOPES]: names,',
      },
    ],
  ),
  ...mutantsOf(
    'core/openid/claims-request.ts',
    ['rfc/openid-core/claims.test.ts'],
    [
      {
        breaks: 'what was allowed once is told as long as it is allowed',
        from: 'return claimsWithin(JSON.parse(claims) as ClaimsRequest, claimScopes, scopeClaims);',
        to: 'return claimScopes.length < 0 ? claimsWithin({ userinfo: {}, idToken: {} }, [], scopeClaims) : (JSON.parse(claims) as ClaimsRequest);',
      },
    ],
  ),
  ...mutantsOf(
    'core/authorization/authorize.ts',
    ['rfc/openid-core/requests.test.ts'],
    [
      {
        breaks:
          'the form of a later page passes nothing that the client wants to be done first (Core §3.1.2.1)',
        from: 'goesOn ? interactions.slice(0, index) : []',
        to: '[]',
      },
    ],
  ),
  ...mutantsOf(
    'features/pushed-requests/pushed.ts',
    ['rfc/openid-core/requests.test.ts'],
    [
      {
        breaks: 'whoever has logged in for a pushed request of a client with default_max_age has done that',
        from: 'parameters: withoutPrompts(pushed, before, true),',
        to: 'parameters: withoutPrompts(pushed, before),',
      },
    ],
  ),
  ...mutantsOf(
    'core/openid/id-tokens.ts',
    ['rfc/openid-core/pairwise.test.ts'],
    [
      {
        breaks: 'no ID token says by its sid that two sites have the same visitor (Core §8.1)',
        from: '{ sid: sidOf(client, sid) }',
        to: '{ sid }',
      },
    ],
  ),
  ...mutantsOf(
    'features/openid/logout-sender.ts',
    ['rfc/openid-backchannel/back-channel.test.ts'],
    [
      {
        breaks: 'a client whose logout token cannot be made holds nobody up, and is given up in the end',
        from: '    const token = await makeToken();\n',
        to: '    const token = await makeToken().catch(() => new Promise<string>(() => undefined));\n',
      },
    ],
  ),
  ...mutantsOf(
    'core/sessions/ended-login.ts',
    ['sessions/ended-login.test.ts', 'rfc/openid-core/login-time.test.ts'],
    [
      {
        breaks: 'a session that outlives its end is not taken for a new login (Core §2, auth_time)',
        from: 'ended === undefined || ended === nameOfSession(context.req)',
        to: 'ended === undefined',
      },
      {
        breaks: 'an old cookie that holds a session is not taken for a new login (Core §2, auth_time)',
        from: 'if (!isEndingFinal(context.req)) return undefined;\n  const [, at',
        to: 'const [, at',
      },
    ],
  ),
  ...mutantsOf(
    'core/sessions/recorded-logins.ts',
    ['rfc/openid-core/login-time.test.ts'],
    [
      {
        breaks: 'who is logged in already does not log in anew without a password (Core §2, auth_time)',
        from: 'isLoggedInAlready(settings, req, user) ? loginTimeOf(req) : Date.now()',
        to: 'isLoggedInAlready(settings, req, user) ? Date.now() : Date.now()',
      },
      {
        breaks: 'what leaves the session alone is no login of it (Core §2, auth_time)',
        from: "typeof done !== 'function' || (options as { session?: unknown }).session === false",
        to: "typeof done !== 'function'",
      },
    ],
  ),
  ...mutantsOf(
    'core/authorization/login-checks.ts',
    ['rfc/openid-core/login-time.test.ts'],
    [
      {
        breaks: 'a login of which nobody knows the time is not young enough for max_age (Core §3.1.2.1)',
        from: "isLoginDone && shortfall !== 'timeUnknown'",
        to: 'isLoginDone',
      },
    ],
  ),
  ...mutantsOf(
    'core/sessions/signed-cookies.ts',
    ['rfc/openid-backchannel/back-channel.test.ts'],
    [
      {
        breaks: "a session is nobody else's who logs in after it (Back-Channel Logout §2.1)",
        from: '`${purpose} ${JSON.stringify([text, userId])}`',
        to: '`${purpose} ${JSON.stringify([text, userId.length < 0])}`',
      },
    ],
  ),
  ...mutantsOf(
    'features/openid/openid-login-policy.ts',
    ['rfc/openid-backchannel/back-channel.test.ts'],
    [
      {
        breaks:
          'whoever logs in again has not logged out: the clients of the login before are told of the logout',
        from: '() => takeSid(settings, { req, res, userId })',
        to: '() => undefined',
      },
    ],
  ),
  ...mutantsOf(
    'features/openid/openid-login-policy.ts',
    ['rfc/openid-core/response-types.test.ts'],
    [
      {
        breaks: 'an ID token is given by the scope openid, and by nothing else (Core §3.1.2.1)',
        from: "const signsIn = requested.signsIn && allowed.includes('openid');",
        to: 'const signsIn = requested.signsIn;',
      },
    ],
  ),
  ...mutantsOf(
    'settings/features/openid-options.ts',
    ['rfc/openid-core/response-types.test.ts'],
    [
      {
        breaks: 'nobody leaves openid out, and is signed in all the same',
        from: '{ ...all, openid: { ...own, optional: false } }',
        to: '{ ...all, openid: own }',
      },
    ],
  ),
  ...mutantsOf(
    'core/authorization/prior-consent.ts',
    ['rfc/openid-core/claims.test.ts'],
    [
      {
        breaks: "nobody's absence is used without their consent, whoever vouches for the client (Core §11)",
        from: 'openid === false ? [] : request.scopes',
        to: 'openid !== undefined ? [] : request.scopes',
      },
    ],
  ),
  ...mutantsOf(
    'core/authorization/openid-request.ts',
    ['rfc/openid-core/claims.test.ts'],
    [
      {
        breaks: 'what both members of claims say of the sub counts (Core §3.1.2.2)',
        from: 'others.every((other) => other.includes(subject))',
        to: "others.length >= 0 || subject === ''",
      },
    ],
  ),
  ...mutantsOf(
    'core/client-authentication/assertion.ts',
    ['rfc/rfc7523/private-key-jwt.test.ts'],
    [
      {
        breaks: 'a client that is registered for one algorithm authenticates by that alone (Registration §2)',
        from: 'registered === undefined ? ofMethod',
        to: "registered !== '' ? ofMethod",
      },
    ],
  ),
  ...mutantsOf(
    'core/authorization/request-parameters.ts',
    ['rfc/openid-core/response-types.test.ts'],
    [
      {
        breaks:
          'a client that has registered for the code alone gets no ID token by way of the browser (Registration §2)',
        from: 'registered?.includes(responseType.responseType) === false',
        to: 'registered?.length === 0',
      },
    ],
  ),
  ...mutantsOf(
    'core/delivery/slow-receiver-throttle.ts',
    ['rfc/openid-backchannel/back-channel.test.ts'],
    [
      {
        breaks: 'a receiver that never answers holds up nobody else (Back-Channel Logout §2.5)',
        from: 'note.took >= LONG && note.isSending >= AT_ONCE',
        to: 'note.took < 0',
      },
    ],
  ),
];
