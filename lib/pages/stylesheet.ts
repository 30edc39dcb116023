import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Router } from 'express';

/** Beside both `lib` and `dist`. */
const PACKAGED_STYLESHEET = fileURLToPath(new URL('../../views/style.css', import.meta.url));

export interface Stylesheet {
  /** Public path. The content is in its name, so that it can be cached forever. */
  readonly path: string;
  /** Answers at the root of `publicBasePath`. */
  readonly router: Router;
}

/**
 * The stylesheet of the pages: the host's `style.css` where its views folder has one, else ours.
 *
 * @param publicBasePath where the router is reached, as browsers see it: `/oauth`
 * @param views the host's views folder
 */
export function createStylesheet(publicBasePath: string, views?: string): Stylesheet {
  const own = views === undefined ? PACKAGED_STYLESHEET : join(views, 'style.css');
  const css = readFileSync(existsSync(own) ? own : PACKAGED_STYLESHEET);
  const name = `style-${createHash('sha256').update(css).digest('hex').slice(0, 16)}.css`;
  const router = Router();
  router.get(`/${name}`, function sendStylesheet(_req, res) {
    res.set({ 'Content-Type': 'text/css; charset=utf-8', 'Cache-Control': 'public, max-age=31536000, immutable', 'X-Content-Type-Options': 'nosniff' });
    res.send(css);
  });
  return { path: `${publicBasePath}/${name}`, router };
}
