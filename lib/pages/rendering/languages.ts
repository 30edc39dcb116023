import type { Request } from 'express';

import { parseUiLocales } from '../../core/authorization/hints.js';
import { queryOf } from '../../core/http/query.js';
import { cookiesNamed } from '../../core/sessions/signed-cookies.js';
import { en } from '../../messages/en.js';
import type { Messages } from '../../messages/index.js';
import type { LookOptions } from '../../settings/pages/page-options.js';
import { lazy } from '../../shared/lazy.js';
import { peekParameter } from '../../shared/protocol/parameters.js';
import { isCounted, placeholdersIn } from './counted-text.js';
import { createTranslator, type Translator } from './translator.js';

export type Languages = ReturnType<typeof createLanguages>;

/**
 * A cookie with the language that the user has chosen on a page. It has no other data, works before a login, and
 * survives a renewed session.
 */
export const LANGUAGE_COOKIE = 'oauth_language';
/** Milliseconds that a visit lasts after the last page with a requested language. */
const VISIT = 30 * 60_000;

/** Maximum number of requested languages, which bounds the loop. */
const MAX_REQUESTED = 20;

const ownOf = <T>(texts: Readonly<Record<string, T>>, locale: string) =>
  Object.hasOwn(texts, locale) ? texts[locale] : undefined;

/**
 * The languages of the pages: the package's, and those that the site adds or changes.
 *
 * @throws TypeError if a language or a text is invalid
 */
export function createLanguages(
  { locales: configured, messages = {}, locale: localeOf }: LookOptions,
  shipped: Readonly<Record<string, Messages>>,
) {
  const locales = configured ?? [...new Set([...Object.keys(shipped), ...Object.keys(messages)])];
  for (const [locale, texts] of Object.entries(messages)) checkTexts(locale, texts);
  const translator = new Map(
    locales.map((locale): [string, () => Translator] => {
      if (!Object.hasOwn(shipped, locale) && !Object.hasOwn(messages, locale))
        throw new TypeError(
          `the option pages.locales: there are no texts in '${locale}'; write pages: { messages: { '${locale}': { … } } }, or name one of ${Object.keys(shipped).join(', ')}`,
        );
      // created on demand, since most sites use few languages; a site's texts may be incomplete
      const textsIn = () => ({ ...en, ...ownOf(shipped, locale), ...ownOf(messages, locale) });
      return [locale, lazy(() => createTranslator(locale, textsIn()))];
    }),
  );
  const [first] = translator.values();
  if (first === undefined) throw new TypeError('the option pages.locales: must name one language at least');

  // a site that knows its users' language has its own place to choose it
  const isSwitched = localeOf === undefined && locales.length > 1;

  return {
    /** The available languages, the default first. */
    locales,
    /** Whether users can choose a language on the pages. */
    isSwitched,
    /** The texts in a language; otherwise in the default language. */
    termsIn: (locale: string | undefined) =>
      ((locale === undefined ? undefined : translator.get(findLocale([locale], locales) ?? '')) ?? first)(),
    /**
     * The texts in the language of a request. In order: the user's choice, `requested`, the page's address, the
     * language of the visit (only if `requested` is undefined), the site's function, the browser.
     */
    translatorFor(req: Request, requested?: readonly string[]): Translator {
      // the user's choice
      const selected = cookiesNamed(req, LANGUAGE_COOKIE).find((value) => /^[A-Za-z0-9-]{1,35}$/.test(value));
      const chosen = isSwitched ? translator.get(selected ?? '') : undefined;
      if (chosen !== undefined) return chosen();

      // `requested` first, then the address of the page
      const ranges = [...(requested ?? [])];
      try {
        ranges.push(...parseUiLocales(peekParameter(queryOf(req), 'ui_locales')));
      } catch {
        // an invalid query requests no language; its error is reported elsewhere
      }
      const fromClient = findLocale(ranges, locales);

      // later pages of a logged-in user are in the same language (OpenID Connect Core §3.1.2.1); nothing is stored for
      // a visitor
      const now = Date.now();
      const { session } = (req.user ? req : {}) as {
        /** The language of an earlier page of this visit. */
        readonly session?: { oauthLanguage?: { readonly locale?: unknown; readonly until?: unknown } };
      };
      const visit = session?.oauthLanguage;
      if (fromClient !== undefined) {
        // avoids a session write for each page
        const isStored = visit?.locale === fromClient && Number(visit.until) - now > VISIT / 2;
        if (session !== undefined && !isStored)
          session.oauthLanguage = { locale: fromClient, until: now + VISIT };
        return (translator.get(fromClient) ?? first)();
      }

      // the language of the visit, of the site's function, and of the browser
      const ofVisit =
        requested === undefined && typeof visit?.locale === 'string' && Number(visit.until) > now
          ? visit.locale
          : '';
      const locale =
        findLocale([ofVisit, localeOf?.(req) ?? ''], locales) ?? (req.acceptsLanguages([...locales]) || '');
      return (translator.get(locale) ?? first)();
    },
  };
}

function checkTexts(locale: string, texts: Partial<Messages>): void {
  const fail = (problem: string, cause?: unknown): never => {
    throw new TypeError(`the option pages.messages${problem}`, { cause });
  };
  try {
    Intl.getCanonicalLocales(locale);
  } catch {
    fail(`: '${locale}' is no language; write a tag such as pt-BR (BCP 47)`);
  }
  for (const [key, text] of Object.entries(texts)) {
    if (!Object.hasOwn(en, key)) fail(`.${locale}: there is no text '${key}'`);
    const shipped = en[key as keyof Messages];
    if (isCounted(text) && !isCounted(shipped))
      fail(`.${locale}: '${key}' counts nothing; write it without plural`);
    const placeholders = placeholdersIn(shipped);
    let values: string[] = [];
    try {
      values = placeholdersIn(text);
    } catch (cause) {
      fail(
        `.${locale}: '${key}' has a mistake in its plural; write it like {count, plural, one {# thing} other {# things}}`,
        cause,
      );
    }
    const unknown = values.find((name) => !placeholders.includes(name));
    if (unknown !== undefined)
      fail(
        `.${locale}: '${key}' has {${unknown}}; it may have ${placeholders.map((name) => `{${name}}`).join(', ') || 'none'}`,
      );
  }
}

/** RFC 4647 §3.4: the first language with texts, or with texts in a wider language. */
function findLocale(ranges: readonly string[], locales: readonly string[]): string | undefined {
  const offered = new Map(locales.map((locale) => [locale.toLowerCase(), locale]));
  for (const range of ranges.slice(0, MAX_REQUESTED)) {
    const subtags = range.slice(0, 100).toLowerCase().split('-');
    for (let length = subtags.length; length > 0; length -= 1) {
      const locale = offered.get(subtags.slice(0, length).join('-'));
      if (locale !== undefined) return locale;
    }
  }
  return undefined;
}
