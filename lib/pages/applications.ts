import { Router, type Request, type RequestHandler, type Response } from 'express';
import type { Client, ClientRegistry, ClientWithSecret } from '../client-registry.js';
import { OAuthError } from '../errors.js';
import type { OAuthEvents } from '../events.js';
import { verifyCsrfToken } from '../http/csrf.js';
import { createFailureLimit } from '../http/failure-limit.js';
import { formBody } from '../http/form-body.js';
import { handle } from '../http/handle.js';
import { loginPath } from '../http/login-path.js';
import type { Report } from '../http/report.js';
import { resourceOwnerOf } from '../http/resource-owner.js';
import { secureTransport } from '../http/secure-transport.js';
import type { Settings } from '../settings.js';
import type { RenderPage } from '../views.js';
import { clientIdOf, emptyValues, findProblems, readValues, toMetadata, valuesOf } from './application-form.js';
import { createApplicationPages, newestSecretOf, type ApplicationPages } from './application-pages.js';
import type { RenderError } from './error-page.js';
import { textField } from './form-fields.js';
import { pageErrors } from './page-errors.js';

export interface ApplicationsPagesOptions {
  readonly settings: Settings;
  readonly clients: ClientRegistry;
  /** The registry whose events belong to a request. Default: `clients`. */
  readonly clientsFor?: (req: Request) => ClientRegistry;
  /** Default: nobody is told. */
  readonly events?: OAuthEvents;
  readonly renderPage: RenderPage;
  readonly report: Report;
  readonly renderError: RenderError;
}

interface Context {
  readonly settings: Settings;
  readonly clients: ClientRegistry;
  readonly clientsFor: (req: Request) => ClientRegistry;
  readonly events: OAuthEvents | undefined;
  readonly pages: ApplicationPages;
}

type Handler = (req: Request, res: Response) => Promise<void>;

const MAX_APPLICATIONS = 50;

/**
 * The pages on which developers register and keep their clients. Mounted at `<basePath>/applications`.
 *
 * @see RFC 6749 §2: "typically involve end-user interaction with an HTML registration form"
 */
export function createApplicationsPages({ settings, clients, clientsFor = () => clients, events, renderPage, report, renderError }: ApplicationsPagesOptions): Router {
  const pages = createApplicationPages({ settings, clients, renderPage });
  const context: Context = { settings, clients, clientsFor, events, pages };
  const change = [...formBody(), handle(limitedChange(context))];

  const router = Router();
  router.use(secureTransport(settings), requireLogin(context), requireDeveloper(context));
  router.get('/', handle(list(context)));
  router.post('/', ...change, handle(register(context)));
  router.get('/new', handle((req, res) => pages.form(req, res, { values: emptyValues(clients.limits) })));
  router.get('/:clientId', handle(show(context)));
  router.get('/:clientId/edit', handle(edit(context)));
  router.post('/:clientId/edit', ...change, handle(save(context)));
  router.post('/:clientId/rotate-secret', ...change, handle(rotateSecret(context)));
  router.get('/:clientId/delete', handle(confirmDelete(context)));
  router.post('/:clientId/delete', ...change, handle(remove(context)));
  router.use(() => {
    throw notFound();
  });
  router.use(pageErrors({ endpoint: 'applications', report, renderError, sender: 'person' }));
  return router;
}

function requireLogin({ settings, pages }: Context): RequestHandler {
  return function redirectToLogin(req, res, next) {
    if (resourceOwnerOf(req) !== undefined) return next();
    // what an anonymous caller posted is gone: it could not be told from a forgery after the login
    const isPage = req.method === 'GET' || req.method === 'HEAD';
    const returnPath = isPage ? `${pages.root}${req.path === '/' ? '' : req.path}` : pages.root;
    res.redirect(303, loginPath(settings, returnPath));
  };
}

function requireDeveloper({ settings }: Context): RequestHandler {
  return handle(async (req, _res, next) => {
    if ((await settings.isDeveloper(req)) !== true) throw new OAuthError('access_denied', 'your account may not register applications on this site', { pageText: 'error.notDeveloper' });
    next();
  });
}

/** Each form that is sent counts, right or wrong: what is limited is the work it makes. */
function limitedChange({ settings, events }: Context): (req: Request, res: Response, next: () => void) => Promise<void> {
  const limit = createFailureLimit(settings.rateLimits && { failures: settings.rateLimits.applications, window: 60 });
  return async (req, _res, next) => {
    // RFC 6749 §10.12
    verifyCsrfToken(req);
    const key = ownerIdOf(settings, req);
    await limit.check(key).catch((refusal: unknown) => {
      events?.emit('rate.limited', { endpoint: 'applications', userId: key }, req);
      throw refusal;
    });
    await limit.count(key);
    next();
  };
}

function list({ settings, clients, pages }: Context): Handler {
  return async (req, res) => pages.list(req, res, await clients.listOfOwner(ownerIdOf(settings, req)));
}

function register({ settings, clients, clientsFor, pages }: Context): Handler {
  return async (req, res) => {
    const ownerId = ownerIdOf(settings, req);
    const submission = textField(req.body, 'submission');
    const clientId = clientIdOf(submission, ownerId);
    const values = readValues(req.body);
    const owned = await clients.listOfOwner(ownerId);
    const isRepeated = () => res.redirect(303, `${pages.pathOf(clientId)}?note=registered`);
    if (owned.some((client) => client.clientId === clientId)) return isRepeated();
    const problems = findProblems(values, clients.limits);
    const isTooMany = owned.length >= MAX_APPLICATIONS;
    if (problems.length > 0 || isTooMany) return pages.form(req, res, { values, problems, submission, ...(isTooMany && { quota: MAX_APPLICATIONS }) });
    const client = await clientsFor(req).create({ ...toMetadata(values), clientId, ownerId, trusted: false }).catch(async (error: unknown) => {
      // the same form, sent twice at the same moment
      if (error instanceof OAuthError && error.error === 'invalid_client_metadata' && (await clients.find(clientId))?.ownerId === ownerId) return null;
      throw error;
    });
    if (client === null) return isRepeated();
    res.location(pages.pathOf(clientId));
    // the secret is in this one answer, never in a session or an address
    await pages.details(req, res, { ...withoutSecret(client), status: 201 });
  };
}

function show(context: Context): Handler {
  return async (req, res) => context.pages.details(req, res, { client: await findOwned(context, req) });
}

function edit(context: Context): Handler {
  return async (req, res) => {
    const client = await findEditable(context, req);
    await context.pages.form(req, res, { values: valuesOf(client), client });
  };
}

function save(context: Context): Handler {
  const { clients, clientsFor, pages } = context;
  return async (req, res) => {
    const client = await findEditable(context, req);
    const values = { ...readValues(req.body), type: client.type };
    const problems = findProblems(values, clients.limits);
    if (problems.length > 0) return pages.form(req, res, { values, problems, client });
    const { name, redirectUris, scopes, grantTypes } = toMetadata(values);
    if ((await clientsFor(req).update(client.clientId, { name, redirectUris, scopes, grantTypes, ...unverifiedWhere(name !== client.name || redirectUris.join('\n') !== client.redirectUris.join('\n')) })) === null) throw notFound();
    res.redirect(303, `${pages.pathOf(client.clientId)}?note=saved`);
  };
}

/** What the host has checked is the name with its redirect URIs, and no other ones. */
function unverifiedWhere(isAnother: boolean): { readonly verified?: false } {
  return isAnother ? { verified: false } : {};
}

function rotateSecret(context: Context): Handler {
  const { clientsFor, pages } = context;
  return async (req, res) => {
    const client = await findOwned(context, req);
    // a second click would end the secret that the running application still uses
    if (textField(req.body, 'secret_of') !== newestSecretOf(client)) return res.redirect(303, `${pages.pathOf(client.clientId)}?note=rotated`);
    const rotated = await clientsFor(req).rotateSecret(client.clientId);
    if (rotated === null) throw notFound();
    await pages.details(req, res, withoutSecret(rotated));
  };
}

function confirmDelete(context: Context): Handler {
  return async (req, res) => context.pages.deletion(req, res, await findOwned(context, req));
}

function remove(context: Context): Handler {
  return async (req, res) => {
    const client = await findOwned(context, req);
    await context.clientsFor(req).delete(client.clientId);
    res.redirect(303, `${context.pages.root}?note=deleted`);
  };
}

/** Somebody else's client and one that does not exist are told apart by nobody. */
async function findOwned({ settings, clients }: Context, req: Request): Promise<Client> {
  const client = await clients.find(String(req.params.clientId));
  if (client === null || client.ownerId === undefined || client.ownerId !== ownerIdOf(settings, req)) throw notFound();
  return client;
}

/** A client that the host vouches for skips the consent page, so where its codes go is the host's to say. */
async function findEditable(context: Context, req: Request): Promise<Client> {
  const client = await findOwned(context, req);
  if (client.trusted) throw new OAuthError('access_denied', 'this site vouches for this application; ask the people who run the site to change it', { pageText: 'error.trustedApplication' });
  return client;
}

function withoutSecret({ clientSecret, ...client }: ClientWithSecret): { client: Client; clientSecret: string | undefined } {
  return { client, clientSecret };
}

function ownerIdOf(settings: Settings, req: Request): string {
  return settings.userId(req.user as NonNullable<Request['user']>);
}

function notFound(): OAuthError {
  return new OAuthError('invalid_request', 'there is no such page', { status: 404 });
}
