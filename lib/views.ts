import { fileURLToPath } from 'node:url';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import ejs from 'ejs';
import type { Request, Response } from 'express';
import helmet from 'helmet';
import type { Settings } from './settings.js';

/** Beside both `lib` and `dist`. */
const PACKAGED_VIEWS = fileURLToPath(new URL('../views', import.meta.url));

export interface Page {
  /** File name in `views` without its ending; a file of that name in the host's folder takes its place. */
  readonly view: string;
  readonly status?: number;
  /** What the view shows; values, never markup. */
  readonly locals: Readonly<Record<string, unknown>>;
  /** Where a form of the page may lead in the end, as CSP sources beside 'self'. */
  readonly formTargets?: readonly string[];
}

export type RenderPage = (req: Request, res: Response, page: Page) => Promise<void>;

export interface ViewsOptions extends Pick<Settings, 'views' | 'siteName'> {
  /** Public path of the stylesheet. */
  readonly stylesheet: string;
}

/**
 * Renders our pages, or the host's of the same name. `res.render` is not used: in a router it would look into the
 * host's views folder only, and load `ejs` from Express's own place.
 */
export function createRenderPage({ views, siteName, stylesheet }: ViewsOptions): RenderPage {
  const folders = views === undefined ? [PACKAGED_VIEWS] : [views, PACKAGED_VIEWS];
  return async (req, res, { view, status = 200, locals, formTargets = [] }) => {
    const file = folders.map((folder) => join(folder, `${view}.ejs`)).find((candidate) => existsSync(candidate));
    if (file === undefined) throw new Error(`express-authorization-server: there is no view ${view}.ejs`);
    const html = await ejs.renderFile(file, { ...req.app.locals, ...res.locals, siteName, stylesheet, ...locals }, { views: folders, cache: process.env.NODE_ENV === 'production' });
    await setPageHeaders(req, res, formTargets);
    res.status(status).type('html').send(html);
  };
}

/** A page of ours is never framed, cached or named to the next site, and runs no script (RFC 6749 §10.13, RFC 9700 §4.16, §4.2.4). */
function setPageHeaders(req: Request, res: Response, formTargets: readonly string[]): Promise<void> {
  const pageHeaders = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
        // browsers hold a form's whole redirect chain to form-action, so the client's redirect URI must be in it
        formAction: ["'self'", ...formTargets],
      },
    },
    xFrameOptions: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
    // the host decides on these for its whole site; an opener policy would cut clients off their own pop-up windows
    strictTransportSecurity: false,
    crossOriginOpenerPolicy: false,
  });
  res.setHeader('Cache-Control', 'no-store');
  return new Promise((resolve, reject) => {
    pageHeaders(req, res, (error?: unknown) => (error instanceof Error ? reject(error) : resolve()));
  });
}
