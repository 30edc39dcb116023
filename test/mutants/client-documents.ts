import { type Mutant, mutantsOf } from './mutant.js';

const FOLDER = 'rfc/draft-ietf-oauth-client-id-metadata-document-02';
const RIGHT = [`${FOLDER}/client-documents.test.ts`];
const WRONG = [`${FOLDER}/wrong-documents.test.ts`];

/** Clients that describe themselves (OAuth Client ID Metadata Document). */
export const CLIENT_DOCUMENTS: readonly Mutant[] = [
  ...mutantsOf('features/client-id-metadata-documents/metadata-document.ts', WRONG, [
    {
      breaks: 'a document is about the client at its own address (§4)',
      from: 'if (named !== clientId)',
      to: "if (named === '')",
    },
    {
      breaks: 'a document has no secret (§4.1)',
      from: 'if (secret !== undefined)',
      to: "if (secret === '')",
    },
    {
      breaks: 'codes go to the host of the document, or to the device (§8.1)',
      from: 'redirectUris.filter((uri) => !isElsewhere(uri))',
      to: 'redirectUris.filter((uri) => isElsewhere(uri) || uri)',
    },
  ]),
  ...mutantsOf('features/client-id-metadata-documents/document-client-source.ts', WRONG, [
    {
      breaks: 'a host that is blocked gets nothing (§8.9)',
      from: 'if (!isApproved || !isLetIn(hostname, trust))',
      to: 'if (!isApproved)',
    },
    {
      breaks: 'where applications need approval, hosts do, too',
      from: 'if (!isApproved || !isLetIn(hostname, trust))',
      to: 'if (!isLetIn(hostname, trust))',
    },
    {
      breaks: 'a client id is a URL that says where it is fetched (§3)',
      from: 'if (problem !== undefined)',
      to: "if (problem === '')",
    },
  ]),
  ...mutantsOf('features/client-id-metadata-documents/document-client-source.ts', RIGHT, [
    {
      breaks: 'people are asked again about a client that became another (§8.4)',
      from: 'isNowAnother ? invalidateConsents(consents, before.clientId, update) : update()',
      to: 'update()',
    },
    {
      breaks: 'what the host has taken away does not come back by a document',
      from: 'withinAllowed(before, metadata)',
      to: 'metadata',
    },
    {
      breaks: 'a client whose document is gone ends after a day',
      from: 'if (isRecent && isUsable) return before;',
      to: 'if (isUsable) return before;',
    },
    {
      breaks: 'what the host has registered is what the host says (§7.2)',
      from: 'found !== null && found.document === undefined;',
      to: 'found !== null && found.document !== undefined;',
    },
  ]),
  ...mutantsOf('features/client-id-metadata-documents/fetch-client-document.ts', WRONG, [
    {
      breaks: 'this server asks nobody in its own network (§8.6)',
      from: 'const allowPrivateAddresses = allowLoopback && isLoopbackHost(new URL(clientId).hostname);',
      to: 'const allowPrivateAddresses = isLoopbackHost(new URL(clientId).hostname) || allowLoopback || true;',
    },
    {
      breaks: 'a page is no document (§4)',
      from: 'checkType(headers);',
      to: '',
    },
  ]),
  ...mutantsOf(
    'core/clients/domain-trust.ts',
    [`${FOLDER}/verified-client-ids.test.ts`],
    [
      {
        breaks: 'a client id that is verified vouches for no other document of its host (§3)',
        from: 'verified.includes(clientId)',
        to: 'verified.some((each) => URL.canParse(each) && clientId.startsWith(new URL(each).origin))',
      },
    ],
  ),
  ...mutantsOf('settings/features/client-document-options.ts', WRONG, [
    {
      breaks: 'what is verified is a host, or a client id that can be one (§3)',
      from: 'DOMAIN.test(text) || isClientId(text)',
      to: 'DOMAIN.test(text) || isClientIdUrl(text, { allowLoopback: true })',
    },
    {
      breaks: 'a public site asks nobody on its own machine (§8.6)',
      from: 'if (options.allowLoopback && !isLoopbackHost(context.issuer.hostname))',
      to: "if (options.allowLoopback && context.issuer.hostname === '')",
    },
  ]),
  ...mutantsOf('storage/clients/client-expiry.ts', RIGHT, [
    {
      breaks: 'that a domain is verified holds as long as the option says so',
      from: '...(verified !== undefined && isVerifiedByOptions !== true && { verified }),',
      to: '...(verified !== undefined && { verified }),',
    },
    {
      breaks: 'what a client was allowed that is gone is forgotten when one comes by its id (§8.4)',
      from: 'await consents?.forget({ clientId: client.clientId });',
      to: '',
    },
  ]),
  ...mutantsOf('core/authorization/prior-consent.ts', RIGHT, [
    {
      breaks: 'what a client was allowed that is gone counts for none that comes by its id (§8.4)',
      from: 'if (document?.isUnstored === true) return undefined;',
      to: '',
    },
  ]),
  ...mutantsOf(
    'core/clients/registry/update-client.ts',
    ['clients/changes-at-once.test.ts', ...RIGHT],
    [
      {
        breaks: 'what people allowed is forgotten before a client becomes another (§8.4)',
        from: '  await consents.forget({ clientId });\n  const changed',
        to: '  const changed',
      },
    ],
  ),
  ...mutantsOf(
    'core/clients/untrusted-fetch-limits.ts',
    ['attacks/addresses-of-strangers.test.ts'],
    [
      {
        breaks: 'strangers lead nobody into the network of the site (§8.6)',
        from: 'return requiresPublicAddresses(client) ? untrustedFetchLimits(limits, address) : limits;',
        to: 'return limits;',
      },
      {
        breaks: 'nor to its own machine (§8.6)',
        from: 'allowPrivateAddresses && allowLoopback && isOnLoopback(address)',
        to: 'allowPrivateAddresses && isOnLoopback(address)',
      },
      {
        breaks: 'a document is a word of a stranger',
        from: 'return client.document !== undefined || isThirdParty(client);',
        to: 'return client.document === undefined && isThirdParty(client);',
      },
      {
        breaks: 'so is one of a developer',
        from: 'return client.document !== undefined || isThirdParty(client);',
        to: 'return client.document !== undefined || (client.ownerId === undefined && isThirdParty(client));',
      },
    ],
  ),
  ...mutantsOf(
    'core/client-authentication/client-keys.ts',
    ['attacks/addresses-of-strangers.test.ts'],
    [
      {
        breaks: 'the keys of strangers are on public addresses (§8.6)',
        from: 'requiresPublicAddresses(client) ? ofStrangers : known',
        to: 'requiresPublicAddresses(client) ? known : known',
      },
    ],
  ),
  ...mutantsOf(
    'shared/outbound/limit-untrusted-fetch.ts',
    ['shared/outbound/fetch-for-stranger.test.ts', 'attacks/fetches-of-strangers.test.ts'],
    [
      {
        breaks: 'nothing is fetched for somebody who may be anybody (RFC 9101 §10.4.1)',
        from: 'if (isTreatedAsVisitor(caller, fetch)) throw new LoginNeeded();',
        to: '',
      },
      {
        breaks: 'a client that nobody has allowed does not learn that somebody is logged in (Core §17)',
        from: " || ('isSilent' in caller && standing === 'unknown')",
        to: '',
        seenBy: ['attacks/silent-requests.test.ts'],
      },
      {
        breaks: 'one caller has a share of the failures',
        from: 'const attempt = await failures.reserve(key);',
        to: 'const attempt = await failures.reserve(key + String(Math.random()));',
      },
      {
        breaks: 'one caller has a share of the fetches',
        from: 'await spendOr(fetches, key, () => attempt.refund());',
        to: '',
      },
      {
        breaks: 'strangers do not use up what stored clients need',
        from: 'return isPerRequest && !isOfHost;',
        to: 'return !isOfHost;',
      },
      {
        breaks: 'a URL that failed rests for a moment',
        from: 'if (left <= 0) return;',
        to: 'if (left <= 0 || left > 0) return;',
      },
      {
        breaks: 'one caller takes few places of those who wait',
        from: 'if (isLimited && atOnce.of(key) >= MAX_AT_ONCE[kindOf(caller)]) throw tooManyAtOnce();',
        to: '',
      },
    ],
  ),
  ...mutantsOf('shared/protocol/client-id-url.ts', WRONG, [
    {
      breaks: 'a host that is blocked has no other name (§8.9)',
      from: 'if (/\\.(:\\d*)?$/.test(authority))',
      to: "if (authority === '')",
    },
  ]),
  ...mutantsOf('server/compose-features.ts', RIGHT, [
    {
      breaks: 'where no documents are looked at, no client comes by one',
      from: 'client?.document === undefined ? client : null',
      to: 'client',
    },
  ]),
];
