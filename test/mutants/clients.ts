import { type Mutant, mutantsOf } from './mutant.js';

const AUTHENTICATION = ['rfc/rfc6749/client-authentication.test.ts', 'rfc/rfc6749/token-errors.test.ts'];
const SECRETS = [
  'rfc/rfc6749/secrets.test.ts',
  'rfc/rfc6749/client-registration.test.ts',
  'attacks/secrets.test.ts',
  ...AUTHENTICATION,
];
const ASSERTIONS = [
  'rfc/rfc7521/client-assertions.test.ts',
  'rfc/rfc7523/private-key-jwt.test.ts',
  'rfc/rfc7523/client-secret-jwt.test.ts',
  'attacks/jwt-headers.test.ts',
];
const REGISTRATION = ['rfc/rfc7591/registration.test.ts', 'rfc/rfc7591/bad-input.test.ts'];
const MANAGEMENT = ['rfc/rfc7592/management.test.ts'];
const OWNERS = [
  'pages/applications.test.ts',
  'pages/applications-choices.test.ts',
  'pages/applications-administrators.test.ts',
];

/** Clients: how they prove who they are, how they register, what they and their owners may change. */
export const CLIENTS: readonly Mutant[] = [
  ...mutantsOf(
    'core/client-authentication/client-authentication.ts',
    [...AUTHENTICATION, ...ASSERTIONS],
    [
      {
        breaks: 'a client proves who it is (RFC 6749 §3.2.1)',
        from: 'if (await method.verify(client, credentials, request)) return undefined;',
        to: 'if ((await method.verify(client, credentials, request)) || client.type) return undefined;',
      },
      {
        breaks: 'only the same id and secret may be sent twice (RFC 6749 §2.3)',
        from: 'secretsOf(credentials).includes(secret),',
        to: "secret !== '',",
        seenBy: ['client-authentication/harmless-additions.test.ts'],
      },
      {
        breaks: 'a try to authenticate by another scheme fails (RFC 6749 §5.2)',
        from: '!/^ *$|^(?:bearer|dpop)(?: |$)/i.test(authorization)',
        to: '!/^ *$|^[a-z]/i.test(authorization)',
        seenBy: ['client-authentication/harmless-additions.test.ts'],
      },
      {
        breaks: 'one method of authentication in a request (RFC 6749 §2.3)',
        from: 'if (presented.length > 1 && !isOneSecret(presented)) {',
        to: 'if (presented.length > 99 && !isOneSecret(presented)) {',
      },
      {
        breaks: 'client_id is that of the client that authenticates (RFC 6749 §3.2.1)',
        from: 'if (parameters.client_id !== undefined && parameters.client_id !== clientId)',
        to: "if (parameters.client_id === '')",
      },
      {
        breaks: 'a client that is registered for keys is not let in by a secret (RFC 7591 §2)',
        from: 'if (registered === undefined ? !requiresExplicitRegistration : registered === name) return true;',
        to: 'if (registered === undefined || !requiresExplicitRegistration || registered === name) return true;',
      },
      {
        breaks: 'a client without a method is let in by its secret, not by keys (RFC 7591 §2)',
        from: 'if (registered === undefined ? !requiresExplicitRegistration : registered === name) return true;',
        to: 'if (registered === undefined || registered === name) return true;',
        lives:
          'who has keys has a method: the registry implies private_key_jwt (client-fields.ts), so without one there is no key to be right by',
      },
    ],
  ),
  ...mutantsOf('core/client-authentication/none.ts', AUTHENTICATION, [
    {
      breaks: 'a confidential client authenticates (RFC 6749 §3.2.1)',
      from: "verify: (client) => Promise.resolve(client.type === 'public'),",
      to: "verify: (client) => Promise.resolve(client.clientId !== ''),",
    },
  ]),
  ...mutantsOf('core/client-authentication/verify-secret.ts', SECRETS, [
    {
      breaks: 'a public client has no secret, so none is right for it (RFC 6749 §2.1)',
      from: "if (type === 'public') return clientSecret === '' && rawSecret === '';",
      to: "if (type === 'public') return true;",
    },
    {
      breaks: 'a page of another origin does not guess secrets from its visitors’ addresses',
      from: "const possible = isFromForeignPage ? secrets.filter(({ algorithm }) => algorithm !== 'bcrypt') : secrets;",
      to: 'const possible = isFromForeignPage ? [...secrets] : secrets;',
      seenBy: ['attacks/guessing.test.ts', 'rfc/rfc6749/guessing.test.ts', 'http/cross-origin.test.ts'],
    },
  ]),
  ...mutantsOf(
    'core/client-authentication/client-authentication.ts',
    ['rfc/rfc6749/guessing.test.ts', 'attacks/guessing.test.ts'],
    [
      {
        breaks: 'too many wrong secrets are refused before the next one is tried (RFC 6749 §2.3.1)',
        from: 'async beforeGuess() {',
        to: "async beforeGuess() {\n          if (origin.ip !== '') return;",
      },
      {
        breaks: 'wrong secrets count (RFC 6749 §2.3.1)',
        from: 'else await (guess === undefined ? byClient.consume(key()) : guess.fail());',
        to: 'else guess?.refund();',
      },
    ],
  ),
  ...mutantsOf(
    'core/clients/secrets/client-secrets.ts',
    ['clients/client-secrets.test.ts', 'shared/crypto/secrets.test.ts', ...SECRETS],
    [
      {
        breaks: 'a secret is compared (RFC 6749 §2.3.1)',
        from: '? equalText(hashSecret(presented), hash)',
        to: "? hash !== '' || equalText(hashSecret(presented), hash)",
      },
      {
        breaks: 'a secret that was rotated ends',
        from: 'if (expiresAt !== undefined && expiresAt <= now) continue;',
        to: '',
      },
      {
        breaks: 'bcrypt reads 72 bytes: what is longer is wrong',
        from: 'if (Buffer.byteLength(presented) > BCRYPT_MAX_BYTES) return false;',
        to: '',
      },
      {
        breaks: 'right secrets are remembered, not wrong ones',
        from: 'if (isRight) verified.set(key, true);',
        to: 'verified.set(key, true);',
      },
      {
        breaks: 'a burst of wrong secrets does not hold up everybody else',
        from: 'await queueForSecret.run(async () => (await loadBcrypt()).compare(presented, hash), {',
        to: 'await (async (work: () => Promise<boolean>, _limits: object) => work())(async () => (await loadBcrypt()).compare(presented, hash), {',
        seenBy: [
          'clients/client-secrets.test.ts',
          'shared/limits/failures-at-once.test.ts',
          'shared/limits/work-queue.test.ts',
          'attacks/guessing.test.ts',
        ],
      },
    ],
  ),
  ...mutantsOf(
    'core/clients/secrets/guessable-secrets.ts',
    ['rfc/rfc6749/secrets.test.ts', 'attacks/guessing.test.ts', 'rfc/rfc6749/client-registration.test.ts'],
    [
      {
        breaks: 'a secret that is brought along is long (RFC 6749 §10.10)',
        from: 'if (secret.length < MIN_SECRET_LENGTH) return',
        to: 'if (secret.length < 1) return',
      },
    ],
  ),
  ...mutantsOf('shared/crypto/signature-algorithms.ts', ASSERTIONS, [
    {
      breaks: 'signatures only: none and HMAC are none (RFC 8725 §3.1)',
      from: 'export const SIGNATURE_ALGORITHMS: readonly string[] = [\n',
      to: "export const SIGNATURE_ALGORITHMS: readonly string[] = [\n  'HS256',\n",
      lives:
        'a public JWK of a client has no octets to make an HMAC with: jose refuses it for HS256 whatever this list says',
    },
  ]),
  ...mutantsOf('core/client-authentication/client-secret-jwt.ts', ASSERTIONS, [
    {
      breaks: 'a kept secret that was rotated ends (RFC 7523 §3)',
      from: '(secret.expiresAt !== undefined && secret.expiresAt <= now)',
      to: "clientId === ''",
    },
  ]),
  ...mutantsOf('storage/other/assertion-ids.ts', ASSERTIONS, [
    {
      breaks: 'ids are each client’s own: one does not use up those of another (RFC 7523 §3)',
      from: '.update(JSON.stringify([clientId, jti]))',
      to: '.update(JSON.stringify([jti]))',
    },
  ]),
  ...mutantsOf(
    'core/clients/public-jwks.ts',
    ['rfc/rfc7591/keys.test.ts', 'pages/applications-keys.test.ts', 'rfc/rfc7523/jwks-uri.test.ts'],
    [
      {
        breaks: 'no private key is taken (RFC 7517 §9.3)',
        from: "if (PRIVATE_MEMBERS.some((member) => member in jwk)) return 'jwksPrivate';",
        to: '',
      },
      {
        breaks: 'a private key is not passed over for the others of its set',
        from: 'published ?? (',
        to: '(',
      },
      {
        breaks: 'what cannot be used is not among the keys (RFC 7517 §5)',
        from: '{ keys: usable }',
        to: '{ keys: keys as PublicJwk[] }',
      },
      {
        breaks: 'an RSA key has 2048 bits (RFC 7518 §3.3), and not so many that it takes long',
        from: "return isRsaSized(jwk) ? undefined : 'jwksRsaSize';",
        to: 'return undefined;',
      },
    ],
  ),
  ...mutantsOf('core/clients/registry/owner-limits.ts', MANAGEMENT, [
    {
      breaks: 'what code has narrowed does not come back by a request of the client (RFC 7592 §2.2)',
      from: 'allowed[name]?.includes(value) ?? true',
      to: "allowed[name]?.includes(value) !== undefined || value !== ''",
    },
  ]),
  ...mutantsOf('features/registration/registration.ts', MANAGEMENT, [
    {
      breaks: 'a registration is read and changed by its own token (RFC 7592 §2)',
      from: 'if (client === null || stored === undefined || !equalText(stored, hashSecret(registrationAccessToken)))',
      to: 'if (client === null || stored === undefined)',
    },
    {
      breaks: 'a client that the host vouches for is changed by the host',
      from: 'if (client.registration?.adoptedAt !== undefined || isHostApproved(client, fields))',
      to: "if (clientId === '')",
    },
    {
      breaks: 'nobody registers as trusted (RFC 7591 §5)',
      from: 'name: metadata.name?.trim() ?? clientId, trusted: false },',
      to: 'name: metadata.name?.trim() ?? clientId, trusted: true },',
      seenBy: [...REGISTRATION, 'attacks/registration-flood.test.ts'],
    },
    {
      breaks: 'the registration is that of this client (RFC 7592 §2.2)',
      from: 'if (request.client_id !== client.clientId) throw',
      to: "if (request.client_id === '') throw",
    },
    {
      breaks: 'the secret matches if it is sent along (RFC 7592 §2.2)',
      from: "if (typeof secret !== 'string' || (await verifySecret(secret)) === undefined)",
      to: "if (typeof secret !== 'string')",
    },
    {
      breaks: 'what was registered by a statement does not go on without one (RFC 7591 §2.3)',
      from: 'if (current.registration?.softwareStatement !== undefined && softwareStatement === undefined) {',
      to: "if (softwareStatement === '') {",
      seenBy: ['rfc/rfc7591/software-statement.test.ts', ...MANAGEMENT],
    },
    {
      breaks: 'what a statement says counts more than what the request says (RFC 7591 §2.3)',
      from: 'parseRegistration({ ...request, ...claims }, rules)',
      to: 'parseRegistration({ ...claims, ...request }, rules)',
      seenBy: ['rfc/rfc7591/software-statement.test.ts'],
    },
    {
      breaks: 'who allowed it under another name is asked again (RFC 7592 §2.2)',
      from: '(isNowAnother ? invalidateConsents(models.consents, current.clientId, store) : store())',
      to: 'store()',
    },
  ]),
  ...mutantsOf(
    'features/registration/registration-quota.ts',
    ['attacks/registration-flood.test.ts'],
    [
      {
        breaks: 'registration has an end',
        from: 'if (waiting >= maxClients) await makeRoom(now);',
        to: '',
      },
      {
        breaks: 'who has just registered does not have to go',
        from: 'const before = new Date(now.getTime() - GRACE * 1000);',
        to: 'const before = now;',
      },
    ],
  ),
  ...mutantsOf(
    'features/registration/endpoint.ts',
    ['rfc/rfc7591/admission.test.ts', 'attacks/registration-flood.test.ts'],
    [
      {
        breaks: 'requests without an initial access token shut out no holder of one',
        from: 'await countHolder(presented.hash);',
        to: 'await countAnonymous(req);',
        seenBy: ['rfc/rfc7591/admission.test.ts'],
      },
      {
        breaks: 'requests without an initial access token are limited where one is needed',
        from: 'if (refusal instanceof OAuthError && refusal.status < 500) await countAnonymous(req);',
        to: '',
        seenBy: ['rfc/rfc7591/admission.test.ts'],
      },
      {
        breaks: 'an initial access token is needed where registration is not open (RFC 7591 §3)',
        from: 'if (isOpen)',
        to: 'if (isOpen || now)',
      },
      {
        breaks: 'an initial access token has so many uses (RFC 7591 §3)',
        from: 'if (!(await initialAccessTokens.use(presented, now))) throw refuse();',
        to: 'await Promise.resolve();',
      },
      {
        breaks: 'one address does not register without end',
        from: "await ofAddress.consume(failureKey(req, ''));",
        to: '',
      },
      {
        breaks: 'the addresses of one network do not, either',
        from: 'await ofNetwork.consume(wideNetworkKey(req));',
        to: '',
      },
    ],
  ),
  ...mutantsOf(
    'core/clients/registry/update-client.ts',
    ['clients/changes-at-once.test.ts', ...OWNERS],
    [
      {
        breaks: 'who allowed it under another name is asked again',
        from: 'hasNewIdentity(before, metadata) && {',
        to: 'before === metadata && {',
      },
      {
        breaks: 'what is changed is what was looked at',
        from: 'if (expectedUpdatedAt !== undefined && updatedAt.getTime() !== expectedUpdatedAt.getTime())',
        to: 'if (expectedUpdatedAt?.getTime() === 1)',
      },
      {
        breaks: 'owners go no further than the host allows',
        from: "const own = by === 'owner' ? ownerLimitsOf(before, ownerLimits) : limits;",
        to: 'const own = limits;',
        lives:
          'the form was checked by the same limits, and what has changed since is answered as changed; it is for what else may call this',
      },
      {
        breaks: 'a client does not become public, or stop to be (RFC 6749 §2.1)',
        from: 'if (metadata.type !== before.type)',
        to: 'if (metadata.type === undefined)',
        seenBy: ['clients/client-fields.test.ts', 'rfc/rfc6749/client-registration.test.ts', ...OWNERS],
      },
    ],
  ),
  ...mutantsOf('core/clients/registry/owner-limits.ts', OWNERS, [
    {
      breaks: 'an owner adds no scope to what asks nobody unless code has set it',
      from: 'scopes: union(allowed.scopes ?? (isBeyond ? scopes : limits.scopes), scopes),',
      to: 'scopes: union(allowed.scopes ?? limits.scopes, scopes),',
    },
    {
      breaks: 'nor while the grant type is put aside, to come back to it afterwards',
      from: '[...grantTypes, ...(allowed.grantTypes ?? [])].some(',
      to: 'grantTypes.some(',
    },
  ]),
  ...mutantsOf(
    'core/clients/registry/client-service.ts',
    ['clients/changes-at-once.test.ts', ...OWNERS],
    [
      {
        breaks: 'a secret that was put aside for keys does not come back',
        from: 'if (!authenticatesBySecret(after, limits.methods) && before.secrets.length > 0)',
        to: "if (clientId === '')",
        seenBy: ['pages/applications-keys.test.ts', 'rfc/rfc7523/private-key-jwt.test.ts', ...OWNERS],
      },
    ],
  ),
  ...mutantsOf(
    'storage/clients/client-collection.ts',
    ['clients/changes-at-once.test.ts', ...MANAGEMENT],
    [
      {
        breaks: 'a right that code takes away stays away: updates are of what was read',
        from: 'clients.findOneAndUpdate({ _id: clientId, updatedAt }, update)',
        to: 'clients.findOneAndUpdate({ _id: clientId }, update)',
      },
    ],
  ),
  ...mutantsOf('pages/applications/application-access.ts', OWNERS, [
    {
      breaks: 'developers see their own applications and no others',
      from: '(viewer.isAdministrator || isOwner(client, viewer.ownerId))',
      to: '(viewer.isAdministrator || client.ownerId !== undefined || isOwner(client, viewer.ownerId))',
    },
    {
      breaks: 'what the host vouches for is the host’s to change',
      from: 'canEdit: viewer.isAdministrator || !(client.trusted || isFrozen),',
      to: "canEdit: viewer.isAdministrator || viewer.ownerId !== '',",
    },
    {
      breaks: 'administrators verify, owners do not',
      from: 'canVerify: viewer.isAdministrator,',
      to: "canVerify: viewer.ownerId !== '',",
    },
    {
      breaks: 'only true lets somebody register applications: a promise of false does not',
      from: 'isAdministrator || (await settings.applications.isDeveloper(req)) === true',
      to: 'isAdministrator || Boolean(await settings.applications.isDeveloper(req))',
      seenBy: [...OWNERS, 'attacks/host-values.test.ts'],
    },
  ]),
  ...mutantsOf('pages/applications/application-changes.ts', OWNERS, [
    {
      breaks: 'owners change what is theirs to change',
      from: 'const owners = fields.filter(({ isOwners }) => isOwners).map(({ name }) => name);',
      to: 'const owners = fields.map(({ name }) => name);',
      lives:
        'the form has no field that is not the owner’s, so nothing reaches this list yet; it is for fields that a host adds',
    },
    {
      breaks: 'what is vouched for is what was looked at',
      from: "if (verified && textField(req.body, 'seen') !== updatedAt.toISOString())",
      to: "if (verified && textField(req.body, 'expectedUpdatedAt') === 'never')",
    },
  ]),
  ...mutantsOf('pages/applications/application-registration.ts', OWNERS, [
    {
      breaks: 'a developer has so many applications, sent at once or not',
      from: 'keyedMutex(viewerOf(req).ownerId, () => registerOne(',
      to: 'keyedMutex(String(Math.random()), () => registerOne(',
    },
  ]),
  ...mutantsOf(
    'storage/clients/registered-clients.ts',
    ['clients/changes-at-once.test.ts', ...MANAGEMENT],
    [
      {
        breaks: 'of two who replace a registration at once one does (RFC 7592 §2.2)',
        from: "          'registration.accessTokenHash': current.registration?.accessTokenHash ?? '',\n",
        to: '',
      },
      {
        breaks: 'a client that the host adopts at that moment does not change itself (RFC 7592 §2.2)',
        from: "          'secrets.0.hash': current.secrets[0]?.hash ?? { $exists: false },\n          ...SELF_MANAGED,\n",
        to: "          'secrets.0.hash': current.secrets[0]?.hash ?? { $exists: false },\n",
      },
    ],
  ),
  ...mutantsOf(
    'core/clients/registry/delete-client.ts',
    ['grants/meanwhile.test.ts', 'rfc/rfc7592/management.test.ts', 'pages/applications.test.ts'],
    [
      {
        breaks: 'a deleted client has no tokens by what was given meanwhile (RFC 7592 §2.3)',
        from: 'const meanwhile = await endAll();',
        to: 'const meanwhile = 0;',
      },
      {
        breaks:
          'the tokens of a deleted client end before it goes, so that a try that failed can be repeated',
        from: 'const before = await endAll();',
        to: 'const before = 0;',
      },
    ],
  ),
];
