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

/** The values for a view, never markup. */
export type Locals = Readonly<Record<string, unknown>>;

export interface Page {
  /** File name in `views` without its ending; a file of that name in the site's folder replaces it. */
  readonly view: string;
  readonly status?: number;
  /** The values for the view, or a function of the language. */
  readonly locals: Locals | ((translator: Translator) => Locals | Promise<Locals>);
  /** The user's preferred languages, as the client says, the best first; they precede those in the page's address. */
  readonly uiLocales?: readonly string[] | undefined;
  /** The address of a GET with the same page, for the response to a form. */
  readonly address?: string | undefined;
  /** The possible targets of the page's forms, as CSP sources beside 'self'. */
  readonly formTargets?: readonly string[];
  /** Whether forms may lead only to `formTargets`, not to this site. */
  readonly isFormForeign?: boolean;
  /** Origins of the page's frames, as CSP sources. Default: none. */
  readonly frameSources?: readonly string[];
  /** Whether the page uses a script; each page works without one. */
  readonly hasScript?: boolean;
  /** Whether the page has no layout of the site. */
  readonly isBare?: boolean;
}

export type RenderPage = (req: Request, res: Response, page: Page) => Promise<void>;

/** Locals that views read although a page need not set them. */
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
/** Names that the host's locals must not replace, including those of EJS and JavaScript. */
const NOT_THE_HOSTS: ReadonlySet<string> = new Set([
  ...OPTIONAL_LOCALS,
  ...['Array', 'Math', 'Object', 'escapeFn', 'include', 'locals', 'rethrow'],
]);

/** Renders this package's pages, or the site's of the same name. */
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
    // no switch on a refused request, other than a form: its form would contain an address that anybody may have made,
    // and there are no forms without TLS (RFC 6749 §1.6). The language chosen before still applies
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
    const viewLocals = { ...shared, ...locals };
    // screen readers read the title first: it says that the form was refused (WCAG 2.2 §2.4.2, technique G199)
    const title = String(locals.title);
    const documentTitle = status === REFUSED_STATUS ? text('layout.refused', { title }) : title;
    // `app.locals` and `res.locals`, for the site's views, without names that would change or break the package's
    // views
    const hostLocals = Object.fromEntries(
      Object.entries({ ...req.app.locals, ...res.locals }).filter(
        ([name]) => !NOT_THE_HOSTS.has(name) && !name.startsWith('__'),
      ),
    );
    const content = renderView(page.view, { ...hostLocals, ...viewLocals, documentTitle });
    // a layout gets only these values: others would replace the site's own
    const { stylesheet, script } = viewLocals;
    const framing = { title: documentTitle, locale, direction, stylesheet, script };
    // some engines trim the content, which `layOut` would report as a change
    const html =
      layout === undefined
        ? content
        : await layOut(layout, { ...framing, content: content.trim() }, { req, res });
    await saveCsrfSecret(req);
    await setPageHeaders(req, res, page);
    res.set('Content-Language', locale);
    // not `send`, whose ETag would turn the page, which nobody may cache, into a 304 for If-None-Match
    res
      .status(status)
      .type('html')
      .set('Content-Length', String(Buffer.byteLength(html)))
      .end(html);
  };
}

/**
 * Pages are never framed, cached or sent as a referrer, and run only scripts of this site (RFC 6749 §10.13, RFC 9700
 * §4.16, §4.2.4).
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
      // a script of the site's login page fetches a passkey's challenge from its site
      connectSrc: [...self, ...connect],
      fontSrc: font,
      frameSrc: frameSources,
    };
    const directives = {
      defaultSrc: ["'none'"],
      styleSrc: ["'self'", ...style],
      imgSrc: [...new Set(["'self'", ...logoOrigin, ...image])],
      // only directives with sources; `default-src` covers the others
      ...Object.fromEntries(Object.entries(optional).filter(([, sources]) => sources.length > 0)),
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
      // browsers apply form-action to a form's whole redirect chain, so it must include the client's redirect URI
      formAction: [...(isFormForeign === true ? [] : ["'self'", ...targetsOfSite]), ...formTargets],
    };
    const pageHeaders = helmet({
      contentSecurityPolicy: { useDefaults: false, directives },
      xFrameOptions: { action: 'deny' },
      referrerPolicy: { policy: 'no-referrer' },
      // the site decides on these for all its pages; an opener policy would separate clients from their pop-up windows
      strictTransportSecurity: false,
      crossOriginOpenerPolicy: false,
    });
    res.setHeader('Cache-Control', 'no-store');
    return new Promise((resolve, reject) => {
      pageHeaders(req, res, (error?: unknown) => (error instanceof Error ? reject(error) : resolve()));
    });
  };
}
