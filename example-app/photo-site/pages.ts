import { type Request, type RequestHandler, Router } from 'express';
import type { User } from 'express-authorization-server';

import { playgroundPath } from '../demo.js';
import { isLocal } from '../settings.js';
import type { Photos } from './photos.js';
import { drawPicture } from './pictures.js';

export interface PagesOptions {
  readonly photos: Photos;
  readonly issuer: string;
  readonly shopUrl: string;
  /** The address for assistants. */
  readonly mcpUrl: string;
}

/** The site's pages for people. */
export function createPages({ photos, issuer, shopUrl, mcpUrl }: PagesOptions): Router {
  const pages = Router();

  pages.get('/', (_req, res) => {
    res.render('home', { title: 'Lantern Photos', shopUrl });
  });

  pages.get('/connect', (_req, res) => {
    const configuration = { url: mcpUrl };
    res.render('connect', {
      title: 'Connect an assistant',
      mcpUrl,
      isOnThisMachine: isLocal({ issuer }),
      // links in the documented formats of VS Code and Cursor
      vsCode: `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: 'lantern', type: 'http', ...configuration }))}`,
      cursor: `cursor://anysphere.cursor-deeplink/mcp/install?${new URLSearchParams({
        name: 'lantern',
        config: Buffer.from(JSON.stringify(configuration)).toString('base64'),
      }).toString()}`,
    });
  });

  pages.get('/photos', requireLogin, async (req, res) => {
    res.set('Cache-Control', 'no-store');
    res.render('photos', { title: 'Your photos', photos: await photos.listOf(userIdOf(req)), shopUrl });
  });

  pages.get('/photos/:id/picture', requireLogin, async (req, res, next) => {
    const photo = await photos.find(userIdOf(req), String(req.params.id));
    if (photo === null) return next();
    res.set('Cache-Control', 'private, max-age=3600').type('svg').send(drawPicture(photo.design));
  });

  pages.get(playgroundPath, (req, res) => {
    const { code, state, iss, error, error_description: description } = req.query;
    // the page offers a shell command to paste, so the values must contain no special characters
    const isPlain = (value: unknown) => typeof value === 'string' && /^[\w.~-]{1,512}$/.test(value);
    res.set('Cache-Control', 'no-store');
    res.render('playground', {
      title: 'What the client received',
      received: { code, state, iss, error, error_description: description },
      code: isPlain(code) ? code : undefined,
      issuer,
      redirectUri: `${issuer}${playgroundPath}`,
    });
  });

  return pages;
}

/** Sends visitors to the login, and back. */
export const requireLogin: RequestHandler = (req, res, next) => {
  if (req.user) return next();
  res.redirect(303, `/login?return_to=${encodeURIComponent(req.originalUrl)}`);
};

/** Only behind `requireLogin`. */
function userIdOf(req: Request): string {
  return (req.user as User).id;
}
