import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { McpServer } from '@modelcontextprotocol/server';
import type { Router } from 'express';
import type { AuthorizationServer } from 'express-authorization-server';
import { z } from 'zod';

import { albumOf } from './albums.js';
import { detailsOfPayment } from './payments.js';
import { boundTo, ownerOf, toApiError } from './photo-api.js';
import type { Photos } from './photos.js';

export interface McpOptions {
  readonly oauth: AuthorizationServer;
  readonly photos: Photos;
  /** The URL of this endpoint, which is the resource of its tokens. */
  readonly resource: string;
}

/**
 * The photos as tools of a language model (Model Context Protocol, streamable HTTP). The guard's challenge tells a
 * client without a token where the metadata of the authorization server is (RFC 9728).
 */
export function createMcpEndpoint({ oauth, photos, resource }: McpOptions): Router {
  return oauth.mcp({
    resource,
    scopes: ['photos:read', 'photos:write'],
    any: true,
    // a payment needs the person's consent, which the refused client requests
    tools: { pay: { details: detailsOfPayment } },
    // with a server for each request there is no state, so that any process can handle the next request
    createServer: (req) =>
      createPhotoTools({ photos, ownerId: ownerOf(req), album: albumOf(req), scopes: req.auth!.scopes }),
    createTransport: () =>
      new NodeStreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true }),
  });
}

interface PhotoToolsOptions {
  readonly photos: Photos;
  readonly ownerId: string;
  /** The only album of the token, if the person has chosen one. */
  readonly album: string | undefined;
  readonly scopes: readonly string[];
}

/** Offers only the tools that the token allows, by the person's choice on the consent page. */
function createPhotoTools({ photos, ownerId, album, scopes }: PhotoToolsOptions): McpServer {
  const server = new McpServer({ name: 'Lantern Photos', version: '1.0.0' });

  if (scopes.includes('photos:read')) {
    server.registerTool(
      'list_photos',
      {
        description: 'Lists the photos of the person, the newest first.',
        annotations: { readOnlyHint: true },
      },
      async () => {
        const found = await photos.listOf(ownerId, album).catch(refuse('list_photos'));
        return answer(
          found
            .map(({ title, createdAt }) => `${title} (${createdAt.toISOString().slice(0, 10)})`)
            .join('\n') || 'There are no photos yet.',
        );
      },
    );
  }
  if (scopes.includes('photos:write')) {
    server.registerTool(
      'add_photo',
      {
        description: 'Adds a photo with this title to the album of the person.',
        inputSchema: z.object({ title: z.string().max(100) }),
      },
      async ({ title }) => {
        const photo = await photos.add(ownerId, { title, ...boundTo(album) }).catch(refuse('add_photo'));
        return answer(`Added: ${photo.title}`);
      },
    );
  }
  server.registerTool(
    'pay',
    {
      description: 'Pays for prints. The person allows each payment by itself.',
      inputSchema: z.object({ amount: z.string().regex(/^\d{1,4}\.\d{2}$/), to: z.string().min(1).max(70) }),
    },
    // the guard has checked that the person has allowed this payment
    ({ amount, to }) => answer(`Paid ${amount} EUR to ${to}`),
  );
  return server;
}

function answer(text: string) {
  return { content: [{ type: 'text' as const, text }] };
}

/** The model gets the API's error message, and no details of the database. */
function refuse(tool: string) {
  return (error: unknown): never => {
    throw toApiError(error, `mcp ${tool}`);
  };
}
