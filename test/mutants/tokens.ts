import { type Mutant, mutantsOf } from './mutant.js';

const GUARD = [
  'rfc/rfc6749/resource-server.test.ts',
  'rfc/rfc6750/tokens.test.ts',
  'rfc/rfc6750/authorization-header.test.ts',
  'rfc/rfc6750/body-and-query.test.ts',
  'rfc/rfc8707/resource-indicators.test.ts',
];
const EXISTING_ROUTES = ['guard/existing-routes.test.ts'];
const BEARER_GUARD = [
  'rfc/rfc9068/resource-server.test.ts',
  'rfc/rfc8414/resource-server.test.ts',
  'guard/bearer-guard.test.ts',
  'attacks/jwt-headers.test.ts',
];
const JWTS = [
  'rfc/rfc9068/jwt-access-token.test.ts',
  'attacks/jwt-headers.test.ts',
  'attacks/token-confusion.test.ts',
];
const ASKING = ['guard/asking.test.ts', 'guard/bearer-guard.test.ts', 'attacks/token-confusion.test.ts'];

/** Access tokens: who is let in with which one, and who is told of it. */
export const TOKENS: readonly Mutant[] = [
  ...mutantsOf('core/guard/token-checks.ts', GUARD, [
    {
      breaks: 'a route needs all of its scopes (RFC 6750 §3.1)',
      from: '(any ? scopes.some(has) : scopes.every(has))) return;',
      to: '(any ? scopes.some(has) : scopes.some(has))) return;',
    },
    {
      breaks: 'one of the scopes is enough, none is not (RFC 6750 §3.1)',
      from: '(any ? scopes.some(has) : scopes.every(has))) return;',
      to: '(any || scopes.every(has))) return;',
      seenBy: ['rfc/rfc6750/challenge.test.ts', 'guard/bearer-guard.test.ts', ...GUARD],
    },
  ]),
  ...mutantsOf('core/guard/admission.ts', GUARD, [
    {
      breaks: 'a token for one resource is not one for another (RFC 8707 §3)',
      from: '    createResourceCheck(resource, issuer),\n',
      to: '',
    },
    {
      breaks: 'a route about a person’s data takes a person’s token',
      from: '    createUserCheck(route),\n',
      to: '',
      seenBy: [
        'rfc/rfc6749/resource-server.test.ts',
        'attacks/wrong-ids.test.ts',
        'rfc/rfc6749/client-credentials.test.ts',
        'rfc/rfc6750/tokens.test.ts',
        'attacks/client-impersonating-person.test.ts',
        'pages/applications-choices.test.ts',
      ],
    },
    {
      breaks: 'a route needs a token (RFC 6750 §3.1)',
      from: 'if (credentials === undefined && !route.optional) throw new MissingToken();',
      to: '',
    },
    {
      breaks: 'who is there no more is let in nowhere',
      from: 'if (user === undefined || user === null || user === false)',
      to: 'if (user === undefined)',
      seenBy: EXISTING_ROUTES,
    },
    {
      breaks: 'a token of ours is looked at by nobody else',
      from: 'if (!isJwt(token)) return hasOwnTokenPrefix(token);',
      to: 'if (!isJwt(token)) return false;',
      seenBy: EXISTING_ROUTES,
    },
  ]),
  ...mutantsOf('core/guard/parse-route-options.ts', EXISTING_ROUTES, [
    {
      breaks: 'a route about a person takes no token that a client has for itself',
      from: 'requireUser: options.requireUser || user',
      to: 'requireUser: options.requireUser',
    },
  ]),
  ...mutantsOf('core/guard/guard.ts', GUARD, [
    {
      breaks: 'req.auth of other middleware is none of ours',
      from: 'delete req.auth;\n    let admitted',
      to: 'let admitted',
      seenBy: ['attacks/host-values.test.ts', ...GUARD],
    },
    {
      breaks: 'credentials that are wrong are not made up for by a session',
      from: 'if (hasCredentials(req) || !isLetIn)',
      to: 'if (!isLetIn)',
      seenBy: EXISTING_ROUTES,
    },
    {
      breaks: 'nor are those of another kind than ours, where a token is optional',
      from: 'const byToken = guardByToken(dependencies, { ...route, optional: false });',
      to: 'const byToken = guardByToken(dependencies, route);',
      seenBy: EXISTING_ROUTES,
    },
    {
      breaks: 'half a login is none',
      from: 'const isPerson = personOf({ people: dependencies }, req) !== undefined;',
      to: 'const isPerson = req.user !== undefined;',
      seenBy: EXISTING_ROUTES,
    },
  ]),
  ...mutantsOf(
    'core/guard/passport-strategy.ts',
    ['guard/passport-strategy.test.ts'],
    [
      {
        breaks: 'a token does not become a session',
        from: 'if (use.session !== false) return error(new Error(SESSION));',
        to: '',
      },
      {
        breaks: 'a route needs its own scopes beside those of the strategy',
        from: 'admissionOf([...options.scopes, ...[use.scope].flat()])',
        to: 'admissionOf(options.scopes)',
      },
    ],
  ),
  ...mutantsOf('core/guard/schemes/bearer.ts', GUARD, [
    {
      breaks: 'a token is sent in one way (RFC 6750 §2)',
      from: 'if (sent !== undefined && token !== undefined) throw sentTwice();',
      to: '',
    },
  ]),
  ...mutantsOf('core/guard/schemes/scheme.ts', GUARD, [
    {
      breaks: 'a token is text of its alphabet (RFC 6750 §2.1)',
      from: 'if (TOKEN68.test(token)) return;',
      to: "if (token !== '') return;",
    },
  ]),
  ...mutantsOf(
    'core/grants/stored-access-token.ts',
    [...GUARD, 'attacks/token-confusion.test.ts', 'attacks/guessing.test.ts'],
    [
      {
        breaks: 'a token is one of the grant (RFC 6749 §7)',
        from: 'const stored = accessTokens.find(isIt);',
        to: 'const stored = accessTokens.find(isIt) ?? accessTokens[0];',
      },
    ],
  ),
  ...mutantsOf('core/guard/database-verifier.ts', GUARD, [
    {
      breaks: 'a token with fewer scopes than its grant has those (RFC 6749 §6)',
      from: 'const granted = scopesOfToken(stored, grant.authorization, impliedScopes);',
      to: 'const granted = grant.authorization.scopes;',
      seenBy: [...GUARD, 'rfc/rfc6749/refresh-token.test.ts'],
    },
  ]),
  ...mutantsOf(
    'core/grants/stored-access-token.ts',
    ['pages/connected-app.test.ts'],
    [
      {
        breaks: 'a token has no scope that a person has taken back from its grant',
        from: 'return scopes.filter((scope) => granted.includes(scope));',
        to: 'return granted.length > 0 ? scopes : [];',
      },
    ],
  ),
  ...mutantsOf('core/guard/jwt-verifier.ts', BEARER_GUARD, [
    {
      breaks: 'a JWT is an access token: typ (RFC 9068 §4)',
      from: "    typ: 'at+jwt',\n",
      to: '',
    },
    {
      breaks: 'a JWT is of this issuer (RFC 9068 §4)',
      from: '    issuer,\n    audience',
      to: '    audience',
    },
    {
      breaks: 'a JWT is for this resource (RFC 9068 §4)',
      from: '    audience: spellingsOf(resource),\n',
      to: '',
    },
    {
      breaks: 'a JWT has all that RFC 9068 §2.2 asks for, its end among it',
      from: 'requiredClaims: REQUIRED_CLAIMS,',
      to: 'requiredClaims: [],',
    },
    {
      breaks: 'a JWT is not from the future (RFC 9068 §4)',
      from: '> now.getTime() / 1000 + clockTolerance)',
      to: '> Infinity)',
    },
    {
      breaks: 'the client is not a person (RFC 9068 §2.2)',
      from: '...(sub !== clientId && { userId: sub }),',
      to: '...{ userId: sub },',
    },
    {
      breaks: 'asymmetric algorithms only (RFC 8725 §3.1)',
      from: 'algorithms: [...SIGNING_ALGORITHMS],',
      to: "algorithms: [...SIGNING_ALGORITHMS, 'HS256'],",
      lives:
        'the keys come from a JWK set: jose imports none of them for HS256 unless it is a symmetric one, which the issuer does not publish',
    },
  ]),
  ...mutantsOf('core/guard/introspection-verifier.ts', ASKING, [
    {
      breaks: 'the secret of the API goes to the origin of its issuer (RFC 7662 §4)',
      from: 'if (!isSameOrigin(introspectionEndpoint, issuer))',
      to: "if (introspectionEndpoint === '')",
      seenBy: ['guard/introspection-endpoint.test.ts'],
    },
    {
      breaks: 'a token is active (RFC 7662 §2.2)',
      from: "if (active !== true) return 'not active';",
      to: "if (active === false) return 'not active';",
    },
    {
      breaks: 'a refresh token is no access token (RFC 7662 §2.2)',
      from: "if (!isAccessTokenType(type, claims.cnf)) return 'not an access token';",
      to: '',
    },
    {
      breaks: 'an answer about a token of another issuer is none (RFC 7662 §2.2)',
      from: "if (iss !== undefined && iss !== issuer) return 'of another issuer';",
      to: '',
    },
    {
      breaks: 'a token that is asked about is for this resource (RFC 7662 §4)',
      from: 'return isFor(claims, resource) ? undefined',
      to: 'return isFor(claims, resource) || resource ? undefined',
    },
    {
      breaks: 'a token that is asked about has an end (RFC 7662 §2.2)',
      from: 'if (exp <= options.now.getTime() / 1000 - options.clockTolerance)',
      to: 'if (exp <= 0)',
    },
  ]),
  ...mutantsOf(
    'core/guard/discovery.ts',
    [...BEARER_GUARD, ...ASKING],
    [
      {
        breaks: 'keys are fetched by TLS (RFC 8414 §2)',
        from: '!/^https:/i.test(jwksUri) && !isSameOrigin(jwksUri, issuer))',
        to: "jwksUri === '')",
        seenBy: ['guard/introspection-endpoint.test.ts'],
      },
      {
        breaks: 'metadata is that of the issuer (RFC 8414 §3.3)',
        from: 'if (metadata.issuer !== issuer) throw',
        to: 'if (metadata.issuer === undefined) throw',
      },
    ],
  ),
  ...mutantsOf(
    'core/guard/remote-verifier.ts',
    [...BEARER_GUARD, ...ASKING],
    [
      {
        breaks: 'wrong tokens of a neighbour keep out no right one',
        from: 'if (attempt instanceof OAuthError) return verifyInQueue(key, verify, attempt);',
        to: 'if (attempt instanceof OAuthError) throw attempt;',
        seenBy: ['guard/introspection-endpoint.test.ts'],
      },
      {
        breaks: 'nobody has the authorization server asked about made-up tokens without end',
        from: 'if (waiting.of(key) >= MAX_BEYOND_LIMIT) throw limitError;',
        to: '',
        seenBy: ['guard/introspection-endpoint.test.ts'],
      },
      {
        breaks: 'a forged JWT gets no second chance by introspection',
        from: 'jwts.verify(context.token, context.now) :',
        to: 'jwts.verify(context.token, context.now).catch(() => opaque.verify(context)) :',
      },
    ],
  ),
  ...mutantsOf(
    'core/guard/bearer-guard.ts',
    [...BEARER_GUARD, ...ASKING],
    [
      {
        breaks: 'the issuer is asked for its keys by TLS (RFC 8414 §6.1)',
        from: "if (protocol !== 'https:' && !isLoopbackHost(hostname))",
        to: "if (protocol === 'ftp:')",
      },
    ],
  ),
  ...mutantsOf(
    'core/guard/verified-token-cache.ts',
    ['guard/verified-token-cache.test.ts', ...BEARER_GUARD],
    [
      {
        breaks: 'a remembered token ends at its own end (RFC 7662 §4)',
        from: '(cached.expiresAt ?? Infinity) > now.getTime() / 1000;',
        to: '(cached.expiresAt ?? Infinity) > 0;',
        lives: 'the memory itself forgets it at that end; the second look is for clocks that are stepped',
      },
      {
        breaks: 'a token is remembered no longer than it lives (RFC 7662 §4)',
        from: 'Math.ceil(Math.min(life, left) * 1000)',
        to: 'Math.ceil(life * 1000)',
      },
      {
        breaks: 'what a route does with req.auth is not seen by the next request',
        from: 'return isValid ? copyOf(cached, token) : undefined;',
        to: 'return isValid ? Object.assign(cached, { token }) : undefined;',
      },
      {
        breaks: 'a token is believed no longer than the keys are that signed it (RFC 7517 §5)',
        from: 'Math.min(auth.expiresAt ?? Infinity, cacheableUntil) - Date.now() / 1000;',
        to: '(auth.expiresAt ?? Infinity) - Date.now() / 1000;',
      },
    ],
  ),
  ...mutantsOf(
    'core/keys/signing-keys.ts',
    [...JWTS, 'rfc/rfc7517/signing-keys.test.ts'],
    [
      {
        breaks: 'the key says its algorithm, never the token alone (RFC 8725 §3.1)',
        from: 'candidate.kid === kid && candidate.algorithm === alg);',
        to: 'candidate.kid === kid);',
        lives:
          'jose looks at the algorithm of the token beside the kind of the key, and each kind of ours has one but RSA, whose RS256 and PS256 prove the same',
      },
      {
        breaks: 'a key that is published ahead does not sign yet (RFC 7517 §5)',
        from: 'keys.find(({ activatesAt }) => activatesAt <= now) ?? keys.at(-1);',
        to: 'keys[0];',
        seenBy: ['rfc/rfc7517/signing-keys.test.ts'],
      },
    ],
  ),
  ...mutantsOf(
    'core/keys/stored-keys.ts',
    ['keys/revoke.test.ts', 'rfc/rfc7517/signing-keys.test.ts'],
    [
      {
        breaks: 'a revoked key is gone (RFC 7517 §5)',
        from: '  await store.remove(revoked.generation);\n',
        to: '',
      },
      {
        breaks: 'the successor of a revoked key signs at once, and not the one before it',
        from: '    await store.activate(newest.generation, now);',
        to: '    await Promise.resolve();',
      },
      {
        breaks: 'a key stays published until its last token has expired (RFC 7517 §5)',
        from: '(await options.longestToken()) + CLOCK_SKEW',
        to: '0',
      },
    ],
  ),
  ...mutantsOf('core/grants/tokens/access-tokens.ts', JWTS, [
    {
      breaks: 'no person passes for the client: sub (RFC 9068 §5)',
      from: '      checkSubject(plan);\n',
      to: '',
      seenBy: ['attacks/client-impersonating-person.test.ts'],
    },
    {
      breaks: 'another JWT of ours is no access token: typ (RFC 9068 §4)',
      from: "      typ: 'at+jwt',\n",
      to: '',
      seenBy: [...JWTS, 'rfc/rfc9701/signed-introspection.test.ts'],
    },
    {
      breaks: 'a JWT of another issuer is none of ours (RFC 9068 §4)',
      from: '      issuer: settings.issuer,\n',
      to: '',
    },
    {
      breaks: 'no claim of the host says who a token is for (RFC 9068 §2.2)',
      from: 'Object.entries(given).filter(([name]) => !own.includes(name))',
      to: 'Object.entries(given)',
    },
    {
      breaks: 'a jti from somebody’s log is no token (RFC 9068 §2.2)',
      from: 'return `jwt:${hashSecret(secret)}`;',
      to: 'return hashSecret(secret);',
      lives:
        'the secret of a jti is shorter than that of an opaque token, so it has no place in one; the mark says so a second time',
    },
  ]),
  ...mutantsOf(
    'core/grants/tokens/token-issuer.ts',
    ['rfc/rfc8707/resource-indicators.test.ts'],
    [
      {
        breaks: 'a token at a resource has the scopes of that resource (RFC 8707 §2.2)',
        from: 'resource === undefined ? requested : scopesAt(requested, [resource], knownResources)',
        to: 'requested',
      },
    ],
  ),
  ...mutantsOf(
    'server/endpoints/introspection-response.ts',
    ['rfc/rfc9701/signed-introspection.test.ts', 'attacks/token-confusion.test.ts'],
    [
      {
        breaks: 'a signed answer is for the client that asks (RFC 9701 §5)',
        from: 'aud: client.clientId,',
        to: 'aud: issuer,',
      },
      {
        breaks: 'a signed answer is never taken for an access token (RFC 9701 §5)',
        from: "signingKeys.sign('token-introspection+jwt', {",
        to: "signingKeys.sign('at+jwt', {",
      },
    ],
  ),
  ...mutantsOf(
    'server/endpoints/revoke.ts',
    ['rfc/rfc7009/revocation.test.ts', 'rfc/rfc7009/endpoint.test.ts'],
    [
      {
        breaks: 'a client is told that a token is not its own (RFC 7009 §2.1)',
        from: 'if (grant !== null && holderOf(grant, presented) !== clientId)',
        to: 'if (grant === null)',
      },
    ],
  ),
  ...mutantsOf(
    'server/endpoints/token.ts',
    ['rfc/rfc6749/token-errors.test.ts', 'rfc/rfc6749/token-endpoint.test.ts'],
    [
      {
        breaks: 'a client uses the grant types of its registration (RFC 6749 §5.2)',
        from: 'if (client.grantTypes.includes(grantType)) return;',
        to: 'if (client.grantTypes.length > 0) return;',
      },
    ],
  ),
  ...mutantsOf(
    'server/client-endpoint.ts',
    [
      'rfc/rfc6749/token-endpoint.test.ts',
      'rfc/rfc6749/transport.test.ts',
      'rfc/rfc6749/client-authentication.test.ts',
    ],
    [
      {
        breaks: 'no secret is taken from a URL (RFC 6749 §2.3.1)',
        from: 'refuseQuery(req, allNames, endpoint.name);',
        to: '',
      },
      {
        breaks: 'what may be repeated is not taken from a URL either',
        from: 'refuseQuery(req, allNames, endpoint.name);',
        to: 'refuseQuery(req, parameterNames.single, endpoint.name);',
        seenBy: ['grants/ended-grants.test.ts'],
      },
      {
        breaks: 'secrets come by TLS (RFC 6749 §3.2)',
        from: '    secureTransport(settings),\n',
        to: '',
      },
    ],
  ),
];
