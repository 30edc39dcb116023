import { createHash } from 'node:crypto';
import { extname } from 'node:path';

import { Router } from 'express';

import { readView } from './view-files.js';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

export interface Assets {
  /** Public path of the stylesheet. The content is in its name, so that it can be cached for ever. */
  readonly stylesheet: string;
  /** Public path of the script, in the same way. */
  readonly script: string;
  /** Answers at the root of `publicPath`. */
  readonly router: Router;
}

export interface AssetsOptions {
  /** Where the router is reached, as browsers see it: `/oauth`. */
  readonly publicPath: string;
  /** The host's views folder: its `style.css` and `script.js` take the place of ours. */
  readonly views: string | undefined;
  /** CSS that follows the stylesheet: the host's colours. */
  readonly theme: string;
}

/** The stylesheet and the script of the pages. */
export function createAssets({ publicPath, views, theme }: AssetsOptions): Assets {
  const router = Router();
  return {
    stylesheet: `${publicPath}/${serve(router, 'style.css', `${readView(views, 'style.css')}${theme}`)}`,
    script: `${publicPath}/${serve(router, 'script.js', readView(views, 'script.js'))}`,
    router,
  };
}

function serve(router: Router, name: string, content: string): string {
  const ending = extname(name);
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  const hashed = `${name.slice(0, -ending.length)}-${hash}${ending}`;
  router.get(`/${hashed}`, function sendAsset(_req, res) {
    res.set({
      'Content-Type': TYPES[ending],
      'Cache-Control': 'public, max-age=31536000, immutable',
      'X-Content-Type-Options': 'nosniff',
    });
    res.send(content);
  });
  return hashed;
}
