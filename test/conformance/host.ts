import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import express, { type Express } from 'express';
import session from 'express-session';
import type { Connection } from 'mongoose';
import { Passport, type PassportStatic } from 'passport';

import {
  type AuthorizationServer,
  authorizationServer,
  type AuthorizationServerOptions,
  localLogin,
} from '../../lib/index.js';
import { ACR, CLAIMS, OTHER_PERSON, PASSWORD, PERSON } from './people.js';
import type {
  Certificate,
  Credentials,
  HostCommand,
  HostContext,
  Profile,
  SuiteConfiguration,
  Variant,
} from './profile.js';
import { RESOURCE_SCOPE } from './profiles/fapi2.js';
import { suiteConfiguration } from './suite-configuration.js';

declare module 'express-session' {
  interface SessionData {
    /** Milliseconds since 1970. */
    loggedInAt: number;
  }
}

export interface HostOptions {
  readonly connection: Connection;
  readonly credentials: Credentials;
  /** The certificate of the host, for TLS. */
  readonly certificate: Certificate;
  readonly alias: string;
  /** The base URL of the suite, without a slash at its end. */
  readonly suite: string;
  readonly variant: Variant;
  /** The name by which browsers and the suite reach the host. Default: `localhost`. */
  readonly host?: string;
  /** Default: any free one. */
  readonly port?: number;
  /** Its network address. Default: all, as a suite in a container comes from another address. */
  readonly listenAt?: string;
  /** If others see the host by another address. */
  readonly issuer?: string | undefined;
}

export interface ConformanceHost {
  readonly issuer: string;
  readonly oauth: AuthorizationServer;
  readonly configuration: SuiteConfiguration;
  readonly commands: ReadonlyMap<string, () => Promise<string>>;
  close(): Promise<void>;
}

/** With TLS 1.2 no others are permitted (FAPI 2.0 Security Profile §5.2.2, RFC 9325 §4.2); TLS 1.3 has others. */
const CIPHERS = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'].concat(
  ['ECDSA', 'RSA'].flatMap((key) => [`ECDHE-${key}-AES128-GCM-SHA256`, `ECDHE-${key}-AES256-GCM-SHA384`]),
);
/** Seconds until a rotated key is published: the module for it is started manually right after the rotation. */
const PUBLISH_AHEAD = 1;

/** The commands of each host: one module wants new keys between its two reads of them. */
export const COMMANDS: Readonly<Record<string, HostCommand>> = {
  rotate: {
    title: 'for new signing keys',
    run: async ({ keys }) => `The next key is ${(await keys.rotate()).kid}.`,
  },
};

/** The host of a profile, with registered clients, listening. */
export async function startHost(profile: Profile, options: HostOptions): Promise<ConformanceHost> {
  const { connection, credentials, alias, suite, certificate, variant } = options;
  const site: { app?: RequestListener } = {};
  const server = createServer(
    {
      ...certificate,
      minVersion: 'TLSv1.2',
      ciphers: CIPHERS.join(':'),
      ...(profile.takesCertificates?.(variant) === true && {
        ca: credentials.certificates.authority,
        requestCert: true,
        // a browser has none: the server refuses a missing one, in words
        rejectUnauthorized: false,
      }),
    },
    (req, res) => site.app?.(req, res),
  );
  await once(server.listen(options.port ?? 0, options.listenAt), 'listening');
  const { port } = server.address() as AddressInfo;
  const { issuer = new URL(`https://${options.host ?? 'localhost'}:${port}`).origin } = options;
  const context: HostContext = {
    variant,
    issuer,
    // a suite on this machine or beside it, as a container, has a private address
    allowsPrivateAddresses: /^(?:localhost|127\.0\.0\.1|\[::1\]|host\.docker\.internal)$/.test(
      new URL(issuer).hostname,
    ),
    suiteUrl: `${suite}/test/a/${alias}`,
    credentials,
  };
  const oauth = await openServer(profile, context, connection).catch((error: unknown) => {
    server.close();
    throw error;
  });
  site.app = createApp(oauth);
  return {
    issuer,
    oauth,
    configuration: suiteConfiguration(profile, context, alias),
    commands: new Map(
      Object.entries({ ...COMMANDS, ...profile.commands }).map(([name, command]) => [
        name,
        () => command.run(oauth, context),
      ]),
    ),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await oauth.close();
    },
  };
}

async function openServer(
  profile: Profile,
  context: HostContext,
  connection: Connection,
): Promise<AuthorizationServer> {
  const oauth = authorizationServer(serverOptions(profile, context, connection));
  await oauth.ready();
  for (const client of profile.clients(context)) await oauth.clients.create(client);
  vouchForRegisteredClients(oauth);
  return oauth;
}

function serverOptions(
  profile: Profile,
  context: HostContext,
  connection: Connection,
): AuthorizationServerOptions {
  const { openid, ...more } = profile.options(context);
  return {
    issuer: context.issuer,
    connection,
    scopes: { [RESOURCE_SCOPE]: 'See your accounts' },
    login: '/login',
    siteName: 'Conformance host',
    signingKeys: { encryptionSecret: randomBytes(32).toString('base64'), publishAhead: PUBLISH_AHEAD },
    clientAuthentication: { allowPrivateAddresses: context.allowsPrivateAddresses },
    // the suite fails on purpose more often than anybody may
    security: { rateLimits: false },
    ...(openid !== false && {
      openid: {
        claims: (userId: string) => ({ ...CLAIMS, preferred_username: userId }),
        ...openid,
      },
      stepUp: { acrValues: [ACR] },
      people: { authentication: ({ session: { loggedInAt } }) => ({ at: loggedInAt, acr: ACR }) },
    }),
    ...more,
  };
}

interface Registration {
  readonly redirect_uris?: readonly string[];
  readonly tos_uri?: string;
}
const registering = new AsyncLocalStorage<Registration>();

/**
 * The suite wants to see terms of a client at another host than the client's. Registration drops such pages (RFC 7591
 * §5), so this host gives them to the client and verifies it. A verified client cannot change or delete itself, so the
 * others stay unverified.
 */
function vouchForRegisteredClients(oauth: AuthorizationServer): void {
  oauth.events.on('client.created', ({ clientId }) => {
    const { redirect_uris: uris = [], tos_uri: tosUri } = registering.getStore() ?? {};
    if (tosUri === undefined || uris.some((uri) => new URL(uri).host === new URL(tosUri).host)) return;
    void oauth.clients.update(String(clientId), { verified: true, tosUri });
  });
}

/** A site as in the README: a session, the login of the package, the server, and a guarded route. */
function createApp(oauth: AuthorizationServer): Express {
  const app = express();
  app.post('/oauth/register', express.json(), (req, _res, next) =>
    registering.run(req.body as Registration, next),
  );
  const passport = new Passport() as unknown as PassportStatic;
  app.use(
    session({
      secret: randomBytes(32).toString('base64'),
      name: 'site.sid',
      resave: false,
      saveUninitialized: false,
      cookie: { secure: true, sameSite: 'lax' },
    }),
    passport.session(),
  );
  app.use((req, _res, next) => {
    if (req.user !== undefined) req.session.loggedInAt ??= Date.now();
    next();
  });
  app.use(localLogin({ passport, users, oauth }), oauth.router);
  app.get('/resource', oauth.guard(RESOURCE_SCOPE), (_req, res) => res.json({ accounts: [] }));
  app.use(oauth.errorHandler);
  return app;
}

const personOf = (id: string) => ({ id, username: id, name: id });
const users = {
  verify: (name: string, password: string) =>
    Promise.resolve([PERSON, OTHER_PERSON].includes(name) && password === PASSWORD ? personOf(name) : null),
  findById: (id: string) => Promise.resolve(personOf(id)),
};
