import { type Mutant, mutantsOf } from './mutant.js';

const LIMITS = [
  'shared/limits/failure-limit.test.ts',
  'shared/limits/failures-at-once.test.ts',
  'attacks/guessing.test.ts',
];
const LOGIN = ['pages/local-login.test.ts', 'pages/login-limits.test.ts'];
const OUTBOUND = [
  'shared/outbound/public-address.test.ts',
  'shared/outbound/hostile-answers.test.ts',
  'rfc/rfc7523/jwks-uri.test.ts',
  'attacks/hostile-key-server.test.ts',
];
const USERS = ['storage/users.test.ts', 'storage/passwords.test.ts'];

/** The surroundings: limits, logins, outgoing requests, stored secrets, ids, logs. */
export const SURROUNDINGS: readonly Mutant[] = [
  ...mutantsOf(
    'shared/protocol/parameters.ts',
    ['attacks/operators.test.ts', 'rfc/rfc6749/token-endpoint.test.ts'],
    [
      {
        breaks: 'a parameter is a text, whatever a parser of the host makes of it (RFC 6749 §3.2)',
        from: "if (typeof value !== 'string' || NOT_TEXT.test(value)) throw malformedParameter(name, value);",
        to: 'if (Array.isArray(value)) throw malformedParameter(name, value);',
      },
    ],
  ),
  ...mutantsOf('shared/limits/failure-limit.ts', LIMITS, [
    {
      breaks: 'attempts that are sent at once count before they have failed (RFC 6749 §4.3.2)',
      from: 'if (failed + place > failures) {',
      to: 'if (failed + 1 > failures) {',
    },
    {
      breaks: 'too many failures are refused (RFC 6749 §2.3.1)',
      from: 'if (failed + place > failures) {',
      to: 'if (place > failures) {',
    },
    {
      breaks: 'the addresses of one network are one (RFC 6177 §2)',
      from: 'networkOf(ip, { v4: 4, v6: 7 })',
      to: 'networkOf(ip, { v4: 4, v6: 16 })',
    },
    {
      breaks: 'the networks of one firm are one (RFC 6177 §2)',
      from: 'networkOf(ip, { v4: 3, v6: 6 })',
      to: 'networkOf(ip, { v4: 4, v6: 7 })',
      seenBy: ['attacks/registration-flood.test.ts', 'shared/limits/failure-limit.test.ts'],
    },
    {
      breaks: 'processes count together',
      from: 'if (all.failures > failedHere && all.wait > 0) await keyedMutex(key, () => sync(key, all.failures));',
      to: '',
    },
    {
      breaks: 'a limit that refuses takes nothing of the others',
      from: '    refund();\n    throw refusal;',
      to: '    throw refusal;',
    },
  ]),
  ...mutantsOf(
    'shared/limits/guess-limit.ts',
    [...LIMITS, ...LOGIN],
    [
      {
        breaks: 'one password tried on many names counts by address (NIST SP 800-63B §5.2.2)',
        from: 'const byAddress = perAddress ?',
        to: "const byAddress = shared?.name === '' ?",
      },
      {
        breaks: 'wrong codes of devices shut out no neighbour at the address (RFC 8628 §5.1)',
        from: 'const byAddress = perAddress ?',
        to: 'const byAddress = failures > 0 ?',
        seenBy: ['rfc/rfc8628/user-interaction.test.ts'],
      },
      {
        breaks: 'many passwords tried on one name count by name',
        from: '        { limit: byName, key },\n',
        to: '',
      },
      {
        breaks: 'a name counts as one however it is written',
        from: 'return failureKey(caller, usernameKey(username));',
        to: 'return failureKey(caller, username);',
      },
    ],
  ),
  ...mutantsOf(
    'shared/limits/work-queue.ts',
    ['shared/limits/work-queue.test.ts'],
    [
      {
        breaks: 'so much is done at once',
        from: 'if (running < places) running += 1;',
        to: 'if (atOnce !== undefined) running += 1;',
      },
      {
        breaks: 'so many wait',
        from: 'if (line.size >= waiting) throw',
        to: 'if (line.size >= Infinity) throw',
      },
    ],
  ),
  ...mutantsOf('storage/other/passwords.ts', USERS, [
    {
      breaks: 'a name that nobody has takes as long as one that somebody has',
      from: 'if (spent === 0) await hashAt(whole);',
      to: 'if (spent === 0) await Promise.resolve();',
    },
    {
      breaks: 'a password is compared',
      from: 'const isRight = stored !== undefined && (await bcrypt.compare(password, stored));',
      to: 'const isRight = stored !== undefined;',
    },
    {
      breaks: 'a burst of logins does not hold up everybody else',
      from: 'hash: (password) => queueForPassword.run(async () => (await loading).hash(password, rounds)),',
      to: 'hash: async (password) => (await loading).hash(password, rounds),',
      seenBy: [...USERS, 'shared/limits/work-queue.test.ts', 'pages/login-limits.test.ts'],
    },
  ]),
  ...mutantsOf(
    'pages/form-handler.ts',
    ['pages/authorizations.test.ts', 'attacks/csrf-and-clickjacking.test.ts'],
    [
      {
        breaks: 'no other site disconnects an application (RFC 6749 §10.12)',
        from: 'verifyCsrfToken(req, userId);',
        to: '',
      },
    ],
  ),
  ...mutantsOf(
    'pages/login/local-login.ts',
    [...LOGIN, 'attacks/csrf-and-clickjacking.test.ts', 'attacks/open-redirector.test.ts'],
    [
      {
        breaks: 'no other site logs a person in as somebody else (RFC 6749 §10.12)',
        from: 'if (!hasCsrfToken(req))',
        to: "if (req.method === 'PUT')",
      },
      {
        breaks: 'no other site logs a person out (RFC 6749 §10.12)',
        from: 'verifyCsrfToken(req);',
        to: '',
      },
      {
        breaks: 'the way back after the login is a path of this site (RFC 9700 §4.11)',
        from: "safeReturnPath(textField(req.body, 'return_to'), context.home)",
        to: "(textField(req.body, 'return_to') || context.home)",
      },
      {
        breaks: 'passwords that are guessed are counted',
        from: '? await limit(req, username, () => authenticate(context.passport, req, res), closeSignalOf(req)).catch(',
        to: '? await authenticate(context.passport, req, res).catch(',
      },
    ],
  ),
  ...mutantsOf(
    'core/sessions/resume.ts',
    ['pages/resume-at-redirect.test.ts'],
    [
      {
        breaks: 'who is not logged in is sent nowhere',
        from: 'isRedirect(res) && isLoggedIn(settings, req)',
        to: 'isRedirect(res)',
      },
      {
        breaks: 'who logs in by a redirect of plain Node comes back',
        from: 'Object.assign(res, { end: endInPlace, writeHead: writeHeadInPlace });',
        to: 'Object.assign(res, { end: endInPlace });',
      },
      {
        breaks: 'a script that logs in does not use up the way back',
        from: ' || !isNavigation(req) || isForPageOfOwn',
        to: ' || isForPageOfOwn',
      },
    ],
  ),
  ...mutantsOf('pages/login/new-sessions.ts', LOGIN, [
    {
      breaks: 'who only looks at the login page does not fill the store of sessions',
      from: "await limit.consume(failureKey(req, ''));",
      to: '',
    },
    {
      breaks: 'a session of somebody who only looks ends soon',
      from: 'if (cookie !== undefined && (cookie.maxAge ?? Infinity) > LIFE) cookie.maxAge = LIFE;',
      to: '',
    },
  ]),
  ...mutantsOf('shared/outbound/public-address.ts', OUTBOUND, [
    {
      breaks:
        'a name that resolves into the own network is not connected to: all of its addresses are looked at',
      from: 'addresses.length === 0 || !addresses.every(isPublicAddress);',
      to: 'addresses.length === 0 || !addresses.some(isPublicAddress);',
    },
    {
      breaks: 'no addresses of special purpose (RFC 6890)',
      from: "return address.range() === 'unicast' && (address",
      to: "return address.range() !== 'loopback' && (address",
    },
    {
      breaks: 'IPv4 in the clothes of IPv6 is none, and what is nowhere yet is nowhere (RFC 4291 §2.4)',
      from: "(address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST));",
      to: "(address.kind() === 'ipv4' || address.kind() === 'ipv6');",
    },
  ]),
  ...mutantsOf(
    'settings/options/signing-key-options.ts',
    ['keys/keys-in-clear.test.ts'],
    [
      {
        breaks: 'no key that others could read signs for a public site (RFC 9700 §2.5)',
        from: 'if (!isLoopbackHost(issuer.hostname)) throw',
        to: "if (issuer.hostname === '') throw",
      },
      {
        breaks: 'where no JWT is issued there is no key that could sign one',
        from: 'if (!issuesJwts) return false;',
        to: '',
      },
    ],
  ),
  ...mutantsOf(
    'settings/pages/applications-options.ts',
    ['pages/applications-choices.test.ts'],
    [
      {
        breaks: 'developers choose what asks a person, unless the host says more (RFC 6749 §4)',
        from: 'ASKING_A_PERSON.filter((name) => grantTypes.includes(name))',
        to: 'grantTypes',
      },
    ],
  ),
  ...mutantsOf('shared/outbound/safe-fetch.ts', OUTBOUND, [
    {
      breaks: 'https: only',
      from: "if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback && allowPrivateAddresses))",
      to: "if (protocol === 'ftp:')",
    },
    {
      breaks: 'an address in the URL is looked at as well: it is connected to without a look-up',
      from: '(isIP(address) !== 0 && !isPublicAddress(address)))',
      to: 'address === undefined)',
    },
    {
      breaks: 'names are resolved to public addresses at the connection: DNS rebinding',
      from: '...(!allowPrivateAddresses && { lookup: createPublicLookup(resolve) }),',
      to: '',
    },
    {
      breaks: 'an answer of 101 ends',
      from: "        socket.destroy();\n        reject(new Error('answered with status 101'));",
      to: '        void socket;',
    },
  ]),
  ...mutantsOf('shared/outbound/fetch-json.ts', OUTBOUND, [
    {
      breaks: 'a redirect is no answer',
      from: 'if (response.statusCode !== 200) throw',
      to: 'if (response.statusCode === 500) throw',
    },
  ]),
  ...mutantsOf('shared/outbound/send-request.ts', OUTBOUND, [
    {
      breaks: 'an answer has an end in size',
      from: 'if (size > maxBytes) throw',
      to: 'if (size > Infinity) throw',
    },
  ]),
  ...mutantsOf(
    'core/http/body-text.ts',
    ['stress/slow-bodies.test.ts'],
    [
      {
        breaks: 'a body that never ends has an end in time (RFC 9110 §15.5.9)',
        from: '      next(tooSlow(time));\n',
        to: '',
      },
    ],
  ),
  ...mutantsOf('shared/limits/deadline.ts', OUTBOUND, [
    {
      breaks: 'an answer has an end in time',
      from: 'return await Promise.race([work(abort.signal), end]);',
      to: 'end.catch(() => undefined);\n    return await work(abort.signal);',
    },
  ]),
  ...mutantsOf('shared/outbound/concurrency-limit.ts', OUTBOUND, [
    {
      breaks: 'so many wait for others',
      from: 'if (all >= size || waiting.of(key) >= perKey) throw full(all >= size ? size : perKey);',
      to: '',
    },
  ]),
  ...mutantsOf('core/client-authentication/client-keys.ts', OUTBOUND, [
    {
      breaks: 'unknown keys do not make a request of each assertion',
      from: 'return fetched !== undefined && isWithin(fetched.triedAt, options.cooldown)',
      to: 'return fetched === null',
    },
    {
      breaks: 'a fetch that fails does not take the good keys away',
      from: 'if (before !== undefined && !before.hasFailed && isUsable(before))',
      to: 'if (before === null)',
    },
  ]),
  ...mutantsOf(
    'shared/crypto/secrets.ts',
    ['shared/crypto/secrets.test.ts', 'properties/credentials.test.ts', 'attacks/token-confusion.test.ts'],
    [
      {
        breaks: 'secrets cannot be guessed (RFC 6749 §10.10)',
        from: 'const SECRET_BYTES = 32;',
        to: 'const SECRET_BYTES = 8;',
      },
      {
        breaks: 'what is stored is a hash',
        from: "return hash('sha256', secret, 'base64url');",
        to: 'return secret;',
        seenBy: ['shared/crypto/secrets.test.ts', 'attacks/secrets.test.ts'],
      },
      {
        breaks: 'a token of one kind is none of another (RFC 6749 §1.5)',
        from: 'return value.startsWith(prefix) ? value.slice(prefix.length) : undefined;',
        to: "return value.startsWith('eas_') ? value.slice(prefix.length) : undefined;",
      },
      {
        breaks: 'two texts are equal if all of them is',
        from: 'return left.length === right.length && timingSafeEqual(left, right);',
        to: 'return left.length === right.length;',
      },
      {
        breaks: 'a copy of the database gives nobody the family of a refresh token (RFC 9700 §4.14.2)',
        from: '    familyHash: hashSecret(family),\n  };',
        to: '    familyHash: family,\n  };',
        seenBy: [
          'shared/crypto/secrets.test.ts',
          'attacks/secrets.test.ts',
          'rfc/rfc9700/refresh-tokens.test.ts',
        ],
      },
    ],
  ),
  ...mutantsOf(
    'shared/crypto/seal.ts',
    ['shared/crypto/seal.test.ts'],
    [
      {
        breaks: 'what is sealed for one is not opened as another’s (RFC 5869 §3.1)',
        from: "hkdfSync('sha256', secret, owner,",
        to: "hkdfSync('sha256', secret, '',",
      },
      {
        breaks: 'two purposes have two keys (RFC 5869 §3.2)',
        from: '`express-authorization-server ${purpose}`',
        to: "'express-authorization-server'",
      },
    ],
  ),
  ...mutantsOf(
    'shared/crypto/key-material.ts',
    ['rfc/rfc7517/signing-keys.test.ts', 'settings/options.test.ts'],
    [
      {
        breaks: 'signing keys are sealed where the host gave a secret',
        from: 'return key === undefined ? text : seal(text, key);',
        to: 'return text;',
      },
      {
        breaks: 'an RSA key of the host has 2048 bits (RFC 7518 §3.3)',
        from: "if (type === 'rsa' && (details?.modulusLength ?? 0) < RSA_BITS)",
        to: "if (type === 'rsa' && (details?.modulusLength ?? 0) < 0)",
      },
    ],
  ),
  ...mutantsOf(
    'storage/connection/issuer-of-connection.ts',
    ['storage/issuer-of-connection.test.ts'],
    [
      {
        breaks: 'two issuers do not take each other’s tokens (RFC 6749 §10.3)',
        from: 'if (taken !== issuer)',
        to: "if (taken === '')",
      },
    ],
  ),
  ...mutantsOf(
    'shared/log-text.ts',
    ['attacks/secrets-in-logs.test.ts', 'observability/events.test.ts'],
    [
      {
        breaks: 'secrets in the wrong place are masked',
        from: "text.replace(SECRETS, '$1$2…')",
        to: 'text',
      },
      {
        breaks: 'nothing passes for another line of a log',
        from: '.replace(UNSEEN, escapeCharacter)',
        to: '',
      },
    ],
  ),
  ...mutantsOf(
    'shared/protocol/visible-text.ts',
    ['shared/protocol/visible-text.test.ts'],
    [
      {
        breaks: 'a name has no characters that cannot be seen',
        from: 'return UNSEEN.test(name);',
        to: String.raw`return /\p{Cc}/u.test(name);`,
      },
    ],
  ),
  ...mutantsOf(
    'core/observability/folded-refusals.ts',
    ['attacks/audit-flood.test.ts'],
    [
      {
        breaks: 'callers without an account do not fill the audit',
        from: 'unfolded: MAX_UNFOLDED,',
        to: 'unfolded: Infinity,',
      },
    ],
  ),
  ...mutantsOf(
    'pages/rendering/layout.ts',
    ['rendering/layout.test.ts'],
    [
      {
        breaks: 'nobody is shown a page without its warnings, or half of it',
        from: 'if (!html.includes(page.content))',
        to: "if (html === '')",
      },
    ],
  ),
  ...mutantsOf(
    'pages/rendering/views.ts',
    ['pages/saved-sessions.test.ts'],
    [
      {
        breaks: 'a form that is sent at once is of a session that is stored',
        from: 'await saveCsrfSecret(req);',
        to: '',
      },
    ],
  ),
  ...mutantsOf(
    'pages/rendering/views.ts',
    ['attacks/host-values.test.ts', 'rendering/views.test.ts'],
    [
      {
        breaks: 'locals of the host do not change what a page says',
        from: "([name]) => !NOT_THE_HOSTS.has(name) && !name.startsWith('__'),",
        to: "([name]) => name !== '',",
      },
    ],
  ),
];
