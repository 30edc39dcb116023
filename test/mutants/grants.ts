import { type Mutant, mutantsOf } from './mutant.js';

const CODES = [
  'rfc/rfc6749/authorization-code.test.ts',
  'rfc/rfc9700/code-injection.test.ts',
  'rfc/rfc7636/code-verifier.test.ts',
  'grants/meanwhile.test.ts',
];
const STEPS = 'storage/grant-steps.test.ts';
const LIFE = 'properties/grant-life.test.ts';
const REFRESHES = [
  'rfc/rfc6749/refresh-token.test.ts',
  'rfc/rfc9700/refresh-tokens.test.ts',
  'grants/refresh-grace.test.ts',
  'grants/token-lifetimes.test.ts',
];
const REVOCATION = ['rfc/rfc7009/revocation.test.ts', 'rfc/rfc7009/endpoint.test.ts', LIFE];
const DEVICES = [
  'rfc/rfc8628/polling.test.ts',
  'rfc/rfc8628/user-interaction.test.ts',
  'rfc/rfc8628/device-authorization.test.ts',
  'rfc/rfc10027/device.test.ts',
  'grants/meanwhile.test.ts',
];
const DISCONNECTING = ['pages/authorizations.test.ts', 'grants/meanwhile.test.ts'];

/** The life of grants: codes, refresh tokens, devices, and how all of it ends. */
export const GRANTS: readonly Mutant[] = [
  ...mutantsOf('core/grant-types/authorization-code.ts', CODES, [
    {
      breaks: 'a code is the client’s that it was issued to (RFC 6749 §4.1.3)',
      from: 'if (grant.clientId !== client.clientId)',
      to: "if (grant.clientId === '')",
    },
    {
      breaks: 'the redirect URI is that of the authorization request (RFC 6749 §4.1.3)',
      from: 'code.isRedirectUriRequired : redirectUri !== code.redirectUri)',
      to: "code.isRedirectUriRequired : redirectUri === '')",
    },
    {
      breaks: 'a redirect URI that was named has to be named again (RFC 6749 §4.1.3)',
      from: 'redirectUri === undefined ? code.isRedirectUriRequired :',
      to: 'redirectUri === undefined ? false :',
    },
    {
      breaks: 'the verifier belongs to the challenge of this code (RFC 7636 §4.6)',
      from: 'const mismatch = findVerifierMismatch(verifier, code.codeChallenge);',
      to: "const mismatch = verifier === '' ? 'code_verifier missing' : undefined;",
    },
    {
      breaks: 'a code is a secret, not the id of a grant (RFC 6749 §10.10)',
      from: 'code === undefined || !equalText(code.hash, token.hash))',
      to: 'code === undefined)',
      seenBy: [...CODES, 'attacks/guessing.test.ts', 'attacks/token-confusion.test.ts'],
      lives:
        'the command that uses the code up looks for its hash as well, and so does the one that ends a replayed one; models/grant-steps holds that',
    },
    {
      breaks: 'a code that is used again ends its tokens (RFC 6749 §4.1.2)',
      from: 'if (await grants.revokeReplayedCode(grant.grantId, token.hash, now)) {',
      to: "if (grant.grantId === '') {",
      seenBy: [...CODES, LIFE],
    },
    {
      breaks: 'the grace is for who has more to show than the code (RFC 6749 §4.1.2)',
      from: "const mayResend = client.type === 'confidential' || code.codeChallenge !== undefined;",
      to: "const mayResend = client.clientId !== '';",
      seenBy: ['grants/code-grace.test.ts'],
    },
  ]),
  ...mutantsOf(
    'storage/grants/grant-collection.ts',
    [STEPS, ...CODES, LIFE],
    [
      {
        breaks: 'of several who present a code at once one wins (RFC 6749 §4.1.2)',
        from: "          'code.usedAt': { $exists: false },\n",
        to: '',
      },
      {
        breaks: 'a code expires (RFC 6749 §4.1.2)',
        from: "          'code.expiresAt': { $gt: now },\n",
        to: '',
      },
      {
        breaks: 'a code of a revoked grant gives nothing (RFC 6749 §4.1.2)',
        from: "          'code.expiresAt': { $gt: now },\n          revokedAt: { $exists: false },\n",
        to: "          'code.expiresAt': { $gt: now },\n",
      },
      {
        breaks: 'the tokens of a used code end if it comes again (RFC 6749 §4.1.2)',
        from: "'code.usedAt': { $exists: true }, revokedAt: { $exists: false } },\n        { $set: { revokedAt: now } },",
        to: "'code.usedAt': { $exists: true }, revokedAt: { $exists: false } },\n        { $set: { renewedAt: now } },",
      },
      {
        breaks: 'a replay is told once, and not as often as somebody sends it',
        from: "'code.usedAt': { $exists: true }, revokedAt: { $exists: false } },",
        to: "'code.usedAt': { $exists: true } },",
        seenBy: ['attacks/audit-flood.test.ts'],
      },
    ],
  ),
  ...mutantsOf(
    'storage/grants/revoke-steps.ts',
    [...DISCONNECTING, LIFE],
    [
      {
        breaks: 'what ends the grants of somebody ends all of them (RFC 6749 §10.3)',
        from: '{ ...of, revokedAt: { $exists: false } },',
        to: '{ ...of, revokedAt: { $exists: false }, code: { $exists: false } },',
      },
    ],
  ),
  ...mutantsOf(
    'storage/grants/undo-steps.ts',
    [STEPS],
    [
      {
        breaks: 'what was taken back does not bring a revoked grant to life (RFC 6749 §10.5)',
        from: '    revokedAt: { $exists: false },\n',
        to: '',
      },
      {
        breaks: 'tokens of another request are not taken back',
        from: "    'accessTokens.hash': accessToken.hash,\n",
        to: '',
      },
      {
        breaks: 'tokens that were refreshed since are not taken back',
        from: "    ...(refreshToken && { 'refreshToken.hash': refreshToken.hash }),\n",
        to: '',
        seenBy: ['grants/settled-grants.test.ts'],
      },
      {
        breaks: 'tokens that were sent again are not taken back',
        from: "    'resend.isAnswered': { $ne: true },\n",
        to: '',
      },
    ],
  ),
  ...mutantsOf(
    'core/grants/code-cache.ts',
    [...CODES, 'storage/command-budget.test.ts'],
    [
      {
        breaks: 'a remembered code is looked at once (RFC 6749 §4.1.2)',
        from: '      cache.delete(id);\n',
        to: '',
      },
    ],
  ),
  ...mutantsOf(
    'core/grant-types/grant-type.ts',
    [...REFRESHES, LIFE],
    [
      {
        breaks: 'a refresh gives no scope that the client has lost (RFC 6749 §3.3)',
        from: 'scopes: stillRegisteredScopes(scopes, client, settings),',
        to: 'scopes,',
      },
    ],
  ),
  ...mutantsOf(
    'core/grant-types/refresh-token.ts',
    [...REFRESHES, LIFE],
    [
      {
        breaks: 'a refresh token is the client’s that it was issued to (RFC 6749 §6)',
        from: 'if (token === null || !grant || grant.clientId !== client.clientId)',
        to: 'if (token === null || !grant)',
      },
      {
        breaks: 'a refresh gives no scope that was not granted (RFC 6749 §6)',
        from: 'if (requested.length === 0 || !isSubset(requested, includable))',
        to: 'if (requested.length === 0 && !isSubset(requested, includable))',
      },
      {
        breaks: 'refreshing ends where the host has set its end (RFC 9700 §4.14.2)',
        from: 'if (next !== undefined && next.expiresAt <= now)',
        to: 'if (next === undefined)',
      },
      {
        breaks: 'a used refresh token ends the grant (RFC 9700 §4.14.2)',
        from: 'if (await grants.revokeReusedRefreshToken(grantId, token, now)) {',
        to: "if (grantId === '') {",
      },
    ],
  ),
  ...mutantsOf(
    'core/grants/tokens/resends.ts',
    ['grants/code-grace.test.ts', ...REFRESHES],
    [
      {
        breaks: 'a lost answer is not given again for scopes that the client has lost',
        from: 'if (stillRegisteredScopes(scopes, client, settings).length < scopes.length)',
        to: 'if (scopes.length > 99)',
        seenBy: ['grants/meanwhile.test.ts', ...REFRESHES],
      },
      {
        breaks: 'no grace in a row: a thief in step with the client is noticed (RFC 9700 §4.14.2)',
        from: 'return isMarked || (await grants.markResent(request.grantId, request.hash)) ? response : undefined;',
        to: 'return isMarked || request.hash ? response : undefined;',
      },
    ],
  ),
  ...mutantsOf(
    'core/grants/undo-unacknowledged-writes.ts',
    ['grants/settled-grants.test.ts'],
    [
      {
        breaks: 'a code whose use nobody was told of is not lost (RFC 6749 §4.1.2)',
        from: 'grants.redeemCode(grant, codeHash, tokens), {\n          grant,\n          tokens,\n          undoStep: () => grants.undoFirstTokens(grant, tokens),',
        to: 'grants.redeemCode(grant, codeHash, tokens), {\n          grant,\n          tokens,\n          undoStep: () => Promise.resolve(false),',
      },
      {
        breaks: 'a refresh token whose use nobody was told of is not lost (RFC 9700 §4.14.2)',
        from: 'undoStep: () => grants.undoRotation(grant, tokens),',
        to: 'undoStep: () => Promise.resolve(false),',
      },
      {
        breaks:
          'a request whose step was done and not answered does not look like its own replay (RFC 6749 §4.1.2)',
        from: '(await step()) || grants.confirmTokens(grant, tokens);',
        to: 'step();',
      },
      {
        breaks: 'the second try comes after what it repeats is settled',
        from: 'const isUndone = await open.get(grantId)?.();',
        to: 'const isUndone = await Promise.resolve(open.get(grantId) === undefined);',
      },
    ],
  ),
  ...mutantsOf(
    'storage/grants/refresh-steps.ts',
    [STEPS, ...REFRESHES, LIFE],
    [
      {
        breaks: 'of several who present a refresh token at once one wins (RFC 9700 §4.14.2)',
        from: "          'refreshToken.hash': hash,\n",
        to: '',
      },
      {
        breaks: 'a refresh token expires (RFC 6749 §10.4)',
        from: "          'refreshToken.expiresAt': { $gt: now },\n",
        to: '',
      },
      {
        breaks: 'a refresh token of a revoked grant gives nothing (RFC 6749 §6)',
        from: '            }),\n          revokedAt: { $exists: false },\n',
        to: '            }),\n',
      },
      {
        breaks: 'a used one is known however long ago it was (RFC 9700 §4.14.2)',
        from: "{ 'refreshToken.familyHash': familyHash };",
        to: "{ 'resend.hash': hash };",
      },
      {
        breaks: 'refresh tokens without a family are known when they come again (RFC 9700 §4.14.2)',
        from: '...(familyHash === undefined && refreshToken?.hash !== hash && { usedRefreshTokens: hash }),',
        to: '',
        seenBy: REFRESHES,
      },
      {
        breaks: 'the current one is no reuse of itself, so nobody who asks wrongly ends a grant',
        from: "          ...relationOf(token),\n          'refreshToken.hash': { $ne: token.hash },\n",
        to: '          ...relationOf(token),\n',
      },
      {
        breaks: 'a reuse is told once, and not as often as somebody sends it',
        from: "          'refreshToken.hash': { $ne: token.hash },\n          revokedAt: { $exists: false },\n",
        to: "          'refreshToken.hash': { $ne: token.hash },\n",
        seenBy: ['attacks/audit-flood.test.ts'],
      },
      {
        breaks: 'a client revokes its own refresh tokens only (RFC 7009 §2.1)',
        from: "_id: grantId,\n          clientId,\n          $or: [{ 'refreshToken.hash': token.hash }, relationOf(token)],",
        to: "_id: grantId,\n          $or: [{ 'refreshToken.hash': token.hash }, relationOf(token)],",
        seenBy: REVOCATION,
      },
      {
        breaks: 'the end of a grant is told once',
        from: 'relationOf(token)],\n          revokedAt: { $exists: false },',
        to: 'relationOf(token)],',
        seenBy: ['grants/ended-grants.test.ts'],
      },
      {
        breaks: 'a used refresh token is revoked as well as the current one (RFC 7009 §2.1)',
        from: "$or: [{ 'refreshToken.hash': token.hash }, relationOf(token)],",
        to: "'refreshToken.hash': token.hash,",
        seenBy: [...REVOCATION, ...REFRESHES],
      },
    ],
  ),
  ...mutantsOf('core/grants/tokens/resends.ts', REFRESHES, [
    {
      breaks: 'the grace ends',
      from: 'if (elapsed >= max || isOver) return undefined;',
      to: 'if (max < 0 || isOver) return undefined;',
    },
    {
      breaks: 'the grace answers the same request only',
      from: 'if (opened.fingerprint !== request.fingerprint) return undefined;',
      to: '',
    },
    {
      breaks: 'a revoked grant repeats no answer',
      from: 'const stored = grant?.revokedAt === undefined ? grant?.resend : undefined;',
      to: 'const stored = grant?.resend;',
    },
    {
      breaks: 'no grace after a grace: two in step are noticed (RFC 9700 §4.14.2)',
      from: "if (grace === 0 || (grace !== 'untilUsed' && previous?.isAnswered === true)) return undefined;",
      to: 'if (grace === 0) return undefined;',
    },
  ]),
  ...mutantsOf('core/grants/tokens/token-issuer.ts', REFRESHES, [
    {
      breaks: 'refreshing has an absolute end, from the authorization on (RFC 9700 §4.14.2)',
      from: ': addSeconds(grantCreatedAt, lifetimes.refreshTokenMax),',
      to: ': undefined,',
    },
  ]),
  ...mutantsOf('core/grants/grant-registry.ts', DISCONNECTING, [
    {
      breaks: 'disconnecting ends what was given meanwhile: a silent request on its way',
      from: 'const revoked = before + (await grants.revokeAll(of, now));',
      to: 'const revoked = before;',
    },
    {
      breaks: 'what a person disconnects is asked for again',
      from: 'await consents.forget(of);',
      to: '',
    },
    {
      breaks: 'revoking names somebody: a slip of the host is not everybody',
      from: "checkValues('grants.revoke', given);",
      to: '',
      seenBy: ['attacks/host-values.test.ts', 'settings/wrong-values.test.ts'],
    },
  ]),
  ...mutantsOf(
    'pages/connected-apps/connected-apps.ts',
    ['pages/authorizations.test.ts', 'attacks/csrf-and-clickjacking.test.ts'],
    [
      {
        breaks: 'no other site takes scopes from an application',
        from: "router.post('/:clientId/scopes', ...form(narrow));",
        to: "router.post('/:clientId/scopes', ...formBody(), page(narrow));",
        seenBy: ['pages/connected-app.test.ts'],
      },
      {
        breaks: 'an empty name is not all of them',
        from: "if (clientId === '') throw",
        to: "if (clientId === ' ') throw",
      },
    ],
  ),
  ...mutantsOf(
    'storage/grants/device-steps.ts',
    [STEPS, ...DEVICES],
    [
      {
        breaks: 'a device code is the client’s that it was issued to (RFC 8628 §3.4)',
        from: "const filter = { _id: grantId, clientId, 'device.hash': hash };",
        to: "const filter = { _id: grantId, 'device.hash': hash };",
      },
      {
        breaks: 'the device code is a secret, not the id of a grant (RFC 8628 §5.2)',
        from: "const filter = { _id: grantId, clientId, 'device.hash': hash };",
        to: 'const filter = { _id: grantId, clientId };',
      },
      {
        breaks: 'of several who decide at once the first one does (RFC 8628 §3.3)',
        from: "          'device.decision': { $exists: false },\n",
        to: '',
      },
      {
        breaks: 'nobody allows what was revoked at that moment (RFC 8628 §3.3)',
        from: "          'device.expiresAt': { $gt: now },\n          revokedAt: { $exists: false },\n        },\n        {\n          $set: {\n            'device.decision': decision",
        to: "          'device.expiresAt': { $gt: now },\n        },\n        {\n          $set: {\n            'device.decision': decision",
      },
      {
        breaks: 'a device code gives tokens once (RFC 8628 §3.5)',
        from: "          'device.usedAt': { $exists: false },\n",
        to: '',
      },
      {
        breaks: 'a device that does not wait waits longer (RFC 8628 §3.5)',
        from: "{ $cond: ['$device.isTooSoon', SLOW_DOWN, 0] }",
        to: "{ $cond: ['$device.isTooSoon', 0, 0] }",
      },
    ],
  ),
  ...mutantsOf(
    'core/grant-types/client-credentials.ts',
    ['rfc/rfc6749/client-credentials.test.ts', 'shared/limits/unasked-grants.test.ts'],
    [
      {
        breaks: 'a public client gets nothing for itself (RFC 6749 §4.4)',
        from: "if (client.type !== 'confidential')",
        to: "if (client.type !== 'confidential' && client.secrets.length > 0)",
        seenBy: ['rfc/rfc6749/client-credentials.test.ts'],
      },
      {
        breaks: 'clients of strangers do not fill the database with grants',
        from: 'if (isThirdParty(client)) await limit.consume(failureKey({}, client.clientId));',
        to: '',
      },
    ],
  ),
  ...mutantsOf(
    'core/grant-types/extension.ts',
    ['rfc/rfc6749/extension-grant.test.ts', 'attacks/wrong-ids.test.ts', 'attacks/host-values.test.ts'],
    [
      {
        breaks: 'code of the host gives no scope that was not asked for',
        from: 'if (!isSubset(scopes, requested))',
        to: 'if (!isSubset(scopes, requested) && requested.length === 0)',
      },
      {
        breaks: 'a user id is text and not empty',
        from: 'userId: checkedUserId(`the extension grant ${name}`, userId)',
        to: 'userId',
      },
    ],
  ),
  ...mutantsOf(
    'core/grant-types/password.ts',
    ['rfc/rfc6749/password.test.ts', 'attacks/wrong-ids.test.ts', 'rfc/rfc6749/guessing.test.ts'],
    [
      {
        breaks: 'a password is right if the host gives a user id, and not otherwise (RFC 6749 §4.3.2)',
        from: "return typeof found === 'string' && found !== '' ? found : null;",
        to: 'return found ?? null;',
      },
      {
        breaks: 'passwords that are guessed are counted (RFC 6749 §4.3.2)',
        from: 'settings.security.rateLimits && settings.security.rateLimits.login',
        to: 'false',
      },
    ],
  ),
];
