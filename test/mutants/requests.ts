import { type Mutant, mutantsOf } from './mutant.js';

const REDIRECTS = [
  'shared/protocol/redirect-uri.test.ts',
  'rfc/rfc6749/redirect-uri.test.ts',
  'rfc/rfc8252/loopback.test.ts',
];
const PKCE = ['rfc/rfc7636/code-challenge.test.ts', 'rfc/rfc7636/code-verifier.test.ts'];
const CONSENT = ['pages/consent.test.ts', 'rfc/rfc6749/consent.test.ts', 'authorization/decision.test.ts'];
const DISPLAYED = ['authorization/pending-decisions.test.ts', 'attacks/answers-to-another-question.test.ts'];
const WAY_BACK = ['attacks/way-back.test.ts', 'pages/resume.test.ts'];
const FORGERY = ['attacks/csrf-and-clickjacking.test.ts', 'attacks/answers-to-another-question.test.ts'];

/** Authorization requests: where answers go, what is asked, who has answered. */
export const REQUESTS: readonly Mutant[] = [
  ...mutantsOf(
    'server/endpoints/jwks.ts',
    ['endpoints/routers.test.ts'],
    [
      {
        breaks: 'no page below the path of an endpoint is for scripts of other sites (RFC 9700 §2.6)',
        from: "router.all('/', crossOrigin('GET'));",
        to: "router.use(crossOrigin('GET'));",
      },
    ],
  ),
  ...mutantsOf('shared/protocol/redirect-uri.ts', REDIRECTS, [
    {
      breaks: 'a redirect URI is compared as a whole (RFC 9700 §4.1.3)',
      from: 'if (registered.includes(requested)) return requested;',
      to: 'if (registered.some((uri) => requested.startsWith(uri))) return requested;',
      seenBy: ['attacks/redirects.test.ts'],
    },
    {
      breaks: 'a redirect URI is exactly a registered one, no beginning of it (RFC 6749 §3.1.2.3)',
      from: 'if (registered.includes(requested)) return requested;',
      to: 'if (registered.some((uri) => requested.startsWith(uri))) return requested;',
    },
    {
      breaks: 'a redirect URI is compared as text, case included (RFC 9700 §2.1)',
      from: 'if (registered.includes(requested)) return requested;',
      to: 'if (registered.some((uri) => uri.toLowerCase() === requested.toLowerCase())) return requested;',
    },
    {
      breaks: 'the port is free on loopback only (RFC 8252 §7.3)',
      from: "!isLoopbackHost(match[2] ?? '')",
      to: "match[2] === ''",
    },
    {
      breaks: 'the path of a loopback URI is compared (RFC 8252 §7.3)',
      from: "return `${match[1]}${match[4] ?? ''}`;",
      to: 'return match[1];',
    },
    {
      breaks: 'no scheme that runs code or reads files is registered (RFC 6749 §3.1.2.1)',
      from: 'if (FORBIDDEN_SCHEMES.has(protocol))',
      to: "if (protocol === 'about:')",
      seenBy: [...REDIRECTS, 'properties/uris.test.ts'],
    },
    {
      breaks: 'a redirect URI has no fragment (RFC 6749 §3.1.2)',
      from: "if (value.includes('#'))",
      to: "if (value.endsWith('##'))",
    },
    {
      breaks: 'http: is for loopback only (RFC 8252 §7.3)',
      from: 'if (allowsInsecureHttp || isLoopbackHost(hostname)) return undefined;',
      to: "if (allowsInsecureHttp || hostname !== '') return undefined;",
    },
    {
      breaks: 'the query of a redirect URI has no parameter of the response (RFC 6749 §3.1)',
      from: 'return findSchemeProblem(url, rules) ?? findQueryProblem(url);',
      to: 'return findSchemeProblem(url, rules);',
    },
    {
      breaks: 'no user name stands before the host (RFC 3986 §7.6)',
      from: "if (url.username !== '' || url.password !== '')",
      to: "if (url.username === 'nobody')",
    },
  ]),
  ...mutantsOf(
    'shared/protocol/written-authority.ts',
    ['shared/protocol/redirect-uri.test.ts', 'properties/uris.test.ts'],
    [
      {
        breaks: 'the text of a URI names the host that browsers go to (RFC 3986 §3.2)',
        from: 'if (authority === undefined || !URL.canParse(value)) return false;',
        to: 'if (authority === undefined || !URL.canParse(value)) return true;',
      },
    ],
  ),
  ...mutantsOf('shared/protocol/pkce.ts', PKCE, [
    {
      breaks: 'a code with a challenge needs its verifier (RFC 7636 §4.6)',
      from: "if (verifier === undefined) return 'code_verifier missing';",
      to: 'if (verifier === undefined) return undefined;',
    },
    {
      breaks: 'the verifier is compared with the challenge (RFC 7636 §4.6)',
      from: "return equalText(challengeOf(verifier), challenge) ? undefined : 'code_verifier mismatch';",
      to: "return verifier !== '' || equalText(challengeOf(verifier), challenge) ? undefined : 'code_verifier mismatch';",
    },
    {
      breaks: 'no verifier where there was no challenge: a downgrade (RFC 9700 §2.1.1)',
      from: 'return verifier === undefined\n      ? undefined',
      to: "return verifier !== ''\n      ? undefined",
    },
    {
      breaks: 'plain is refused (RFC 9700 §2.1.1)',
      from: "if (method !== 'S256')",
      to: "if (method !== 'S256' && method !== 'plain')",
    },
    {
      breaks: 'a public client must send a challenge (RFC 9700 §2.1.1)',
      from: "return pkce === 'all' || (pkce === 'public' && clientType === 'public');",
      to: "return pkce === 'all' || (pkce === 'public' && clientType === 'confidential');",
    },
  ]),
  ...mutantsOf(
    'shared/protocol/resource.ts',
    ['shared/protocol/resource.test.ts', 'rfc/rfc8707/resource-indicators.test.ts'],
    [
      {
        breaks: 'a token is for a resource that was granted (RFC 8707 §2.2)',
        from: 'if (!isSubset(requested, granted))',
        to: 'if (!isSubset(requested, granted) && granted.length === 0)',
      },
      {
        breaks: 'a token is for one resource (RFC 8707 §3)',
        from: 'if (more.length > 0)\n    throw',
        to: 'if (more.length > 9)\n    throw',
      },
      {
        breaks: 'a consent counts at the resources it was given for (RFC 8707 §2.1)',
        from: "if (resources.length === 0) return consented.filter((entry) => !entry.includes(' '));",
        to: "if (resources.length === 0) return consented.map((entry) => entry.split(' ')[0] ?? '');",
        seenBy: [
          'shared/protocol/resource.test.ts',
          'rfc/rfc8707/resource-indicators.test.ts',
          'pages/consent.test.ts',
        ],
      },
    ],
  ),
  ...mutantsOf(
    'core/authorization/request-target.ts',
    [...REDIRECTS, 'rfc/rfc6749/authorization-endpoint.test.ts'],
    [
      {
        breaks: 'nobody is sent to a redirect URI that is not registered (RFC 6749 §3.1.2.4)',
        from: 'findRegisteredRedirectUri(requested, client.redirectUris) === undefined)',
        to: 'findRegisteredRedirectUri(requested, client.redirectUris) === null)',
      },
    ],
  ),
  ...mutantsOf(
    'core/authorization/request-parameters.ts',
    [
      'rfc/rfc6749/authorization-response.test.ts',
      'rfc/rfc6749/implicit.test.ts',
      'rfc/rfc6749/authorization-endpoint.test.ts',
    ],
    [
      {
        breaks: 'a client gets codes if it is registered for that (RFC 6749 §4.1.2.1)',
        from: '!grantTypes.includes(responseType.grantType) ||',
        to: '',
      },
    ],
  ),
  ...mutantsOf('core/authorization/store-consent.ts', CONSENT, [
    {
      breaks: 'a denial takes back what was allowed before (RFC 6749 §1.1)',
      from: 'if (!isStored) return consents.withdraw(userId, clientId, { requested, ...details, now });',
      to: 'if (!isStored) return;',
    },
  ]),
  ...mutantsOf(
    'core/authorization/authorize.ts',
    ['attacks/open-redirector.test.ts', 'rfc/rfc9207/iss.test.ts'],
    [
      {
        breaks: 'who is not logged in is not sent to a client with an error (RFC 9700 §4.11.2)',
        from: "if (request.kind === 'refused' && !request.isSilent && resourceOwnerOf(settings, req) === undefined)",
        to: "if (request.kind === 'refused' && request.isSilent && resourceOwnerOf(settings, req) === undefined)",
      },
      {
        breaks: 'each answer says whose it is: mix-up (RFC 9207 §2)',
        from: '      iss: settings.issuer,\n',
        to: '      iss: reported ? undefined : settings.issuer,\n',
      },
      {
        breaks: 'the answer of one person is not taken for that of the next (RFC 6749 §10.12)',
        from: '    userId: String(userId),',
        to: "    userId: '',",
        seenBy: [...DISPLAYED, 'authorization/answer-to-a-form.test.ts'],
      },
    ],
  ),
  ...mutantsOf('storage/grants/consents.ts', CONSENT, [
    {
      breaks: 'what is unticked is not remembered any more (RFC 6749 §3.3)',
      from: 'allowed.length < requested.length &&',
      to: 'allowed.length > requested.length &&',
    },
    {
      breaks: 'a denial takes out what was asked for (RFC 6749 §1.1)',
      from: 'await replace(of, { requested, allowed: [], now, ...beside })',
      to: 'await replace(of, { requested: [], allowed: [], now, ...beside })',
    },
    {
      breaks: 'a consent is for one client (RFC 6749 §10.2)',
      from: 'const consent = await consents.findOne({ userId, clientId }, { scopes: 1 });',
      to: 'const consent = await consents.findOne({ userId }, { scopes: 1 });',
      seenBy: [...CONSENT, 'rfc/rfc9700/client-ids.test.ts'],
    },
    {
      breaks: 'a consent is one person’s (RFC 6749 §10.2)',
      from: 'const consent = await consents.findOne({ userId, clientId }, { scopes: 1 });',
      to: 'const consent = await consents.findOne({ clientId }, { scopes: 1 });',
      seenBy: [...CONSENT, 'attacks/answers-to-another-question.test.ts', 'attacks/wrong-ids.test.ts'],
    },
  ]),
  ...mutantsOf('core/authorization/decision.ts', CONSENT, [
    {
      breaks: 'a form allows no scope that was not asked for (RFC 6749 §3.3)',
      from: 'const chosen = requested.filter((scope) => !isOptionalScope(settings, scope) || ticked.includes(scope));',
      to: 'const chosen = [...requested, ...ticked].filter((scope) => !isOptionalScope(settings, scope) || ticked.includes(scope));\n  return { decision, scopes: chosen };',
    },
    {
      breaks: 'what is not ticked is not granted (RFC 6749 §3.3)',
      from: '!isOptionalScope(settings, scope) || ticked.includes(scope));',
      to: '!isOptionalScope(settings, scope) || ticked.length > 0);',
    },
  ]),
  ...mutantsOf('core/authorization/pending-decisions.ts', DISPLAYED, [
    {
      breaks: 'what is granted is what was shown (RFC 6749 §10.2)',
      from: "return stored.shown === digest ? stored.outcome : 'outOfDate';",
      to: 'return stored.outcome;',
    },
  ]),
  ...mutantsOf(
    'core/sessions/session-flash.ts',
    [...DISPLAYED, 'sessions/session-flash.test.ts'],
    [
      {
        breaks: 'a decision, and what was typed, is one person’s (RFC 6749 §10.12)',
        from: 'return found?.userId === userId ? found.value : undefined;',
        to: 'return found?.value;',
      },
      {
        breaks: 'a decision counts once (RFC 6749 §10.12)',
        from: 'const left = live.filter((entry) => entry !== found);',
        to: 'const left = live;',
      },
      {
        breaks: 'a decision does not wait for ever',
        from: '(entry?.expiresAt ?? 0) > now.getTime()',
        to: '(entry?.expiresAt ?? 0) > 0',
      },
      {
        breaks: 'what is typed does not fill the store of sessions',
        from: 'if (Buffer.byteLength(JSON.stringify(value)) > limit) return false;',
        to: '',
        seenBy: ['sessions/session-flash.test.ts', 'pages/refused-forms.test.ts'],
      },
      {
        breaks: 'what is typed fits in a session that is a cookie',
        from: 'isInCookie ? Math.min(maxBytes, COOKIE_BYTES) : maxBytes',
        to: 'maxBytes',
      },
    ],
  ),
  ...mutantsOf(
    'pages/applications/application-authentication.ts',
    ['pages/refused-forms.test.ts'],
    [
      {
        breaks: 'a private key that was pasted is not kept in a session',
        from: 'return jwks === undefined ? undefined : { ...values, jwks };',
        to: 'return jwks === undefined ? undefined : values;',
      },
      {
        breaks: 'what may be a private key is not kept in a session',
        from: 'return jwks === undefined ? undefined : { ...values, jwks };',
        to: 'return { ...values, jwks: jwks ?? values.jwks };',
      },
    ],
  ),
  ...mutantsOf(
    'pages/consent/consent-interaction.ts',
    [...DISPLAYED, ...FORGERY, ...CONSENT],
    [
      {
        breaks: 'a form of the consent page is of this session and this person (RFC 6749 §10.12)',
        from: "if (!hasCsrfToken(req, userId)) return { kind: 'untrusted' };",
        to: '',
      },
    ],
  ),
  ...mutantsOf(
    'core/authorization/prior-consent.ts',
    [...DISPLAYED, ...FORGERY, ...CONSENT],
    [
      {
        breaks: 'what was never allowed is asked for (RFC 6749 §10.2)',
        from: 'if (!isSubset(scopes, allowed))',
        to: 'if (stored.scopes.length === 0)',
      },
      {
        breaks: 'who cannot be proven to be the client is not answered silently (RFC 8252 §8.6)',
        from: "request.prompt.has('consent') || !isClientProven(request);",
        to: "request.prompt.has('consent');",
        seenBy: [
          'rfc/rfc6749/consent.test.ts',
          'rfc/rfc8252/loopback.test.ts',
          'rfc/rfc9700/client-ids.test.ts',
        ],
      },
    ],
  ),
  ...mutantsOf(
    'pages/account/account-interaction.ts',
    [...FORGERY, 'authorization/prompt.test.ts'],
    [
      {
        breaks: 'no other site logs a person out (RFC 6749 §10.12)',
        from: "if (!hasCsrfToken(req, userId)) return { kind: 'untrusted' };",
        to: '',
      },
      {
        breaks: 'a client that wants a new login does not get the old one (OpenID Connect Core §3.1.2.1)',
        from: "if (account === 'continue' && !request.prompt.has('login') && !loginPolicy.needsAgain(context))",
        to: "if (account === 'continue' && !loginPolicy.needsAgain(context))",
      },
    ],
  ),
  ...mutantsOf('core/http/csrf.ts', FORGERY, [
    {
      breaks: 'a form is of this session (RFC 6749 §10.12)',
      from: 'return tokens.verify(secret, token, userId',
      to: "return token !== '' || tokens.verify(secret, token, userId",
    },
    {
      breaks: 'a form is of this person (RFC 6749 §10.12)',
      from: 'return `person ${userId}`;',
      to: 'return `person ${typeof userId}`;',
    },
  ]),
  ...mutantsOf(
    'core/http/secure-transport.ts',
    ['attacks/transport.test.ts', 'rfc/rfc6749/transport.test.ts'],
    [
      {
        breaks: 'a site that the world sees takes no plain HTTP from loopback (RFC 6749 §3.2)',
        from: '(!isPublic && isLocal(req))) return next();',
        to: 'isLocal(req)) return next();',
      },
      {
        breaks: 'the bundled login of a site with a secure session cookie takes no plain HTTP from loopback',
        from: 'issuer === undefined ? hasSecureCookie(req) : isPublicIssuer;',
        to: 'isPublicIssuer;',
      },
      {
        breaks: 'what a proxy forwards does not come from this machine (RFC 6749 §3.2)',
        from: 'return isLoopbackAddress && !isForwarded && isLoopbackHost(hostnameOf(req));',
        to: 'return isLoopbackAddress && isLoopbackHost(hostnameOf(req));',
      },
    ],
  ),
  ...mutantsOf('core/sessions/return-to.ts', WAY_BACK, [
    {
      breaks: 'the way back leads to a page of this server alone (RFC 9700 §4.11)',
      from: 'return isPageOfOwn(settings, path) ? path : undefined;',
      to: 'return path;',
    },
    {
      breaks: 'dots in the way back lead nowhere else (RFC 9700 §4.11)',
      from: "return path.split('?')[0] === pathname && isPagePath(settings, pathname);",
      to: "return isPagePath(settings, path.split('?')[0]!);",
    },
    {
      breaks: 'the way back ends in ten minutes, whatever the browser keeps',
      from: 'if (path === undefined || !(left > 0 && left <= LIFE + SKEW)) return undefined;',
      to: 'if (path === undefined) return undefined;',
    },
    {
      breaks: 'of two ways back neither counts: one has been planted',
      from: 'values.length === 1 ?',
      to: 'values.length > 0 ?',
    },
    {
      breaks: 'no sibling domain plants a way back (RFC 6265bis §4.1.3.2)',
      from: "issuer.startsWith('https:') ? '__Host-oauth-way-back' : 'oauth-way-back';",
      to: "issuer === '' ? '' : 'oauth-way-back';",
    },
    {
      breaks: 'a page of another site begins no login by what it loads',
      from: "if (!settings.advanced.resumeAfterLogin || destination !== 'document') return undefined;",
      to: 'if (!settings.advanced.resumeAfterLogin || destination === undefined) return;',
    },
    {
      breaks: 'the way back is used once',
      from: 'if (hasReturnTo(settings, req)) res.clearCookie(nameOf(settings), attributesOf(settings));',
      to: 'if (hasReturnTo(settings, req)) res.locals.left = true;',
    },
  ]),
  ...mutantsOf(
    'pages/login/waiting-request.ts',
    ['pages/login-page.test.ts'],
    [
      {
        breaks: 'the policy of a login page is widened by a registered redirect URI alone (RFC 9700 §4.11)',
        from: 'return await resolveRequest(query, forVisitor(resolveDependencies), new Date());',
        to: 'return { ...(await resolveRequest(query, forVisitor(resolveDependencies), new Date())), redirectUri: String(query.redirect_uri) };',
      },
      {
        breaks: 'what waits for a login is a request of this server',
        from: "path.split('?')[0] === authorize && safeReturnPath(path, '') !== ''",
        to: 'path.includes(authorize)',
      },
    ],
  ),
  ...mutantsOf(
    'pages/login/login-page.ts',
    ['http/form-action.test.ts'],
    [
      {
        breaks: 'a page whose policy forbids every form goes on forbidding it',
        from: `source.toLowerCase() === "'none'"`,
        to: `source.toLowerCase() === "'nobody'"`,
      },
    ],
  ),
  ...mutantsOf(
    'core/sessions/login-session.ts',
    ['sessions/login-session.test.ts'],
    [
      {
        breaks: 'with Passport before 0.6 a session from before the login is worthless (session fixation)',
        from: 'if (isEarlier(req)) await renewSession(req);',
        to: '',
      },
    ],
  ),
  ...mutantsOf('core/sessions/resource-owner.ts', WAY_BACK, [
    {
      breaks: 'who has not shown the second factor is not logged in',
      from: 'user !== null && isLoggedIn(req) === true ? user : undefined;',
      to: 'user !== null ? user : undefined;',
    },
    {
      breaks: 'a promise that a login is done is none',
      from: 'isLoggedIn(req) === true ?',
      to: 'isLoggedIn(req) ?',
    },
  ]),
  ...mutantsOf(
    'core/sessions/return-path.ts',
    ['attacks/open-redirector.test.ts', 'pages/local-login.test.ts'],
    [
      {
        breaks: 'the way back from the login stays on this site (RFC 9700 §4.11)',
        from: String.raw`!/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(value)) return fallback;`,
        to: String.raw`!/^\/(?![\\])[\x21-\x5b\x5d-\x7e]*$/.test(value)) return fallback;`,
        lives: 'what begins with two slashes names another origin, which the last line sees as well',
      },
      {
        breaks: 'what dots make of the way back stays on this site (RFC 9700 §4.11)',
        from: "return url.origin === SOMEWHERE && !url.pathname.startsWith('//') ? value : fallback;",
        to: 'return url.origin === SOMEWHERE ? value : fallback;',
      },
    ],
  ),
];
