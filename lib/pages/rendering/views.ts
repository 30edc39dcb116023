import type { Request, Response } from 'express';
import helmet from 'helmet';

import { carryValue } from '../../core/http/carried-text.js';
import { saveCsrfSecret } from '../../core/http/csrf.js';
import { REFUSED_STATUS } from '../form-answers.js';
import type { Assets } from './assets.js';
import type { LanguageSwitch } from './language-switch.js';
import type { Languages } from './languages.js';
import { findLayout, layOut } from './layout.js';
import type { PagesSetup } from './pages-setup.js';
import type { Translator } from './translator.js';
import { createRenderView } from './view-files.js';

/** What a view shows; values, never markup. */
export type Locals = Readonly<Record<string, unknown>>;

export interface Page {
  /** File name in `views` without its ending; a file of that name in the site's folder replaces it. */
  readonly view: string;
  readonly status?: number;
  /** What the view shows, or a function that says it in the language of the request. */
  readonly locals: Locals | ((translator: Translator) => Locals | Promise<Locals>);
  /**
   * The languages that a client says the user reads, the best first; they come before those that the page's own
   * address asks for.
   */
  readonly uiLocales?: readonly string[] | undefined;
  /** Where a GET shows the same page, if the answer to a form may show it. */
  readonly address?: string | undefined;
  /** Where a form of the page may lead in the end, as CSP sources beside 'self'. */
  readonly formTargets?: readonly string[];
  /** Whether forms may lead only to `formTargets`, and not to this site. */
  readonly isFormForeign?: boolean;
  /** Origins of pages that it shows in frames, as CSP sources. Default: none. */
  readonly frameSources?: readonly string[];
  /** Whether the page is better with a script; each page works without one. */
  readonly hasScript?: boolean;
  /** Whether it is in our own frame, whatever layout the site has. */
  readonly isBare?: boolean;
}

export type RenderPage = (req: Request, res: Response, page: Page) => Promise<void>;

/** What our views look for although a page need not give it. */
const OPTIONAL_LOCALS = [
  'clientSecret',
  'device',
  'error',
  'fields',
  'hasOwnLayout',
  'languageSwitch',
  'layout',
  'loggedInAs',
  'logout',
  'nav',
  'note',
  'notice',
  'person',
  'problem',
  'script',
  'showValue',
  'siteLogo',
  'usage',
  'waiting',
];
/** With the names that EJS and JavaScript use. */
const NOT_THE_HOSTS: ReadonlySet<string> = new Set([
  ...OPTIONAL_LOCALS,
  ...['Array', 'Math', 'Object', 'escapeFn', 'include', 'locals', 'rethrow'],
]);

/** Renders our pages, or the site's of the same name. */
export function createRenderPage(
  setup: PagesSetup,
  assets: Assets,
  languages: Languages,
  languageSwitch: LanguageSwitch,
): RenderPage {
  const { siteName, pages } = setup;
  const layoutOfSite = findLayout(pages);
  const renderView = createRenderView(pages.views);
  const setPageHeaders = createSetPageHeaders(setup);
  const everywhere = {
    siteName,
    siteLogo: pages.logo,
    siteIcon: assets.icon,
    home: pages.home ?? '/',
    stylesheet: assets.stylesheet,
    carry: carryValue,
  };

  return async (req, res, page) => {
    const translator = languages.translatorFor(req, page.uiLocales);
    const { locale, direction, text, markup, times } = translator;
    const { isBare = false, status = 200 } = page;
    const layout = isBare ? undefined : layoutOfSite;
    // none if a request was refused, other than a form: its address, which anybody may have made, would be in the form,
    // and there are no forms without TLS (RFC 6749 §1.6); a language that was picked before applies there as well
    const hasSwitch = !isBare && (status < 400 || status === REFUSED_STATUS || page.address !== undefined);
    const shared = {
      ...everywhere,
      logout: pages.logout ?? setup.findLogoutPath?.(),
      script: page.hasScript === true ? assets.script : undefined,
      hasOwnLayout: layout !== undefined,
      languageSwitch: hasSwitch ? languageSwitch.show(req, locale, page.address) : undefined,
      locale,
      direction,
      text,
      markup,
      times,
    };
    const locals = typeof page.locals === 'function' ? await page.locals(translator) : page.locals;
    const own = { ...shared, ...locals };
    // read out first after a form: somebody who cannot see the page hears from its title that the form was refused
    // (WCAG 2.2 §2.4.2, technique G199)
    const title = String(locals.title);
    const documentTitle = status === REFUSED_STATUS ? text('layout.refused', { title }) : title;
    // `app.locals` and `res.locals`, for the site's own views: without those that would break one of our pages, or
    // change what it says
    const hostLocals = Object.fromEntries(
      Object.entries({ ...req.app.locals, ...res.locals }).filter(
        ([name]) => !NOT_THE_HOSTS.has(name) && !name.startsWith('__'),
      ),
    );
    const content = renderView(page.view, { ...hostLocals, ...own, documentTitle });
    // a layout is given only this besides the page: other values would replace the site's own
    const { stylesheet, script } = own;
    const framing = { title: documentTitle, locale, direction, stylesheet, script };
    // some engines trim what they insert, which counts as a change
    const html =
      layout === undefined
        ? content
        : await layOut(layout, { ...framing, content: content.trim() }, { req, res });
    await saveCsrfSecret(req);
    await setPageHeaders(req, res, page);
    res.set('Content-Language', locale);
    // not `send`, which adds an ETag to what nobody may keep, and turns the page into a 304 for If-None-Match
    res
      .status(status)
      .type('html')
      .set('Content-Length', String(Buffer.byteLength(html)))
      .end(html);
  };
}

/**
 * Our pages are never framed, cached or named to the next site, and run no script but our own (RFC 6749 §10.13, RFC
 * 9700 §4.16, §4.2.4).
 */
function createSetPageHeaders({
  pages: { logo, sources = {} },
  formTargets: targetsOfSite = [],
}: PagesSetup) {
  const { style = [], image = [], script = [], connect = [], font = [] } = sources;
  const logoOrigin = logo?.startsWith('https:') ? [new URL(logo).origin] : [];
  return (
    req: Request,
    res: Response,
    { formTargets = [], isFormForeign, frameSources = [], hasScript }: Page,
  ): Promise<void> => {
    const self = hasScript === true ? ["'self'"] : [];
    const optional: Readonly<Record<string, readonly string[]>> = {
      scriptSrc: [...self, ...script],
      // a script of the site's login page asks its own site for a passkey's challenge
      connectSrc: [...self, ...connect],
      fontSrc: font,
      frameSrc: frameSources,
    };
    const directives = {
      defaultSrc: ["'none'"],
      styleSrc: ["'self'", ...style],
      imgSrc: [...new Set(["'self'", ...logoOrigin, ...image])],
      // those that name a source; for the others `default-src` holds
      ...Object.fromEntries(Object.entries(optional).filter(([, sources]) => sources.length > 0)),
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
      // browsers apply form-action to a form's whole redirect chain, so the client's redirect URI must be in it
      formAction: [...(isFormForeign === true ? [] : ["'self'", ...targetsOfSite]), ...formTargets],
    };
    const pageHeaders = helmet({
      contentSecurityPolicy: { useDefaults: false, directives },
      xFrameOptions: { action: 'deny' },
      referrerPolicy: { policy: 'no-referrer' },
      // the site decides on these for all its pages; an opener policy would cut clients off their own pop-up windows
      strictTransportSecurity: false,
      crossOriginOpenerPolicy: false,
    });
    res.setHeader('Cache-Control', 'no-store');
    return new Promise((resolve, reject) => {
      pageHeaders(req, res, (error?: unknown) => (error instanceof Error ? reject(error) : resolve()));
    });
  };
}
