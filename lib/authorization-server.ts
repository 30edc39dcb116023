import type { ErrorRequestHandler, Router } from 'express';

import { createClientRegistry } from './clients/client-operations.js';
import { type ClientRegistry } from './clients/client-registry.js';
import { createRegistrationRegistry, type RegistrationRegistry } from './clients/initial-access-tokens.js';
import { createComponents } from './components.js';
import { createEndpoints, createWellKnown, type Endpoints, mountEndpoints } from './endpoints/index.js';
import { createGrantRegistry, type GrantRegistry } from './grants/grant-registry.js';
import { createDatabaseVerifier } from './guard/database-verifier.js';
import { answerGuardError, createGuard, type Guard } from './guard/guard.js';
import type { KeyRegistry } from './keys/key-registry.js';
import type { Audit } from './observability/audit.js';
import type { OAuthEvents } from './observability/events.js';
import type { AuthorizationServerOptions } from './settings/authorization-server-options.js';
import { parseSettings } from './settings/settings.js';

/** An authorization server, ready to be mounted. */
export interface AuthorizationServer {
  /** All endpoints and pages: `app.use(oauth.router)`, after the session and `passport.session()`. */
  readonly router: Router;
  /** The router of each endpoint, for a host that mounts them itself; each answers at its own root. */
  readonly endpoints: Endpoints;
  /** The metadata at both spellings of its well-known URL, for an issuer with a path, and that of the resources: mount it at the site's root. */
  readonly wellKnown: Router;
  /** Middleware that lets only requests with a fitting access token through. */
  readonly guard: Guard;
  /** Answers the guard's refusals as JSON: `app.use('/api', oauth.errorHandler)` after the routes. */
  readonly errorHandler: ErrorRequestHandler;
  /** Registers and changes clients from code. */
  readonly clients: ClientRegistry;
  /** The keys that JWTs are signed with, from code. */
  readonly keys: KeyRegistry;
  /** Ends what was granted, from code. */
  readonly grants: GrantRegistry;
  /** Makes initial access tokens, with which clients register themselves. */
  readonly registration: RegistrationRegistry;
  /** Says what happens: `oauth.events.on('code.replayed', ({ clientId, ip }) => …)`. */
  readonly events: OAuthEvents;
  /** Finds what happened, where the option `audit` is on. */
  readonly audit: Audit;
  /** Resolves when the indexes are built, also where Mongoose's `autoIndex` is off; for scripts and tests, a site need not wait. */
  ready(): Promise<void>;
  /** Writes what the audit still holds and ends what goes on in the background; the connection is the host's to close, afterwards. */
  close(): Promise<void>;
}

/**
 * Makes an Express site an OAuth 2.0 authorization server.
 *
 * @throws TypeError where an option is wrong or unsafe, with what to write instead
 * @example
 * const oauth = authorizationServer({ issuer: 'https://photos.example', connection: mongoose.connection, scopes: { 'photos:read': 'See your photos' }, login: '/login' });
 * app.use(oauth.router);
 * app.get('/api/photos', oauth.guard('photos:read'), (req, res) => res.json(photosOf(req.auth.userId)));
 */
export function authorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  const components = createComponents(parseSettings(options));
  const { settings, models, events, audit, report, keys, accessTokens } = components;
  const endpoints = createEndpoints(components);

  return {
    endpoints,
    router: mountEndpoints(components, endpoints),
    wellKnown: createWellKnown(components),
    guard: createGuard({
      verify: createDatabaseVerifier(models.grants, accessTokens),
      report,
      realm: new URL(settings.issuer).host,
      issuer: settings.issuer,
      resource: settings.issuer,
      knownResources: [...settings.resources.keys()],
      bearerMethods: settings.bearerMethods,
      knownScopes: Object.keys(settings.scopes),
    }),
    errorHandler: answerGuardError,
    clients: createClientRegistry(components.clients, events.emit),
    grants: createGrantRegistry(models, events.emit),
    registration: createRegistrationRegistry(models),
    keys: keys.registry,
    events,
    audit,
    ready: models.ready,
    async close() {
      await components.observation.close();
      await models.close();
    },
  };
}
