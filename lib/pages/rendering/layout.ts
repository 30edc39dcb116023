import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { Request, Response } from 'express';

import type { Layout, LayoutPage, LookOptions } from '../../settings/pages/page-options.js';
import { OAuthError } from '../../shared/errors.js';
import { createRenderView } from './view-files.js';

const NAME = 'layout';

/** The site's layout has failed; the error page does without it. */
export class LayoutFailure extends OAuthError {
  constructor(detail: string, cause?: unknown) {
    super('server_error', 'the server met an unexpected condition', {
      detail: `the layout of the pages ${detail}`,
      cause,
    });
  }
}

/** The option, or `layout.ejs` in the site's views. */
export function findLayout({ views, layout }: LookOptions): Layout | undefined {
  if (layout !== undefined || views === undefined || !existsSync(join(views, `${NAME}.ejs`))) return layout;
  const render = createRenderView(views);
  // the site's locals stay, except the six that a layout gets; in EJS the page is `body`
  return ({ content, ...page }, req, res) =>
    render(NAME, { ...req.app.locals, ...res.locals, ...page, body: content });
}

/** @throws LayoutFailure with what to write instead, if the page would be incomplete */
export async function layOut(
  layout: Layout,
  page: LayoutPage,
  { req, res }: { readonly req: Request; readonly res: Response },
): Promise<string> {
  let html: unknown;
  try {
    html = await layout(page, req, res);
  } catch (cause) {
    throw new LayoutFailure('failed', cause);
  }
  if (res.headersSent)
    throw new LayoutFailure(
      'has sent the answer itself, without our headers; it has to give the HTML back: res.render(view, page, (error, html) => …)',
    );
  if (typeof html !== 'string')
    throw new LayoutFailure(`gave no HTML but ${html === null ? 'null' : typeof html}`);
  if (!html.includes(page.content))
    throw new LayoutFailure(
      'left out page.content, or changed it; put it in as it is: {{{content}}} in Handlebars, != content in pug, <%- content %> in EJS (<%- body %> in a layout.ejs of views)',
    );
  return html;
}
