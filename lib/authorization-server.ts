import type { ErrorRequestHandler, Request, RequestHandler, Response, Router } from 'express';

import { DEFAULT_USED_TTL } from './core/clients/client-store.js';
import type { ClientRegistry } from './core/clients/registry/client-registry.js';
import { createClientRegistry } from './core/clients/registry/create-client-registry.js';
import { createGrantRevocation, type GrantRegistry } from './core/grants/grant-registry.js';
import { answerGuardError } from './core/guard/answer-guard-error.js';
import type { Verify } from './core/guard/guard.js';
import type { KeyRegistry } from './core/keys/key-registry.js';
import type { Audit } from './core/observability/audit.js';
import type { OAuthEvents } from './core/observability/events.js';
import { createObservation } from './core/observability/observation.js';
import { flushErrorLog, notifyHost } from './core/observability/report.js';
import type { PeopleRegistry } from './core/people/people-registry.js';
import { withBrowserState } from './core/sessions/browser-state.js';
import { withRecordedLogins } from './core/sessions/login-session.js';
import { consumeReturnTo, createResume } from './core/sessions/resume.js';
import {
  allClientFields,
  allGrantTypes,
  type AuthorizationServerOptions,
  BUILT_IN,
  registryOf,
} from './features.js';
import { createGuardWithMcp, type Guard, type Mcp } from './features/mcp/mcp.js';
import { createNotifications } from './features/notifications/notifications.js';
import { createSessionRegistry, type SessionRegistry } from './features/openid/session-registry.js';
import {
  createPersonalAccessTokens,
  type PersonalAccessTokens,
} from './features/personal-access-tokens/registry.js';
import {
  createRegistrationRegistry,
  type RegistrationRegistry,
} from './features/registration/initial-access-tokens.js';
import { createSharedSignals, type SharedSignals } from './features/shared-signals/shared-signals.js';
import { createWebhooks, NO_WEBHOOKS, type Webhooks } from './features/webhooks/webhooks.js';
import { createLoginPage } from './pages/login/login-page.js';
import { type LoginServices, offerLoginServices } from './pages/login/servers-by-connection.js';
import { createWaitingRequests, type DescribeRequest } from './pages/login/waiting-request.js';
import { createRouters, createWellKnown, mountEndpoints } from './server/endpoints/mount.js';
import { createDescribeOpenApi, type DescribeOpenApi } from './server/openapi.js';
import { createReadiness, type Health } from './server/readiness.js';
import { type BuiltIn, createServer, type Endpoints } from './server/server.js';
import { siteGuardDependencies } from './server/site-guard.js';
import { createUnreportedChanges } from './server/unreported-changes.js';
import { isLoopbackIssuer } from './settings/endpoint-urls.js';
import { parseSettings } from './settings/settings.js';
import { messageOf, OAuthError } from './shared/errors.js';
import { lazy } from './shared/lazy.js';
import { waitAtMax } from './shared/limits/deadline.js';
import type { Models } from './storage/collections.js';
import { ConnectionNeverOpened } from './storage/connection/database.js';
import { offerAccountEnd } from './storage/other/users.js';
import { createStores } from './storage/stores.js';

/** An authorization server, ready to be mounted. */
export interface AuthorizationServer<Scopes extends string = string> {
  /**
   * All endpoints and pages: `app.use(oauth.router)`, after the session and `passport.session()`. Or use its two parts
   * instead, `clientRouter` and `pageRouter`.
   */
  readonly router: Router;
  /**
   * The endpoints for clients: token, revocation, introspection, keys, metadata, registration, device codes. Clients
   * have no session and no CSRF token, so `app.use(oauth.clientRouter)` is the first line of the app: no session is
   * made for them, and none of your CSRF checks, redirects to the login, limits or lists of origins refuses them.
   */
  readonly clientRouter: Router;
  /** The pages for users: `app.use(oauth.pageRouter)`, after the session and `passport.session()`. */
  readonly pageRouter: Router;
  /**
   * The router of each endpoint, for a site that mounts them itself; each answers at its own root. The option
   * `advanced.paths` has their paths.
   */
  readonly endpoints: Endpoints;
  /**
   * The metadata at both spellings of its well-known URL, for an issuer with a path, and that of the
   * resources: mount it at the site's root.
   */
  readonly wellKnown: Router;
  /**
   * Sends a user who has just logged in back to the page of this server that waits for them. `router` does that for
   * everything that is mounted after it, so this is for a site that mounts `endpoints` itself, or has pages before the
   * router: `app.use(oauth.resume)`, after the session and `passport.session()`. With `openid` it also records when
   * users log in with Passport after it.
   */
  readonly resume: RequestHandler;
  /**
   * For your own login page, above all if your site sends a Content-Security-Policy with `form-action`, as helmet
   * does: `app.use('/login', oauth.loginPage)`. A user who has allowed a client before goes from your form straight on
   * to it, and Chromium applies the page's `form-action` to the redirects after a form. So a source for the registered
   * redirect URI of the waiting client is added to that directive, and nothing else. It makes no difference whether
   * your policy is set before or after; no other directive is touched, and no policy is made if there is none. If your
   * site does not set them, the page also gets `X-Frame-Options: SAMEORIGIN` (unless a policy has `frame-ancestors`),
   * `Referrer-Policy: strict-origin-when-cross-origin` and `X-Content-Type-Options: nosniff`.
   *
   * @see CSP Level 3 §6.4.2, RFC 6749 §10.13
   */
  readonly loginPage: RequestHandler;
  /**
   * Describes the client for which a user logs in, so that your login page can name it: `await
   * oauth.describeRequest(req, res)` is `{ clientId, clientName, isVerified, publisher? }`, or `undefined` if no client
   * waits. The client has chosen the text of its name itself: escape it. `localLogin` names the client by itself.
   */
  readonly describeRequest: DescribeRequest;
  /**
   * The path of the page of this server that waits for the user who has just logged in, returned once; `fallback`, or
   * `/`, if there is none. For a login that answers a script: `res.json({ goTo: oauth.takeReturnPath(req, res, '/home')
   * })`, and in the browser `location.assign(goTo)`.
   */
  takeReturnPath(req: Request, res: Response, fallback?: string): string;
  /** Middleware that lets through only requests with a suitable access token. */
  readonly guard: Guard<Scopes>;
  /**
   * Checks an access token in code, such as the token of a socket: `await oauth.verify(token, { scopes: ['photos:read']
   * })`.
   */
  readonly verify: Verify<Scopes>;
  /** Endpoints of the Model Context Protocol behind the guard: `app.use('/mcp', oauth.mcp({ … }))`. */
  readonly mcp: Mcp<Scopes>;
  /**
   * The security schemes of your OpenAPI document, with the scopes and their descriptions, and the guard's refusals:
   * `components: oauth.openapi()`.
   */
  readonly openapi: DescribeOpenApi;
  /** Answers the guard's refusals as JSON: `app.use('/api', oauth.errorHandler)` after the routes. */
  readonly errorHandler: ErrorRequestHandler;
  /** Registers and changes clients from code. */
  readonly clients: ClientRegistry<Scopes>;
  /** The keys that sign JWTs, from code. */
  readonly keys: KeyRegistry;
  /** Makes and ends grants, from code. */
  readonly grants: GrantRegistry<Scopes>;
  /** Ends the account of a user, and reads the stored data about a user. */
  readonly people: PeopleRegistry;
  /** Makes initial access tokens, by which clients register themselves. */
  readonly registration: RegistrationRegistry;
  /** Makes, replaces and ends tokens for users' own programs, if the option `personalAccessTokens` is on. */
  readonly personalAccessTokens: PersonalAccessTokens<Scopes>;
  /** The Mongoose models of the stored documents, on your connection. */
  readonly models: Models;
  /** Emits the server's events: `oauth.events.on('code.replayed', ({ clientId, ip }) => …)`. */
  readonly events: OAuthEvents;
  /** Finds recorded events, if the option `audit` is on. */
  readonly audit: Audit;
  /** The undelivered webhooks, if the option `webhooks` is set. */
  readonly webhooks: Webhooks;
  /** Events for other services, and events from them, if the option `sharedSignals` is set. */
  readonly sharedSignals: SharedSignals;
  /** Ends the sign-ins of users through this site, if the option `openid` is on. */
  readonly sessions: SessionRegistry;
  /**
   * Resolves when the indexes are built, even if Mongoose's `autoIndex` is off, and the issuer is recorded in the
   * database, unless it is on loopback. Await it before the process listens: only `ready()` notices that another
   * process has recorded another issuer in this database, or that the stored keys were encrypted with another
   * `signingKeys.encryptionSecret`.
   *
   * @throws Error if nothing has opened the connection within 10 seconds
   *
   * @throws TypeError if the database belongs to another issuer, or the stored keys cannot be decrypted, with the
   * remedy
   */
  ready(): Promise<void>;
  /**
   * Checks whether this process can answer requests now, for a readiness route of your site: `app.get('/health/ready',
   * async (req, res) => { const health = await oauth.health(); res.status(health.status === 'fail' ? 503 :
   * 200).json(health); })`. The result says of each check whether it passes, and nothing else: `onError` gets the
   * reason when a check begins to fail. The checks are at most four commands to MongoDB and take
   * `advanced.databaseTimeout` at most. Concurrent calls, and calls within a second after the last checks, share one
   * result. Never rejects.
   */
  health(): Promise<Health>;
  /**
   * Writes the waiting entries of the audit and the webhooks, and ends all background work. Afterwards you can close
   * the connection, or use it for another issuer. Takes `advanced.databaseTimeout` at most.
   */
  close(): Promise<void>;
}

/**
 * Makes an Express site an OAuth 2.0 authorization server.
 *
 * @throws TypeError if an option is wrong or unsafe, with what to write instead
 * @example
 * const oauth = authorizationServer({
 *   issuer: 'https://photos.example',
 *   connection: mongoose.connection,
 *   scopes: { 'photos:read': 'See your photos' },
 *   login: '/login',
 * });
 * app.use(oauth.router);
 * app.get('/api/photos', oauth.guard('photos:read'), (req, res) => res.json(photosOf(req.auth.userId)));
 */
export function authorizationServer<const Scopes extends AuthorizationServerOptions['scopes']>(
  options: AuthorizationServerOptions & { readonly scopes: Scopes },
): AuthorizationServer<keyof Scopes & string> {
  return assemble(options, BUILT_IN);
}

/** The one place where the parts meet: `builtIn` has all parts, `options` enable some of them. */
export function assemble(options: AuthorizationServerOptions, builtIn: BuiltIn): AuthorizationServer {
  const settings = parseSettings(options, registryOf(builtIn));
  const features = builtIn.features.filter(({ isOn }) => isOn(settings));
  const { accessToken, refreshToken } = settings.lifetimes;
  const ttlsOfResources = [...settings.resources.values()].map(({ accessTokenTtl = 0 }) => accessTokenTtl);
  const firstLife = Math.max(DAY, accessToken, refreshToken, ...ttlsOfResources);
  const { webhooks: endpoints = [] } = settings;
  const reportsChanges = settings.notify !== undefined || endpoints.length > 0;
  const reportAtStart = (description: string, detail: string, cause: unknown) =>
    notifyHost(settings.onError, new OAuthError('server_error', description, { detail, cause }), AT_START);
  const models = createStores(settings.connection, {
    timeout: settings.advanced.databaseTimeout,
    issuer: settings.issuer,
    clientLife: settings.advanced.clientCacheTtl,
    // a client that registered itself outlives its tokens, of which the first may be the last
    firstLife,
    usedLife: Math.max(settings.registration ? settings.registration.usedTtl : DEFAULT_USED_TTL, firstLife),
    collections: features.flatMap((feature) => feature.collections?.(settings) ?? []),
    schemas: settings.schemas,
    clientFields: allClientFields(builtIn),
    guardCache: settings.guard.cache,
    reportsChanges,
    hasExchanges: Boolean(settings.tokenExchange),
    onIndexError: (cause) =>
      reportAtStart(
        'indexes are missing',
        cause instanceof ConnectionNeverOpened
          ? cause.message
          : 'indexes could not be built at the start: if the database was away, it is tried again, otherwise see doctor',
        cause,
      ),
    onMemoryError: (cause) =>
      reportAtStart(
        'the guard remembers nothing',
        `guard.cache: changes of grants are not heard, so each is read: ${messageOf(cause)}`,
        cause,
      ),
  });
  const observation = createObservation(settings, models.auditLog);
  const server = createServer({
    ...builtIn,
    settings,
    models,
    observation,
    features,
    grantTypes: allGrantTypes(builtIn),
    clientFields: allClientFields({ ...builtIn, features }),
  });
  const { events, audit } = observation;
  const webhooks = endpoints.length === 0 ? undefined : createWebhooks(server);
  const notifications = settings.notify && createNotifications(server);
  // after the listeners to the events
  const unreported = reportsChanges ? createUnreportedChanges(server) : undefined;
  // without its option, each function of these throws
  const sharedSignals = lazy(() => createSharedSignals(server));
  if (settings.sharedSignals !== false) sharedSignals();
  const registration = lazy(() => createRegistrationRegistry(models));
  const personalAccessTokens = lazy(() => createPersonalAccessTokens(server));
  const { people } = server;
  const takeEndBack = offerAccountEnd(settings.connection, (...account) => people.end(...account));
  const routers = createRouters(server);
  const resume = withRecordedLogins(settings, withBrowserState(settings, createResume(settings)));

  const guard = createGuardWithMcp(siteGuardDependencies(server));
  const sessions = lazy(() => createSessionRegistry(server.endSignIns, events.emit));
  const loginServices: LoginServices = {
    ...createWaitingRequests({
      settings,
      resolveDependencies: server,
      report: server.report,
    }),
    settings,
    isLoopback: isLoopbackIssuer(settings),
    events,
    sessions: settings.openid ? sessions() : undefined,
  };
  const takeBack = offerLoginServices(settings.connection, loginServices);

  // this process refuses JWTs at once, the others as soon as they read the keys again
  const refuseIssued = async () => {
    await models.signingKeys.refuseIssued();
    await server.signingKeys.list();
  };
  const withKeys = { ...models, signingKeys: { refuseIssued } };

  return {
    endpoints: routers as Endpoints,
    ...mountEndpoints(server, routers, resume),
    wellKnown: createWellKnown(server, routers),
    resume,
    loginPage: createLoginPage(loginServices.findRedirectUris),
    describeRequest: loginServices.describeRequest,
    takeReturnPath: (req, res, fallback = '/') => consumeReturnTo(settings, { req, res }) ?? fallback,
    guard,
    verify: guard.verify,
    mcp: guard.mcp,
    openapi: createDescribeOpenApi(server),
    errorHandler: answerGuardError,
    clients: createClientRegistry(server.clients, events.emit),
    grants: {
      ...createGrantRevocation(withKeys, events.emit, { implied: settings.impliedScopes }),
      create: server.createGrant,
    },
    people,
    get registration() {
      return registration();
    },
    keys: server.keyRegistry,
    get personalAccessTokens() {
      return personalAccessTokens();
    },
    models: models.models,
    events,
    audit,
    get webhooks() {
      return webhooks ?? NO_WEBHOOKS;
    },
    get sharedSignals() {
      return sharedSignals().registry;
    },
    get sessions() {
      return sessions();
    },
    ...createReadiness(server),
    async close() {
      takeBack();
      server.clientLogos.close();
      takeEndBack();
      people.close();
      const closeAll = async () => {
        // emits events for the others to store; the others get half of the time if the database hangs
        if (unreported) await waitAtMax(settings.advanced.databaseTimeout / 2, unreported.close());
        await Promise.all([
          observation.close(),
          webhooks?.close(),
          notifications?.close(),
          settings.sharedSignals && sharedSignals().close(),
          server.logoutSender?.close(),
          server.secretUses.close(),
          server.namedTokens.close(),
          server.clientFailures.close(),
        ]);
      };
      await Promise.all([waitAtMax(settings.advanced.databaseTimeout, closeAll()), models.close()]);
      flushErrorLog();
    },
  };
}

/** Seconds. */
const DAY = 86_400;

/** The context of work without a request. */
const AT_START = { requestId: '', endpoint: 'ready' } as const;
