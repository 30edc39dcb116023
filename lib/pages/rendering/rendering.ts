import { Router } from 'express';

import type { RenderFormPost } from '../../core/http/page-error.js';
import type { LookOptions } from '../../settings/pages/page-options.js';
import { collectProblems, OptionError } from '../../settings/table/problems.js';
import { createAssets } from './assets.js';
import { createRenderError } from './error-page.js';
import { exactTargetOf } from './form-targets.js';
import { createLanguageSwitch } from './language-switch.js';
import { createLanguages } from './languages.js';
import type { PagesSetup } from './pages-setup.js';
import { themeCss } from './theme.js';
import { createRenderPage } from './views.js';

/**
 * The shared parts of all pages.
 *
 * @throws TypeError if the option `pages` is wrong, with what to write instead
 */
export function createPages(setup: PagesSetup) {
  const { languages, theme } = readLook(setup.functionName, setup.pages, setup.languages);
  const assets = createAssets(setup, theme);
  const languageSwitch = createLanguageSwitch(setup, languages);
  const renderPage = createRenderPage(setup, assets, languages, languageSwitch);
  return {
    renderPage,
    renderError: createRenderError(renderPage, setup.showsDetail),
    /**
     * A form that a script sends at once; without scripts, its button. It has no layout of the site, because it is
     * visible only for a moment and must contain no other form.
     *
     * @see OAuth 2.0 Form Post Response Mode §2
     */
    renderFormPost: ((req, res, { address, fields, clientName, uiLocales }) =>
      renderPage(req, res, {
        view: 'form-post',
        uiLocales,
        formTargets: [exactTargetOf(address)],
        isFormForeign: true,
        hasScript: true,
        isBare: true,
        locals: ({ text }) => ({ title: text('formPost.title'), address, fields, clientName }),
      })) as RenderFormPost,
    /** Serves the stylesheet and the script, and changes the language. */
    router: Router().use(assets.router, languageSwitch.router),
    locales: languages.locales,
    /** The texts in a language, for content outside a response. */
    termsIn: languages.termsIn,
  };
}

/** @throws TypeError with the problems of languages, texts and colours in the option `pages` */
export function readLook(functionName: string, pages: LookOptions, shipped: PagesSetup['languages']) {
  return collectProblems((problems) => {
    const withOption =
      <Result>(read: () => Result) =>
      () => {
        try {
          return read();
        } catch (error) {
          throw error instanceof TypeError ? new OptionError(`${functionName}: ${error.message}`) : error;
        }
      };
    return problems.members({
      languages: withOption(() => createLanguages(pages, shipped)),
      theme: withOption(() => themeCss(pages.colors)),
    });
  });
}
