import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import cors from 'cors';
import express, { Router } from 'express';
import type { AuthorizationServer } from 'express-authorization-server';
import { z } from 'zod';

import { ownerOf, toApiError, translateError } from './photo-api.js';
import type { Photos } from './photos.js';

export interface McpOptions {
  readonly oauth: AuthorizationServer;
  readonly photos: Photos;
  /** The URL of this endpoint, which is the resource that its tokens are for. */
  readonly resource: string;
}

/**
 * The photos as tools of a language model (Model Context Protocol, streamable HTTP). A client that comes without a token
 * is told by the guard's challenge where to read which authorization server gives one (RFC 9728); there it registers.
 */
export function createMcpEndpoint({ oauth, photos, resource }: McpOptions): Router {
  const router = Router();
  // clients may be pages of other sites: they come with a token and without cookies
  router.use(cors({ exposedHeaders: ['WWW-Authenticate'] }));
  router.use(oauth.guard({ resource, scopes: ['photos:read', 'photos:write'], any: true }));

  router.post('/', express.json({ limit: '100kb' }), async (req, res) => {
    // a server for each request keeps nothing between them, so that any process can answer the next one
    const server = createPhotoTools({ photos, ownerId: ownerOf(req), scopes: req.auth!.scopes });
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
      enableJsonResponse: true,
    });
    res.once('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(req, res, req.body);
  });

  router.all('/', (_req, res) => {
    res.status(405).set('Allow', 'POST').end();
  });
  router.use(translateError, oauth.errorHandler);
  return router;
}

interface PhotoToolsOptions {
  readonly photos: Photos;
  readonly ownerId: string;
  readonly scopes: readonly string[];
}

/** A client sees the tools that its token allows, and no others: the person chose on the consent page. */
function createPhotoTools({ photos, ownerId, scopes }: PhotoToolsOptions): McpServer {
  const server = new McpServer({ name: 'Lantern Photos', version: '1.0.0' });

  if (scopes.includes('photos:read')) {
    server.registerTool(
      'list_photos',
      {
        description: 'Lists the photos of the person, the newest first.',
        annotations: { readOnlyHint: true },
      },
      async () => {
        const found = await photos.listOf(ownerId).catch(refuse('list_photos'));
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
        inputSchema: { title: z.string().max(100) },
      },
      async ({ title }) => {
        const photo = await photos.add(ownerId, { title }).catch(refuse('add_photo'));
        return answer(`Added: ${photo.title}`);
      },
    );
  }
  return server;
}

function answer(text: string) {
  return { content: [{ type: 'text' as const, text }] };
}

/** What the model is told of a failure is what the API would say, and nothing of the database. */
function refuse(tool: string) {
  return (error: unknown): never => {
    throw toApiError(error, `mcp ${tool}`);
  };
}
