import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

import { Router } from 'express';

import { lazy } from '../../shared/lazy.js';
import type { PagesSetup } from './pages-setup.js';
import { readView } from './view-files.js';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
};

export type Assets = ReturnType<typeof createAssets>;

/**
 * The stylesheet, the script and the icon of the pages, by their public paths. Their names have a hash of the content, so
 * that they can be cached for ever.
 *
 * @param theme CSS that follows the stylesheet: the site's colours
 */
export function createAssets({ publicPath, siteName, pages: { views, logo } }: PagesSetup, theme: string) {
  const router = Router();
  // the first letter of the site on a tile, in the blue of our pages, since icons are seen on bright and dark tabs
  const [letter = ''] = Array.from(siteName.trim());
  const displayed = /^[\p{L}\p{N}]$/u.test(letter) ? letter.toUpperCase() : '•';
  const icon = [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">',
    '<rect width="32" height="32" rx="7" fill="#2f54c8"/>',
    '<text x="16" y="23" text-anchor="middle" font-family="sans-serif" font-size="20" font-weight="700" fill="#fff">',
    `${displayed}</text></svg>`,
  ].join('');
  return {
    stylesheet: `${publicPath}/${serve(router, 'style.css', `${readView(views, 'style.css')}${theme}`)}`,
    script: `${publicPath}/${serve(router, 'script.js', readView(views, 'script.js'))}`,
    icon: logo ?? `${publicPath}/${serve(router, 'icon.svg', icon)}`,
    // answers at the root of `publicPath`
    router,
  };
}

function serve(router: Router, name: string, content: string): string {
  const ending = extname(name);
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  const hashed = `${name.slice(0, -ending.length)}-${hash}${ending}`;
  // made at the first request and then kept; a browser fetches it only once
  const encodings: Readonly<Record<string, () => Buffer>> = {
    br: lazy(() => brotliCompressSync(content)),
    gzip: lazy(() => gzipSync(content)),
  };
  router.get(`/${hashed}`, function sendAsset(req, res) {
    const chosen = req.acceptsEncodings([...Object.keys(encodings), 'identity']);
    const encoded = typeof chosen === 'string' ? encodings[chosen] : undefined;
    res.set({
      'Content-Type': TYPES[ending],
      'Cache-Control': 'public, max-age=31536000, immutable',
      'X-Content-Type-Options': 'nosniff',
    });
    res.vary('Accept-Encoding');
    if (encoded !== undefined) res.set('Content-Encoding', chosen as string);
    res.send(encoded?.() ?? content);
  });
  return hashed;
}
