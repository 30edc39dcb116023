import type { Request, Response } from 'express';
import helmet from 'helmet';

import { carryValue } from '../../core/http/carried-text.js';
import type { Layout, LayoutPage, PagesOptions } from '../../settings/pages/page-options.js';
import type { Assets } from './assets.js';
import { hostLocalsOf } from './host-locals.js';
import type { LanguageSwitch } from './language-switch.js';
import type { Languages } from './languages.js';
import { layOut } from './layout.js';
import type { Translator } from './translator.js';
import { createRenderView } from './view-files.js';

/** What a view shows; values, never markup. */
export type Locals = Readonly<Record<string, unknown>>;

export interface Page {
  /** File name in `views` without its ending; a file of that name in the host's folder replaces it. */
  readonly view: string;
  readonly status?: number;
  /** What the view shows, or a function that says it in the language of the request. */
  readonly locals: Locals | ((translator: Translator) => Locals | Promise<Locals>);
  /**
   * The languages that a client says the person reads, the best first; they come before those that the page's own
   * address asks for.
   */
  readonly uiLocales?: readonly string[] | undefined;
  /** Where a form of the page may lead in the end, as CSP sources beside 'self'. */
  readonly formTargets?: readonly string[];
  /** Whether forms may lead only to `formTargets`, and not to this site. */
  readonly isFormForeign?: boolean;
  /** Origins of pictures that are not from this site, as CSP sources. */
  readonly imageSources?: readonly string[];
  /** Origins of pages that it shows in frames, as CSP sources. Default: none. */
  readonly frameSources?: readonly string[];
  /** Whether the page is better with a script; each page works without one. */
  readonly hasScript?: boolean;
  /** Whether it is in our own frame, whatever layout the host has. */
  readonly isBare?: boolean;
}

export type RenderPage = (req: Request, res: Response, page: Page) => Promise<void>;

export interface ViewsOptions {
  readonly views: string | undefined;
  readonly layout: Layout | undefined;
  readonly siteName: string;
  readonly assets: Pick<Assets, 'stylesheet' | 'script' | 'icon'>;
  readonly languages: Pick<Languages, 'translatorFor'>;
  readonly languageSwitch: Pick<LanguageSwitch, 'show'>;
  readonly pages: Pick<PagesOptions, 'logo' | 'sources' | 'home' | 'logout'>;
  /** Where every form may lead in the end, as CSP sources beside 'self'. */
  readonly formTargets: readonly string[];
}

/**
 * There is none if a request was refused: its address, which anybody may have made, would be in the form, and there are
 * no forms without TLS (RFC 6749 §1.6). A language that was picked before applies there as well.
 */
function hasSwitch({ isBare = false, status = 200 }: Page): boolean {
  return !isBare && status < 400;
}

/** Renders our pages, or the host's of the same name. */
export function createRenderPage(site: ViewsOptions): RenderPage {
  const { views, siteName, assets, languages, languageSwitch, pages } = site;
  const renderView = createRenderView(views);

  return async (req, res, page) => {
    const translator = languages.translatorFor(req, page.uiLocales);
    const layout = page.isBare === true ? undefined : site.layout;
    const shared = {
      siteName,
      siteLogo: pages.logo,
      siteIcon: assets.icon,
      home: pages.home ?? '/',
      logout: pages.logout,
      stylesheet: assets.stylesheet,
      script: page.hasScript === true ? assets.script : undefined,
      hasOwnLayout: layout !== undefined,
      carry: carryValue,
      languageSwitch: hasSwitch(page) ? languageSwitch.show(req, translator.locale) : undefined,
      ...translatorForViews(translator),
    };
    const locals = typeof page.locals === 'function' ? await page.locals(translator) : page.locals;
    const own = { ...shared, ...locals };
    const documentTitle = documentTitleOf(page, own, translator);
    const content = renderView(page.view, { ...hostLocalsOf(req, res), ...own, documentTitle });
    const framing = framingOf({ ...own, title: documentTitle }, translator);
    // some engines trim what they insert, which counts as a change
    const html =
      layout === undefined
        ? content
        : await layOut(layout, { ...framing, content: content.trim() }, { req, res });
    const ofSite = page.isFormForeign === true ? [] : ["'self'", ...site.formTargets];
    const formTargets = [...ofSite, ...(page.formTargets ?? [])];
    await setPageHeaders(req, res, { ...page, pages, formTargets });
    res.set('Content-Language', translator.locale);
    // not `send`, which adds an ETag to what nobody may keep, and turns the page into a 304 for If-None-Match
    res
      .status(page.status ?? 200)
      .type('html')
      .set('Content-Length', String(Buffer.byteLength(html)))
      .end(html);
  };
}

/**
 * Read out first after a form: somebody who cannot see the page hears from its title that the form was refused.
 *
 * @see WCAG 2.2 §2.4.2, technique G199
 */
function documentTitleOf({ status }: Page, { title }: Locals, { text }: Translator): string {
  return status === 422 ? text('layout.refused', { title: String(title) }) : String(title);
}

/** What a layout is given besides the page; the other values would replace the host's own. */
function framingOf(
  {
    title,
    stylesheet,
    script,
  }: Locals & { readonly stylesheet: string; readonly script: string | undefined },
  { locale, direction }: Translator,
): Omit<LayoutPage, 'content'> {
  return { title: String(title), locale, direction, stylesheet, script };
}

function translatorForViews({ locale, direction, text, markup, times }: Translator): Locals {
  return { locale, direction, text, markup, times };
}

/**
 * Our pages are never framed, cached or named to the next site, and run no script but our own (RFC 6749 §10.13, RFC
 * 9700 §4.16, §4.2.4).
 */
function setPageHeaders(
  req: Request,
  res: Response,
  page: Page & Pick<ViewsOptions, 'pages'>,
): Promise<void> {
  const pageHeaders = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: policyOf(page) },
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

function policyOf({
  formTargets = [],
  imageSources = [],
  frameSources = [],
  hasScript,
  pages: { logo, sources = {} },
}: Page & Pick<ViewsOptions, 'pages'>): Readonly<Record<string, readonly string[]>> {
  const self = hasScript === true ? ["'self'"] : [];
  return {
    defaultSrc: ["'none'"],
    styleSrc: ["'self'", ...listed(sources.style)],
    imgSrc: [...new Set(["'self'", ...originOf(logo), ...imageSources, ...listed(sources.image)])],
    ...directive('scriptSrc', [...self, ...listed(sources.script)]),
    // a script of the host's login page asks its own site for a passkey's challenge
    ...directive('connectSrc', [...self, ...listed(sources.connect)]),
    ...directive('fontSrc', listed(sources.font)),
    ...directive('frameSrc', frameSources),
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
    // browsers apply form-action to a form's whole redirect chain, so the client's redirect URI must be in it
    formAction: formTargets,
  };
}

function listed(sources: readonly string[] | undefined): readonly string[] {
  return sources ?? [];
}

function directive(name: string, sources: readonly string[]): Readonly<Record<string, readonly string[]>> {
  return sources.length === 0 ? {} : { [name]: sources };
}

function originOf(logo: string | undefined): readonly string[] {
  return logo?.startsWith('https:') ? [new URL(logo).origin] : [];
}
