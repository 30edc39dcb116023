/** A page of the reference. */
export interface Topic {
  /** Its file in docs/reference/, without `.md`. */
  readonly name: string;
  readonly title: string;
  /** Whom the page is for, as the end of a sentence that begins with "For developers who look up". */
  readonly subject: string;
  /** The constants of the groups of `authorizationServer` that it has. */
  readonly groups: readonly string[];
  /** The functions that it has, as FUNCTIONS writes them, up to the parenthesis. */
  readonly functions: readonly string[];
}

/** The pages of the reference. A group or a function that no topic names gets a page of its own. */
export const TOPICS: readonly Topic[] = [
  {
    name: 'site',
    title: 'The site and its tokens',
    subject: 'where the server is, which grant types it has, and what its codes and tokens are',
    groups: [
      'essentialOptions',
      'lifetimeOptions',
      'tokenOptions',
      'resourceOptions',
      'policyServerOptions',
      'schemaOptions',
      'advancedOptions',
    ],
    functions: ['oauth.grants.create', 'oauth.grants.revoke'],
  },
  {
    name: 'people',
    title: 'Users and pages',
    subject: 'how users log in, what they are asked, and how the pages look',
    groups: [
      'peopleOptions',
      'pageOptions',
      'applicationsOptions',
      'choicesOptions',
      'authorizationDetailsOptions',
      'notificationOptions',
    ],
    functions: ['localLogin', 'createUsers'],
  },
  {
    name: 'clients',
    title: 'Clients',
    subject: 'how clients are registered, and how they authenticate',
    groups: ['clientAuthenticationOptions', 'registrationOptions', 'clientDocumentOptions'],
    functions: ['oauth.clients.create', 'oauth.registration.createInitialAccessToken'],
  },
  {
    name: 'openid-connect',
    title: 'OpenID Connect and step-up',
    subject:
      'what other sites are told of users who sign in with their account here, and which login a route needs',
    groups: ['openidServerOptions', 'stepUpOptions'],
    functions: [],
  },
  {
    name: 'guards',
    title: 'Guards, MCP and OpenAPI',
    subject: 'what a guarded route asks for, in this process and in others',
    groups: ['guardOptions', 'agentOptions'],
    functions: [
      'oauth.guard',
      'oauth.guard.upgrade',
      'oauth.guard.strategy',
      'oauth.verify',
      'oauth.mcp',
      'oauth.mcp.requireBearerAuth',
      'oauth.openapi',
      'bearerGuard',
    ],
  },
  {
    name: 'callers',
    title: 'Token exchange, workloads and personal access tokens',
    subject: 'token exchange, assertions, SPIFFE and personal access tokens',
    groups: ['tokenExchangeOptions', 'assertionServerOptions', 'spiffeOptions', 'personalAccessTokenOptions'],
    functions: [
      'github',
      'gitlab',
      'kubernetes',
      'oauth.personalAccessTokens.create',
      'oauth.personalAccessTokens.list',
      'oauth.personalAccessTokens.rotate',
      'oauth.personalAccessTokens.block',
    ],
  },
  {
    name: 'security',
    title: 'Security',
    subject:
      'who must use PKCE, limits on failures, DPoP, mutual TLS, pushed and signed requests, and the profiles of FAPI',
    groups: [
      'securityOptions',
      'pushedRequestOptions',
      'dpopOptions',
      'mutualTlsOptions',
      'signedRequestOptions',
      'responseModeOptions',
      'profileOptions',
    ],
    functions: [],
  },
  {
    name: 'operations',
    title: 'Events and other services',
    subject: 'the audit log, webhooks, telemetry, and signals between services',
    groups: [
      'auditOptions',
      'webhookOptions',
      'telemetryOptions',
      'sharedSignalsServerOptions',
      'globalRevocationServerOptions',
    ],
    functions: ['oauth.audit.find'],
  },
];
