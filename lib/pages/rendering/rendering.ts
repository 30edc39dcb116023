import { Router } from 'express';

import type { RenderError, RenderFormPost } from '../../core/http/page-error.js';
import type { Messages } from '../../messages/index.js';
import type { LookOptions } from '../../settings/pages/page-options.js';
import { collectProblems, OptionError } from '../../settings/table/problems.js';
import { createAssets } from './assets.js';
import { createRenderError } from './error-page.js';
import { createRenderFormPost } from './form-post-page.js';
import { createLanguageSwitch } from './language-switch.js';
import { createLanguages, type Languages } from './languages.js';
import { findLayout } from './layout.js';
import { themeCss } from './theme.js';
import { createRenderPage, type RenderPage } from './views.js';

export interface PagesSetup {
  /** The function that the site calls: errors in `pages` are reported under this name. */
  readonly functionName: string;
  /** Where `router` is reached, as browsers see it: `/oauth`. */
  readonly publicPath: string;
  /** What a proxy may remove from the front of the paths that this process sees. */
  readonly hiddenPath: string;
  readonly siteName: string;
  readonly pages: LookOptions;
  /** Where every form may lead in the end, as CSP sources beside 'self': to a login on another origin. */
  readonly formTargets?: readonly string[];
  /** The package's texts, by language. */
  readonly languages: Readonly<Record<string, Messages>>;
  /** The page that asks whether to log out, if `pages` names none. Default: none. */
  readonly findLogoutPath?: () => string | undefined;
  /** Whether error pages say why it really failed: for a site on loopback, whose visitor is its developer. */
  readonly showsDetail?: () => boolean;
}

/** What all pages share. */
export interface Pages {
  readonly renderPage: RenderPage;
  readonly renderError: RenderError;
  readonly renderFormPost: RenderFormPost;
  /** Serves the stylesheet and the script, and changes the language. */
  readonly router: Router;
  /** The languages that are offered, the default one first. */
  readonly locales: readonly string[];
  /** The texts in a language, for what is not the answer to a request. */
  readonly termsIn: Languages['termsIn'];
}

/** @throws TypeError if the option `pages` is wrong, with what to write instead */
export function createPages({
  functionName,
  publicPath,
  hiddenPath,
  siteName,
  pages,
  formTargets = [],
  languages: shipped,
  findLogoutPath = () => undefined,
  showsDetail = () => false,
}: PagesSetup): Pages {
  const { views, layout } = pages;
  const { languages, theme } = readLook(functionName, pages, shipped);
  const assets = createAssets({ publicPath, views, theme, siteName });
  const languageSwitch = createLanguageSwitch({
    publicPath,
    hiddenPath,
    home: pages.home ?? '/',
    locales: languages.isSwitched ? languages.locales : [],
  });
  const renderPage = createRenderPage({
    views,
    layout: findLayout({ views, layout }),
    siteName,
    assets: { ...assets, icon: pages.logo ?? assets.icon },
    languages,
    languageSwitch,
    pages,
    findLogoutPath,
    formTargets,
  });
  return {
    renderPage,
    renderError: createRenderError({ renderPage, showsDetail }),
    renderFormPost: createRenderFormPost({ renderPage }),
    router: Router().use(assets.router, languageSwitch.router),
    locales: languages.locales,
    termsIn: languages.termsIn,
  };
}

/** @throws TypeError with what is wrong in the languages, the texts and the colours of the option `pages` */
export function readLook(functionName: string, pages: LookOptions, shipped: PagesSetup['languages']) {
  return collectProblems((problems) => {
    const named = <Result>(read: () => Result) => {
      return (): Result => {
        try {
          return read();
        } catch (error) {
          throw error instanceof TypeError ? new OptionError(`${functionName}: ${error.message}`) : error;
        }
      };
    };
    return problems.members({
      languages: named(() => createLanguages(pages, shipped)),
      theme: named(() => themeCss(pages.colors)),
    });
  });
}
