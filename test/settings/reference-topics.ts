/** A page of the reference. */
export interface Topic {
  /** Its file in docs/reference/, without `.md`. */
  readonly name: string;
  readonly title: string;
  /** The constants of its groups of `authorizationServer`. */
  readonly groups: readonly string[];
  /** Its functions, in the form of FUNCTIONS, up to the parenthesis. */
  readonly functions: readonly string[];
}

/** The pages of the reference. A group or a function without a topic gets a separate page. */
export const TOPICS: readonly Topic[] = [
  {
    name: 'site',
    title: 'The site and its tokens',
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
    groups: [
      'peopleOptions',
      'pageOptions',
      'applicationsOptions',
      'choicesOptions',
      'authorizationDetailsOptions',
      'notificationOptions',
    ],
    functions: ['localLogin', 'createUsers', 'oauth.people.end'],
  },
  {
    name: 'clients',
    title: 'Clients',
    groups: ['clientAuthenticationOptions', 'registrationOptions', 'clientDocumentOptions'],
    functions: ['oauth.clients.create', 'oauth.registration.createInitialAccessToken'],
  },
  {
    name: 'openid-connect',
    title: 'OpenID Connect and step-up',
    groups: ['openidServerOptions', 'stepUpOptions'],
    functions: [],
  },
  {
    name: 'guards',
    title: 'Guards, MCP and OpenAPI',
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
    groups: ['tokenExchangeOptions', 'assertionServerOptions', 'spiffeOptions', 'personalAccessTokenOptions'],
    functions: [
      'oauth.personalAccessTokens.create',
      'oauth.personalAccessTokens.list',
      'oauth.personalAccessTokens.rotate',
      'oauth.personalAccessTokens.block',
    ],
  },
  {
    name: 'security',
    title: 'Security',
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
    groups: ['auditOptions', 'webhookOptions', 'telemetryOptions', 'sharedSignalsServerOptions'],
    functions: ['oauth.audit.find'],
  },
];
