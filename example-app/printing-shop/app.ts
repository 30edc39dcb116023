import { fileURLToPath } from 'node:url';

import express, { type ErrorRequestHandler, type Express } from 'express';
import helmet from 'helmet';
import * as client from 'openid-client';

import { shopKeysPath } from '../demo.js';
import type { Settings } from '../settings.js';
import { createAccountPages } from './account-pages.js';
import { createShopPages } from './pages.js';
import { createShopSessions } from './sessions.js';
import type { ShopKeys } from './shop-keys.js';
import { createPhotoSite, waysTo } from './ways.js';

const publicFolder = fileURLToPath(new URL('../public', import.meta.url));
const viewsFolder = fileURLToPath(new URL('../views/printing-shop', import.meta.url));

/** The printing shop: another site, which is a client of the photo site. */
export function createPrintingShop(
  { issuer, shopUrl }: Pick<Settings, 'issuer' | 'shopUrl'>,
  keys: ShopKeys,
): Express {
  const photoSite = createPhotoSite({ issuer, redirectUri: `${shopUrl}/callback`, keys });
  const app = express();
  app.set('views', viewsFolder).set('view engine', 'ejs').set('query parser', 'simple');
  app.use(securityHeaders(issuer));
  app.use(express.static(publicFolder, { index: false, redirect: false }));
  app.get(shopKeysPath, (_req, res) => void res.set('Cache-Control', 'max-age=60').json(keys.published));
  app.use(createShopSessions());
  app.use(createAccountPages({ issuer, shopUrl }));
  app.use(createShopPages({ photoSite, ways: waysTo(issuer), issuer, shopUrl }));
  app.use((_req, res) => {
    res.status(404).render('message', {
      title: 'Nothing here',
      text: 'We print photos. There is no page at this address.',
    });
  });
  app.use(showShopError);
  return app;
}

function securityHeaders(issuer: string) {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        // "Print my photos" leads to the photo site, and from there back or on to its login
        formAction: ["'self'", issuer],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    // the photo site shows the shop's logo
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    xFrameOptions: { action: 'deny' },
    strictTransportSecurity: false,
  });
}

const showShopError: ErrorRequestHandler = (error, req, res, next) => {
  if (res.headersSent) return next(error);
  const { status, title, text } = describeError(error);
  if (status >= 500) console.error(`printing shop: ${req.method} ${req.path}: ${status}`, error);
  res.status(status).set('Cache-Control', 'no-store').render('message', { title, text });
};

function describeError(error: unknown): { status: number; title: string; text: string } {
  if (isForeignAnswer(error)) {
    return {
      status: 400,
      title: 'That did not work',
      text: 'The answer of the photo site does not belong to your order. Please press the button once more.',
    };
  }
  const status = isHttpError(error) ? (error as { status?: unknown }).status : undefined;
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return {
      status,
      title: 'That did not make sense',
      text: 'We could not understand what your browser sent.',
    };
  }
  return {
    status: 502,
    title: 'The photo site does not answer',
    text: 'We cannot reach your photos for the moment. Please try again in a few seconds.',
  };
}

/** Whether the error is about a response to another request: a wrong state or issuer, or a used code. */
function isForeignAnswer(error: unknown): boolean {
  if (error instanceof client.AuthorizationResponseError)
    return !['server_error', 'temporarily_unavailable'].includes(error.error);
  if (error instanceof client.ResponseBodyError) return error.error === 'invalid_grant';
  return error instanceof client.ClientError && error.code === 'OAUTH_INVALID_RESPONSE';
}

/** An error of Express. Errors of openid-client have a status, too, which is the photo site's. */
function isHttpError(error: unknown): boolean {
  return (
    !(error instanceof client.ResponseBodyError) && !(error instanceof client.WWWAuthenticateChallengeError)
  );
}
