import { fileURLToPath } from 'node:url';

import express, { type Express, type RequestHandler } from 'express';
import { type AuthorizationServer, createUsers, localLogin, type Users } from 'express-authorization-server';
import type { Connection } from 'mongoose';
import passport from 'passport';

import { createPlayground } from '../playground/index.js';
import { hasTlsProxy, type Settings } from '../settings.js';
import { createAccountPages } from './account.js';
import { createApiDocs } from './api-docs.js';
import { createApiGuards } from './api-guards.js';
import { showError, showNotFound } from './error-pages.js';
import { createGiftCards, type GiftCards } from './gift-cards.js';
import { createMcpEndpoint } from './mcp.js';
import { createOAuth } from './oauth.js';
import { createPages } from './pages.js';
import { createPhotoApi } from './photo-api.js';
import { createPhotos, type Photos } from './photos.js';
import { securityHeaders } from './security-headers.js';
import { createSessions } from './sessions.js';

export interface PhotoSite {
  readonly app: Express;
  readonly oauth: AuthorizationServer;
  readonly users: Users;
  readonly photos: Photos;
  readonly giftCards: GiftCards;
}

const publicFolder = fileURLToPath(new URL('../public', import.meta.url));
const viewsFolder = fileURLToPath(new URL('../views/photo-site', import.meta.url));

/** The photo site: its users, their photos, its API, and its authorization server. */
export function createPhotoSite(
  settings: Settings & { readonly sessionSecret: string; readonly keySecret: string },
  connection: Connection,
): PhotoSite {
  const { issuer, shopUrl } = settings;
  const users = createUsers(connection, { rounds: settings.passwordRounds });
  const photos = createPhotos(connection);
  const giftCards = createGiftCards(connection);
  const oauth = createOAuth({ settings, connection, users, photos, giftCards });
  const guards = createApiGuards(oauth);

  const app = express();
  app.set('views', viewsFolder).set('view engine', 'ejs').set('query parser', 'simple');
  // trusts the X-Forwarded-Proto of a TLS proxy in front
  app.set('trust proxy', hasTlsProxy(settings) ? 1 : false);

  // no HSTS on localhost, where it would force TLS on other ports as well
  app.use(securityHeaders(hasTlsProxy(settings)));
  app.use(express.static(publicFolder, { index: false, redirect: false }));
  app.get('/favicon.ico', (_req, res) => res.redirect(301, '/lantern.svg'));
  // endpoints for clients, before any session is read
  app.use(oauth.clientRouter);
  app.use('/api', createPhotoApi({ oauth, guards, photos, users, issuer }));
  app.use(createApiDocs({ oauth, guards, issuer }));
  app.use('/mcp', createMcpEndpoint({ oauth, photos, resource: settings.resources.mcp }));
  app.use(
    createSessions(settings, connection),
    passport.session() as RequestHandler,
    notifyViewsWhoIsLoggedIn,
  );
  app.use(localLogin({ passport, users }));
  app.use(oauth.pageRouter);
  app.use('/playground', createPlayground({ settings, giftCards }));
  app.use(createAccountPages({ oauth, users, photos }));
  app.use(createPages({ photos, issuer, shopUrl, mcpUrl: settings.resources.mcp }));
  app.use(showNotFound, showError);
  return { app, oauth, users, photos, giftCards };
}

const notifyViewsWhoIsLoggedIn: RequestHandler = (req, res, next) => {
  res.locals.user = req.user;
  next();
};
