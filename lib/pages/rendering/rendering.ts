import { Router } from 'express';

import type { RenderError, RenderFormPost } from '../../core/http/page-error.js';
import type { LookOptions } from '../../settings/pages/page-options.js';
import { collectProblems, OptionError } from '../../settings/table/problems.js';
import { createAssets } from './assets.js';
import { createRenderError } from './error-page.js';
import { createRenderFormPost } from './form-post-page.js';
import { createLanguageSwitch } from './language-switch.js';
import { createLanguages, type Languages } from './languages.js';
import { themeCss } from './theme.js';
import { createRenderPage, type PagesSetup, type RenderPage } from './views.js';

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
export function createPages(setup: PagesSetup): Pages {
  const { pages, publicPath, hiddenPath, showsDetail = () => false } = setup;
  const { languages, theme } = readLook(setup.functionName, pages, setup.languages);
  const assets = createAssets({ ...setup, theme });
  const languageSwitch = createLanguageSwitch({
    publicPath,
    hiddenPath,
    home: pages.home ?? '/',
    locales: languages.isSwitched ? languages.locales : [],
  });
  const renderPage = createRenderPage({ setup, assets, languages, languageSwitch });
  return {
    renderPage,
    renderError: createRenderError(renderPage, showsDetail),
    renderFormPost: createRenderFormPost(renderPage),
    router: Router().use(assets.router, languageSwitch.router),
    locales: languages.locales,
    termsIn: languages.termsIn,
  };
}

/** @throws TypeError with what is wrong in the languages, the texts and the colours of the option `pages` */
export function readLook(functionName: string, pages: LookOptions, shipped: PagesSetup['languages']) {
  return collectProblems((problems) => {
    const named =
      <Result>(read: () => Result) =>
      (): Result => {
        try {
          return read();
        } catch (error) {
          throw error instanceof TypeError ? new OptionError(`${functionName}: ${error.message}`) : error;
        }
      };
    return problems.members({
      languages: named(() => createLanguages(pages, shipped)),
      theme: named(() => themeCss(pages.colors)),
    });
  });
}
