import type { Request } from 'express';

import { parseUiLocales } from '../../core/authorization/hints.js';
import { queryOf } from '../../core/http/query.js';
import { en } from '../../messages/en.js';
import type { Messages } from '../../messages/index.js';
import type { LookOptions } from '../../settings/pages/page-options.js';
import { lazy } from '../../shared/lazy.js';
import { peekParameter } from '../../shared/protocol/parameters.js';
import { argumentsOf, isCounted } from './counted-text.js';
import { createTranslator, type Translator } from './translator.js';
import { chosenLanguage, keepLanguage, languageOfVisit } from './visit-language.js';

export interface Languages {
  /** The languages that are offered, the default one first. */
  readonly locales: readonly string[];
  /** Whether users can pick one of them on the pages. */
  readonly isSwitched: boolean;
  /**
   * The texts in the language of a request; `requested` comes before what its address asks for. The language of the
   * visit counts only if no client asks for anything, not even with an empty list. What the user has picked on a page
   * comes before all of that.
   */
  translatorFor(req: Request, requested?: readonly string[]): Translator;
  /** The texts in a language, or in the default one if there are none in it. */
  readonly termsIn: (locale: string | undefined) => Translator;
}

/** Texts by language. */
type Catalogs = Readonly<Record<string, Messages>>;

/** Nobody reads more languages than this, and a request must not cause a long loop. */
const MAX_REQUESTED = 20;

/**
 * The languages of the pages: ours, and those that the site adds or changes.
 *
 * @throws TypeError if a language or a text is not one
 */
export function createLanguages(
  { locales: given, messages = {}, locale: localeOf }: LookOptions,
  shipped: Catalogs,
): Languages {
  const locales = given ?? [...new Set([...Object.keys(shipped), ...Object.keys(messages)])];
  for (const [locale, texts] of Object.entries(messages)) checkTexts(locale, texts);
  const translator = new Map(
    locales.map((locale): [string, () => Translator] => {
      if (!Object.hasOwn(shipped, locale) && !Object.hasOwn(messages, locale))
        throw new TypeError(
          `the option pages.locales: there are no texts in '${locale}'; write pages: { messages: { '${locale}': { … } } }, or name one of ${Object.keys(shipped).join(', ')}`,
        );
      // most sites are read in few languages; the site's texts in a language need not be complete
      const translate = () =>
        createTranslator(locale, {
          ...en,
          ...(Object.hasOwn(shipped, locale) ? shipped[locale] : undefined),
          ...(Object.hasOwn(messages, locale) ? messages[locale] : undefined),
        });
      return [locale, lazy(translate)];
    }),
  );
  const [first] = translator.values();
  if (first === undefined) throw new TypeError('the option pages.locales: must name one language at least');

  // a site that knows the language of its users has its own place where they pick it
  const isSwitched = localeOf === undefined && locales.length > 1;

  /** What a client asks for, else what is known about the user, else what their browser says. */
  const localeFor = (req: Request, requested?: readonly string[]): string => {
    const now = Date.now();
    const fromClient = findLocale([...(requested ?? []), ...localesInAddress(req)], locales);
    if (fromClient !== undefined) keepLanguage(req, fromClient, now);
    const ofVisit = requested === undefined ? languageOfVisit(req, now) : [];
    return (
      fromClient ??
      findLocale([...ofVisit, localeOf?.(req) ?? ''], locales) ??
      (req.acceptsLanguages([...locales]) || '')
    );
  };

  return {
    locales,
    isSwitched,
    termsIn: (locale) =>
      ((locale === undefined ? undefined : translator.get(findLocale([locale], locales) ?? '')) ?? first)(),
    translatorFor(req, requested) {
      const chosen = isSwitched ? translator.get(chosenLanguage(req) ?? '') : undefined;
      return (chosen ?? translator.get(localeFor(req, requested)) ?? first)();
    },
  };
}

function checkTexts(locale: string, texts: Partial<Messages>): void {
  if (!isLocale(locale))
    throw new TypeError(
      `the option pages.messages: '${locale}' is no language; write a tag such as pt-BR (BCP 47)`,
    );
  for (const [key, text] of Object.entries(texts)) {
    if (!Object.hasOwn(en, key))
      throw new TypeError(`the option pages.messages.${locale}: there is no text '${key}'`);
    const shipped = en[key as keyof Messages];
    if (isCounted(text) && !isCounted(shipped))
      throw new TypeError(
        `the option pages.messages.${locale}: '${key}' counts nothing; write it without plural`,
      );
    const known = placeholdersIn(shipped);
    const unknown = valuesIn(text, `${locale}: '${key}'`).find((name) => !known.includes(name));
    if (unknown !== undefined)
      throw new TypeError(
        `the option pages.messages.${locale}: '${key}' has {${unknown}}; it may have ${known.map((name) => `{${name}}`).join(', ') || 'none'}`,
      );
  }
}

function isLocale(locale: string): boolean {
  try {
    return Intl.getCanonicalLocales(locale).length === 1;
  } catch {
    return false;
  }
}

/** @throws TypeError if the syntax is wrong */
function valuesIn(text: string, where: string): string[] {
  try {
    return placeholdersIn(text);
  } catch (cause) {
    throw new TypeError(
      `the option pages.messages.${where} has a mistake in its plural; write it like {count, plural, one {# thing} other {# things}}`,
      { cause },
    );
  }
}

export function placeholdersIn(text: string): string[] {
  if (isCounted(text)) return argumentsOf(text);
  return [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

/** RFC 4647 §3.4: the first language that has texts, or for which a wider one has them. */
function findLocale(ranges: readonly string[], locales: readonly string[]): string | undefined {
  const offered = new Map(locales.map((locale) => [locale.toLowerCase(), locale]));
  for (const range of ranges.slice(0, MAX_REQUESTED)) {
    const subtags = range.slice(0, 100).toLowerCase().split('-');
    for (let length = subtags.length; length > 0; length -= 1) {
      const found = offered.get(subtags.slice(0, length).join('-'));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/**
 * The languages that a link to the page asks for. A query that cannot be read asks for none; the error is reported
 * elsewhere.
 */
function localesInAddress(req: Request): readonly string[] {
  try {
    return parseUiLocales(peekParameter(queryOf(req), 'ui_locales'));
  } catch {
    return [];
  }
}
