import type { AuthorizationServer, RouteGuard } from 'express-authorization-server';

import type { ApiGuards } from './api-guards.js';

export interface DescriptionOptions {
  readonly oauth: AuthorizationServer;
  readonly guards: ApiGuards;
  readonly issuer: string;
}

/** The API as an OpenAPI document. Its security section comes from the guards of the routes. */
export function describePhotoApi({ oauth, guards, issuer }: DescriptionOptions) {
  return {
    openapi: '3.1.0',
    info: { title: 'Lantern Photos', version: '1.0.0' },
    servers: [{ url: issuer }],
    paths: {
      '/api/photos': {
        get: {
          operationId: 'listPhotos',
          summary: 'The photos of the person, the newest first',
          ...guardedBy(guards.read, { 200: json('The photos', { type: 'array', items: photo }) }),
        },
        post: {
          operationId: 'addPhoto',
          summary: 'Adds a photo',
          requestBody: { required: true, ...json('What it is called', newPhoto) },
          ...guardedBy(guards.write, {
            201: json('The photo', photo),
            400: { description: 'The title is missing, too long, or has characters that cannot be shown' },
          }),
        },
      },
      '/api/photos/{id}/picture': {
        get: {
          operationId: 'showPicture',
          summary: 'The picture itself',
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
          ...guardedBy(guards.read, {
            200: { description: 'The picture', content: { 'image/svg+xml': {} } },
            404: { description: 'There is no such photo' },
          }),
        },
      },
      '/api/me': {
        get: {
          operationId: 'describeToken',
          summary: 'Whose token it is, and what it allows',
          ...guardedBy(guards.anyToken, { 200: json('The token', { type: 'object' }) }),
        },
      },
      '/api/export': {
        get: {
          operationId: 'exportPhotos',
          summary: 'Everything at once, for somebody who has logged in within five minutes',
          ...guardedBy(guards.readAll, { 200: json('The photos', { type: 'object' }) }),
        },
      },
    },
    components: oauth.openapi(),
  };
}

/** Combines the refusals of the guard with the route's responses. */
function guardedBy(
  { openapi: { security, responses } }: RouteGuard,
  answers: Readonly<Record<number, object>>,
) {
  return { security, responses: { ...responses, ...answers } };
}

function json(description: string, schema: object) {
  return { description, content: { 'application/json': { schema } } };
}

const photo = {
  type: 'object',
  required: ['id', 'title', 'createdAt', 'picture'],
  properties: {
    id: { type: 'string' },
    title: { type: 'string' },
    album: { type: 'string' },
    createdAt: { type: 'string', format: 'date-time' },
    picture: { type: 'string', format: 'uri' },
  },
};
const newPhoto = {
  type: 'object',
  required: ['title'],
  properties: { title: { type: 'string', maxLength: 100, examples: ['Mist over the lake'] } },
};
