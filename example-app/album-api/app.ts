import { randomUUID } from 'node:crypto';

import express, { type Express } from 'express';
import { bearerGuard, errorHandler, OAuthError } from 'express-authorization-server/guard';
import helmet from 'helmet';

import { albumApi } from '../demo.js';
import type { Settings } from '../settings.js';

const ALBUMS = [
  { id: 'mountains', title: 'Mountains, mostly from below', pages: 24 },
  { id: 'weather', title: 'Weather, all kinds of it', pages: 16 },
];

/**
 * A resource server in a process of its own. It has no database and shares no signing secret with the photo site: it
 * knows only the issuer's URL.
 */
export function createAlbumApi({ issuer, resources }: Pick<Settings, 'issuer' | 'resources'>): Express {
  // reading needs only the signature check, which is fast and needs no request
  const guard = bearerGuard({
    issuer,
    resource: resources.albums,
    name: 'Lantern Albums',
    scopes: ['albums:read'],
  });
  // an order costs money: the guard asks the photo site each time, so that a revoked token buys nothing more
  const guardOrders = bearerGuard({
    issuer,
    resource: resources.orders,
    name: 'Lantern Album Orders',
    scopes: ['albums:order'],
    ...albumApi,
    cacheMaxAge: 0,
  });

  const app = express();
  app.use(helmet());
  app.use(guard.wellKnown, guardOrders.wellKnown);

  app.get('/albums', guard('albums:read'), (req, res) => {
    const { userId, clientId, extra } = req.auth!;
    // the photo site has added the name as a claim; a client that acts for itself has none
    res.set('Cache-Control', 'no-store').json({ for: extra?.name ?? clientId, userId, albums: ALBUMS });
  });

  app.post('/orders/:album', guardOrders('albums:order'), (req, res) => {
    const album = ALBUMS.find(({ id }) => id === req.params.album);
    if (album === undefined) throw new OAuthError('not_found', 'there is no such album', { status: 404 });
    const { userId, clientId } = req.auth!;
    res.status(201).json({ order: randomUUID(), album: album.title, for: userId ?? clientId });
  });

  app.use(() => {
    throw new OAuthError('not_found', 'there is no such resource', { status: 404 });
  });
  app.use(errorHandler);
  return app;
}
