/** A row of docs/reference/specifications.md. */
export interface Specification {
  /** Folders of test/rfc with its requirements; none if other tests prove the specification. */
  readonly folders: readonly string[];
  readonly name: string;
  readonly covered: string;
  /** The option that enables the specification, as a link from docs/reference/. */
  readonly option?: string;
  readonly missing?: string;
}

/** The implemented specifications, by publisher. */
export const SPECIFICATIONS: Readonly<Record<string, readonly Specification[]>> = {
  'The IETF': [
    {
      folders: ['rfc6749'],
      name: 'RFC 6749 OAuth 2.0',
      covered: 'All grants, client registration on a page (§2)',
      missing: 'Partial redirect URIs (§3.1.2.2)',
    },
    {
      folders: ['rfc6750'],
      name: 'RFC 6750 Bearer tokens',
      covered: 'Header; body and query by the option',
      option: '[`bearerMethods`](guards.md#guard-of-authorizationserver)',
    },
    { folders: ['rfc7009'], name: 'RFC 7009 Revocation', covered: 'All' },
    { folders: ['rfc7517'], name: 'RFC 7517 JSON Web Key', covered: 'The key set' },
    {
      folders: ['rfc7521', 'rfc7523'],
      name: 'RFC 7521, 7523 Assertions',
      covered: '`private_key_jwt`, `client_secret_jwt`; JWTs as grants (§2.1)',
      option: '[`assertions`](../callers.md) for grants',
      missing: 'SAML (RFC 7522)',
    },
    {
      folders: ['rfc7591', 'rfc7592'],
      name: 'RFC 7591, 7592 Registration',
      covered: 'Registration and management',
      option: '[`registration`](../clients.md#clients-that-register-themselves)',
      missing: 'Metadata in several languages',
    },
    { folders: ['rfc7636'], name: 'RFC 7636 PKCE', covered: '`S256`', missing: '`plain`' },
    {
      folders: ['rfc7662'],
      name: 'RFC 7662 Introspection',
      covered: 'For clients that you register for it',
    },
    {
      folders: ['rfc8252'],
      name: 'RFC 8252 Native apps',
      covered: 'Loopback, private-use schemes, `https:`',
    },
    {
      folders: ['rfc8414'],
      name: 'RFC 8414 Metadata',
      covered: 'At the well-known URLs',
      missing: 'Signed metadata',
    },
    {
      folders: ['rfc8417', 'rfc8935', 'rfc8936'],
      name: 'RFC 8417, 8935, 8936, 9493 Security event tokens, their delivery and subjects',
      covered: 'Transmitter and receiver, push and poll',
      option: '[`sharedSignals`](../shared-signals.md)',
      missing: 'Encrypted tokens, events of SCIM',
    },
    {
      folders: ['rfc8628'],
      name: 'RFC 8628 Device grant',
      covered: 'All',
      option: '[`grantTypes`](../guide.md#devices-without-a-browser)',
    },
    {
      folders: ['rfc8693'],
      name: 'RFC 8693 Token exchange',
      covered:
        'Delegation (`act`), also with access tokens [of others that you trust](../callers.md#tokens-of-another-server)',
      option: '[`tokenExchange`](../callers.md#one-application-acts-through-another)',
      missing: 'Other types of tokens',
    },
    {
      folders: ['rfc8705'],
      name: 'RFC 8705 Mutual TLS',
      covered: 'Client authentication, bound tokens',
      option: '[`mutualTls`](../guide.md#clients-with-certificates)',
    },
    {
      folders: ['rfc8707'],
      name: 'RFC 8707 Resource indicators',
      covered: 'Several resources in a grant',
      option: '[`resources`](../resource-servers.md#an-api-in-another-process)',
      missing: 'Several in an access token',
    },
    { folders: [], name: 'RFC 8959 `secret-token`', covered: 'At both guards' },
    {
      folders: ['rfc9068'],
      name: 'RFC 9068 JWT access tokens',
      covered: 'Signed',
      option: '[`accessTokenFormat`](../resource-servers.md#an-api-in-another-process)',
      missing: 'Encrypted',
    },
    {
      folders: ['rfc9101'],
      name: 'RFC 9101 Signed requests (JAR)',
      covered: 'By value and by reference, signed and encrypted',
      option: '[`signedRequests`](../guide.md#signed-requests-and-answers)',
      missing: 'Symmetric keys',
    },
    {
      folders: ['rfc9126'],
      name: 'RFC 9126 Pushed requests (PAR)',
      covered: 'The endpoint and the metadata',
      option: '[`pushedRequests`](../guide.md#pushed-requests)',
      missing: 'Unregistered redirect URIs (§2.4)',
    },
    {
      folders: ['rfc9207'],
      name: 'RFC 9207 Issuer identification',
      covered: 'In every authorization response',
    },
    {
      folders: ['rfc9396'],
      name: 'RFC 9396 Rich authorization requests',
      covered: 'At all endpoints, on the pages, at both guards',
      option: '[`authorizationDetails`](../consent-that-binds.md)',
    },
    {
      folders: ['rfc9449'],
      name: 'RFC 9449 DPoP',
      covered: 'At all endpoints and both guards',
      option: '[`dpop`](../guide.md#tokens-that-are-bound-to-a-key)',
    },
    {
      folders: ['rfc9470'],
      name: 'RFC 9470 Step-up authentication',
      covered: 'At both guards and `oauth.mcp`',
      option: '[`stepUp`](../resource-servers.md#a-login-that-is-new-or-strong-enough)',
    },
    {
      folders: ['rfc9700', 'rfc6819'],
      name: 'RFC 9700 Best practice, 6819 Threats',
      covered:
        '[Each attack](../security.md#attacks-and-where-they-are-tried), with its protection and tests',
    },
    {
      folders: ['rfc9701'],
      name: 'RFC 9701 Signed introspection',
      covered: 'Signed',
      missing: 'Encrypted',
    },
    {
      folders: ['rfc9728'],
      name: 'RFC 9728 Resource metadata',
      covered: 'By both guards',
      missing: 'Signed metadata',
    },
    {
      folders: ['rfc10017'],
      name: 'RFC 10017 Browser-based applications',
      covered: '[What a server can do](../security.md#what-nothing-protects-from)',
    },
    {
      folders: ['rfc10027'],
      name: 'RFC 10027 Cross-device flows',
      covered: 'Device codes',
      missing: 'Proximity of devices',
    },
  ],
  'The OpenID Foundation': [
    {
      folders: [
        'openid-core',
        'openid-discovery',
        'openid-registration',
        'openid-rp-metadata-choices',
        'openid-multiple-response-types',
        'prompt-create',
        'unmet-authentication-requirements',
      ],
      name: 'OpenID Connect Core, Discovery, Registration, RP Metadata Choices, Multiple Response Types, `prompt=create`, `unmet_authentication_requirements`',
      covered: 'Code, implicit and hybrid flow, signed and encrypted ID tokens and userinfo, single claims',
      option: '[`openid`](../openid-connect.md)',
      missing: 'Aggregated and distributed claims, self-issued providers',
    },
    {
      folders: [
        'openid-rpinitiated',
        'openid-backchannel',
        'openid-frontchannel',
        'openid-session-management',
      ],
      name: 'RP-Initiated, Back-Channel and Front-Channel Logout, Session Management',
      covered: 'All',
      option:
        '[`openid`](../openid-connect.md#logout), [`sessionManagement`](openid-connect.md#openid-of-authorizationserver)',
    },
    {
      folders: ['form-post'],
      name: 'Form Post Response Mode',
      covered: 'All',
      option: '[`formPost`](security.md#responses-to-authorization-requests)',
    },
    {
      folders: ['jarm'],
      name: 'JARM',
      covered: 'Signed and encrypted',
      option: '[`signedResponses`](../guide.md#signed-requests-and-answers)',
    },
    {
      folders: ['fapi2-security-profile', 'fapi2-message-signing'],
      name: 'FAPI 2.0 Security Profile, Message Signing',
      covered: 'For the site or single clients',
      option: '[`profile`](../guide.md#fapi-20-by-one-option)',
    },
    {
      folders: ['openid-sharedsignals-framework', 'openid-caep', 'openid-caep-interoperability'],
      name: 'Shared Signals Framework 1.0, CAEP 1.0, RISC 1.0, CAEP Interoperability Profile (draft 01)',
      covered: 'Transmitter and receiver, the management API',
      option: '[`sharedSignals`](../shared-signals.md)',
      missing: '`inactivity_timeout`',
    },
  ],
  'Drafts and others': [
    {
      folders: ['draft-ietf-oauth-identity-assertion-authz-grant-04'],
      name: 'Identity Assertion JWT Authorization Grant (draft 04)',
      covered: 'What a resource authorization server does',
      option: '[`assertions`](../callers.md#an-agent-of-a-company)',
      missing: '`sub_id` is only passed to your `findUser`',
    },
    {
      folders: ['draft-ietf-oauth-rar-metadata-remediation-00'],
      name: 'RAR metadata and error remediation (draft 00)',
      covered: 'At both guards and `oauth.mcp`',
      option: '[`details`](../resource-servers.md#what-one-call-needs-in-detail)',
      missing: '`schema_uri`',
    },
    {
      folders: ['draft-ietf-oauth-spiffe-client-auth-02'],
      name: 'SPIFFE Client Authentication (draft 02)',
      covered: '`spiffe_jwt`',
      option: '[`spiffe`](../callers.md#a-program-that-spiffe-attests)',
      missing: '`spiffe_x509`, `spiffe_wit`, `spiffe_bundle_endpoint`',
    },
    {
      folders: ['draft-ietf-oauth-client-id-metadata-document-02'],
      name: 'Client ID Metadata Document (draft 02)',
      covered: 'Documents and their keys',
      option: '[`clientIdMetadataDocuments`](../clients.md#clients-that-nobody-registers)',
    },
    {
      folders: ['mcp-authorization-2026-07-28', 'mcp-ext-oauth-client-credentials', 'mcp-sep-1933'],
      name: 'MCP authorization (2026-07-28), with client credentials and workload identity (SEP-1933)',
      covered: 'What a server and an endpoint do',
      option: '[`agents`](../agents.md)',
    },
    {
      folders: [],
      name: 'Standard Webhooks (1.0)',
      covered: '`v1` signatures',
      option: '[`webhooks`](../operations.md#webhooks)',
      missing: '`v1a` (asymmetric)',
    },
  ],
};
