import { type RequestHandler, Router } from 'express';

import { fieldOf } from '../../core/http/form-fields.js';
import { PageRefusal } from '../../core/http/page-error.js';
import { queryOf } from '../../core/http/query.js';
import { redirect } from '../../core/http/redirect.js';
import { mountedAs } from '../../core/http/site-session.js';
import { completeCookieSession } from '../../core/sessions/cookie-session.js';
import { pageErrors } from '../../pages/rendering/page-errors.js';
import { basePathOf, mountOf, pathOf } from '../../settings/endpoint-urls.js';
import { containsScannableToken } from '../../shared/crypto/scannable-tokens.js';
import { isLoopbackHost } from '../../shared/protocol/redirect-uri.js';
import { AUTHORIZATION_SERVER_METADATA } from '../../shared/protocol/well-known.js';
import type { Endpoint, Server } from '../server.js';
import { createDocumentRouter, createMetadataRouter, createResourceMetadata } from './metadata.js';

type Routers = Readonly<Record<string, Router>>;

/** The routers of a server's endpoints by name, each with a span and a measurement around its requests. */
export function createRouters(server: Server): Routers {
  return Object.fromEntries(
    server.endpoints.map(({ name, isPage, create }) => {
      const member = /^\w+$/.test(name) ? `.${name}` : `['${name}']`;
      const router =
        isPage === true
          ? Router().use(
              mountedAs(`oauth.endpoints${member}`),
              refuseTokenRequests(server, name),
              create(server),
            )
          : create(server);
      return [name, server.telemetry.instrument(name, router)];
    }),
  );
}

/**
 * Mounts each endpoint at its path in the options, and the metadata of the server and its resources at their well-known
 * paths. Then comes `resume`, for other requests of users who have just logged in.
 */
export function mountEndpoints(server: Server, routers: Routers, resume: RequestHandler) {
  const { settings } = server;
  const wellKnown = wellKnownAt('', [AUTHORIZATION_SERVER_METADATA, ...server.metadataPaths], server);
  const answerWellKnown: RequestHandler = (req, res, next) =>
    void (req.path.startsWith('/.well-known/') ? wellKnown(req, res, next) : next());
  // the metadata has its own well-known paths
  const mounted = server.endpoints.filter(({ name }) => name !== 'metadata');
  // every request of the site passes here: its path is compared once or twice, and other requests go on
  const mount = (endpoints: readonly Endpoint[], as: string): Router => {
    const { paths } = settings.advanced;
    const belowBasePath = Router();
    const elsewhere = Router();
    for (const { name, isPage } of endpoints) {
      const handlers = [...(isPage === true ? [mountedAs(as)] : []), routers[name]!];
      if (Object.hasOwn(paths, name)) elsewhere.use(mountOf(settings, name), ...handlers);
      else belowBasePath.use(`/${name}`, ...handlers);
    }
    if (endpoints.some(({ isPage }) => isPage === true)) belowBasePath.use(server.rendering.router);
    const { issuer, mutualTls, resources } = settings;
    // other hosts: the aliases for clients with certificates (RFC 8705 §5), and APIs of the same process
    const others = [(mutualTls && mutualTls.endpointAliases) || [], ...resources.keys()].flat();
    const router = Router()
      .use(answerForWholeServer)
      .use(basePathOf(settings) || '/', warnOfHost(issuer, others), belowBasePath);
    return Object.keys(paths).length > 0 ? router.use(elsewhere) : router;
  };
  const clients = mounted.filter(({ isPage }) => isPage !== true);
  const pages = mounted.filter(({ isPage }) => isPage === true);
  const forgotten = (router: string, of: readonly Endpoint[]) =>
    warnOfMissingRouter(router, new Set(of.map(({ name }) => pathOf(settings, name))));
  const aliases = createRootAliases(server, routers, (name) => mountOf(settings, name) === `/${name}`);
  return {
    clientRouter: mount(clients, 'oauth.clientRouter').use(
      answerWellKnown,
      ...aliases,
      forgotten('pageRouter', pages),
    ),
    pageRouter: Router()
      .use(completeCookieSession)
      .use(mount(pages, 'oauth.pageRouter').use(forgotten('clientRouter', clients)), resume),
    router: Router()
      .use(completeCookieSession)
      .use(mount(mounted, 'oauth.router'), answerWellKnown, ...aliases, resume),
  };
}

/**
 * Answers a request whose target is `*`. It is about the server as a whole: no router could match its path, and
 * express-session skips it, so that a later `passport.session()` throws. `OPTIONS` asks for the server's capabilities;
 * no other method may have this target.
 *
 * @see RFC 9110 §9.3.7, RFC 9112 §3.2, §3.2.4
 */
const answerForWholeServer: RequestHandler = (req, res, next) => {
  if (!req.url.startsWith('*')) return next();
  res.status(req.method === 'OPTIONS' && req.url === '*' ? 204 : 400).end();
};

/**
 * The metadata at the paths of RFC 8414 §3 and RFC 9728 §3: below the root of the site, wherever the router is mounted.
 */
export function createWellKnown(server: Server, routers: Routers): Router {
  const { settings, metadataPaths } = server;
  const { issuerPath } = settings;
  // RFC 8414 §3.1, and the older form below the path of the issuer (§5)
  const paths = [AUTHORIZATION_SERVER_METADATA, ...metadataPaths].flatMap((place) => [
    `${place}${issuerPath}`,
    `${issuerPath}${place}`,
  ]);
  const aliases = createRootAliases(server, routers, (name) => pathOf(settings, name) === `/${name}`);
  return Router().use(answerForWholeServer, wellKnownAt(issuerPath, paths, server), ...aliases);
}

/** The metadata of the server at these paths, the metadata of its resources, and the documents of features. */
function wellKnownAt(issuerPath: string, paths: readonly string[], server: Server): Router {
  return Router().use(
    server.telemetry.instrument('metadata', createMetadataRouter(server, paths), paths),
    createResourceMetadata(server),
    ...server.wellKnownDocuments.map(({ path, describe }) =>
      createDocumentRouter(server, [`${path}${issuerPath}`], describe(server)),
    ),
  );
}

/**
 * The endpoints that also answer at the root, but only to their own requests: other requests at such a path belong to
 * the site.
 *
 * @param taken whether an endpoint is already mounted at the root
 */
function createRootAliases(
  { settings, rootAliases }: Server,
  routers: Routers,
  taken: (name: string) => boolean,
): RequestHandler[] {
  const aliases = Object.entries(rootAliases).filter(([name]) => routers[name] !== undefined && !taken(name));
  if (aliases.length === 0) return [];
  const router = Router();
  for (const [name, isFor] of aliases)
    router.use(`/${name}`, (req, res, next) => {
      if (req.path !== '/' || !isFor(req)) return next();
      if (name !== 'authorize') return void routers[name]!(req, res, next);
      // the pages of /authorize need one path, because the login, the forms and the language keep it
      redirect(res, 302, `${pathOf(settings, 'authorize')}?${/\?([^]*)/.exec(req.url)?.[1] ?? ''}`);
    });
  return [router];
}

/**
 * Refuses requests with a personal access token or service token on every page for users, with or without a session. A
 * Passport strategy of the site may accept such a token as its user: these pages would then let it authorize apps
 * beyond its own scopes, or make, widen and list tokens. Tokens of other servers pass: proxies send headers of their
 * own.
 */
function refuseTokenRequests({ report, rendering: { renderError } }: Server, endpoint: string): Router {
  const refuse: RequestHandler = (req, _res, next) => {
    const { authorization = '' } = req.headers;
    const [, credentials = ''] = /^basic +(\S+)$/i.exec(authorization) ?? [];
    // the places where strategies of sites look for tokens: the header in any scheme, the query, and a parsed body
    const texts = [
      authorization,
      Buffer.from(credentials, 'base64').toString(),
      fieldOf(queryOf(req), 'access_token'),
      fieldOf(req.body, 'access_token'),
    ].flat();
    if (texts.some((text) => typeof text === 'string' && containsScannableToken(text)))
      throw new PageRefusal('a program with an access token cannot use the pages for people', {
        text: 'error.tokenOnPage',
        status: 403,
        reason: 'kind_not_allowed',
      });
    next();
  };
  return Router().use(refuse, pageErrors({ endpoint, report, renderError, sender: 'person' }));
}

/** Warns once if a path of the other router is answered 404: the site has mounted only one of the two routers. */
function warnOfMissingRouter(router: string, paths: ReadonlySet<string>): RequestHandler {
  let isReported = false;
  return (req, res, next) => {
    const path = `${req.baseUrl}${req.path}`;
    if (!isReported && paths.has(path))
      res.once('finish', () => {
        if (isReported || res.statusCode !== 404) return;
        isReported = true;
        process.emitWarning(
          `${req.method} ${path} was answered 404: oauth.${router} is not mounted in this app, or not before what answered; write app.use(oauth.${router})`,
          { code: 'EAS_ROUTER_MISSING' },
        );
      });
    next();
  };
}

/**
 * Warns once about a request for another host than the issuer's: the issuer may be missing in the environment, and
 * every address for clients and users would be wrong. Requests on this machine by a loopback host are health checks and
 * the like.
 *
 * @param others other intended addresses of the server
 */
function warnOfHost(issuer: string, others: readonly string[]): RequestHandler {
  const hosts = new Set([issuer, ...others].map((url) => new URL(url).hostname));
  let isReported = false;
  return function warnOfAnotherHost(req, _res, next) {
    const host = (req.hostname as string | undefined)?.toLowerCase();
    if (!isReported && host !== undefined && !hosts.has(host) && !isLoopbackHost(host)) {
      isReported = true;
      process.emitWarning(
        `express-authorization-server: a request came for ${host.slice(0, 100).replace(/[^\w.:[\]-]/g, '?')}, and the issuer is ${issuer}; if that is not the public URL of this site, look whether it is set where the site runs (process.env.ISSUER is read before dotenv has run, unless 'dotenv/config' is imported first). Behind a proxy write app.set('trust proxy', …)`,
        { code: 'EAS_HOST' },
      );
    }
    next();
  };
}
