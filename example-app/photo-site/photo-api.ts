import express, { type ErrorRequestHandler, type Request, Router } from 'express';
import { type AuthorizationServer, OAuthError, type Users } from 'express-authorization-server';
import { Error as MongooseError } from 'mongoose';

import { albumOf } from './albums.js';
import type { ApiGuards } from './api-guards.js';
import { isDatabaseFailure } from './database.js';
import { createPayments } from './payments.js';
import type { Photo, Photos } from './photos.js';
import { drawPicture } from './pictures.js';

export interface PhotoApiOptions {
  readonly oauth: AuthorizationServer;
  readonly guards: ApiGuards;
  readonly photos: Photos;
  readonly users: Users;
  readonly issuer: string;
}

/** The API for clients with an access token. */
export function createPhotoApi({ oauth, guards, photos, users, issuer }: PhotoApiOptions): Router {
  const api = Router();
  api.use((_req, res, next) => {
    res.set('Cache-Control', 'no-store');
    next();
  });
  const show = ({ id, title, album, createdAt }: Photo) => ({
    id,
    title,
    ...(album !== undefined && { album }),
    createdAt,
    picture: `${issuer}/api/photos/${id}/picture`,
  });

  api.get('/photos', guards.read, async (req, res) => {
    res.json((await photos.listOf(ownerOf(req), albumOf(req))).map(show));
  });

  api.post('/photos', guards.write, express.json({ limit: '10kb' }), async (req, res) => {
    const photo = await photos.add(ownerOf(req), { title: titleOf(req.body), ...boundTo(albumOf(req)) });
    res.status(201).location(`/api/photos/${photo.id}/picture`).json(show(photo));
  });

  api.get('/photos/:id/picture', guards.read, async (req, res) => {
    const photo = await photos.find(ownerOf(req), String(req.params.id), albumOf(req));
    if (photo === null) throw new OAuthError('not_found', 'there is no such photo', { status: 404 });
    res.type('svg').send(drawPicture(photo.design));
  });

  api.get('/me', guards.anyToken, async (req, res) => {
    const { clientId, scopes, expiresAt, userId, actor } = req.auth!;
    const user = userId === undefined ? null : await users.findById(userId);
    res.json({
      clientId,
      scopes,
      expiresAt,
      user: user && { id: userId, username: user.username, name: user.name },
      ...(actor && { actor }),
    });
  });

  api.get('/export', guards.readAll, async (req, res) => {
    const { userId = '', authTime } = req.auth!;
    const user = await users.findById(userId);
    res.json({
      user: user && { name: user.name },
      authTime,
      photos: (await photos.listOf(userId)).map(show),
    });
  });

  api.use('/payments', createPayments(guards.pay));

  api.use(() => {
    throw new OAuthError('not_found', 'there is no such resource', { status: 404 });
  });
  api.use(translateError, oauth.errorHandler);
  return api;
}

/** A client that acts for itself has its own photos (RFC 6749 §4.4). */
export function ownerOf(req: Request): string {
  const { userId, clientId } = req.auth!;
  return userId ?? `client:${clientId}`;
}

/** New photos of a request for one album go into that album. */
export function boundTo(album: string | undefined): { album?: string } {
  return album === undefined ? {} : { album };
}

function titleOf(body: unknown): string {
  const title = (body as { title?: unknown } | undefined)?.title;
  if (typeof title !== 'string')
    throw new OAuthError('invalid_request', 'send JSON with a title: { title: ... }');
  return title;
}

/** Errors of the API are JSON, in the terms of the RFCs. */
export const translateError: ErrorRequestHandler = (error, req, _res, next) => {
  next(toApiError(error, `${req.method} ${req.originalUrl}`));
};

/** The error that a client gets. */
export function toApiError(error: unknown, request: string): OAuthError {
  if (error instanceof OAuthError) return error;
  if (error instanceof MongooseError.ValidationError) {
    const [problem] = Object.values(error.errors);
    return new OAuthError('invalid_request', problem?.message ?? 'the photo is not valid');
  }
  if (isDatabaseFailure(error)) {
    return new OAuthError('temporarily_unavailable', 'the photos cannot be reached for the moment', {
      cause: error,
      headers: { 'Retry-After': '5' },
    });
  }
  // refusals of Express and its body parsers
  const status = (error as { status?: unknown } | null)?.status;
  if (typeof status === 'number' && status >= 400 && status < 500)
    return new OAuthError('invalid_request', 'the request could not be read', { status, cause: error });
  console.error(request, error);
  return new OAuthError('server_error', 'the photo site met an unexpected condition', { cause: error });
}
