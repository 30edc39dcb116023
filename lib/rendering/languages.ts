import type { Request } from 'express';

import { queryOf } from '../http/query.js';
import { en, type Messages } from '../messages/index.js';
import { once } from '../once.js';
import type { PagesOptions } from '../settings/page-options.js';
import { chosenLanguage } from './chosen-language.js';
import { argumentsOf, isCounted } from './counted-text.js';
import { keepLanguage, languageOfVisit } from './visit-language.js';
import { createWords, type Words } from './words.js';

export interface Languages {
  /** The languages that are offered, the default one first. */
  readonly locales: readonly string[];
  /** Whether a person picks one of them on the pages. */
  readonly isSwitched: boolean;
  /**
   * The texts in the language of a request; `requested` are asked for before those that its address asks for. Only
   * where no client asks for anything, not even by an empty list, it is the language of the visit. What the person has
   * picked on a page goes before all of that.
   */
  wordsFor(req: Request, requested?: readonly string[]): Words;
}

/** Texts by language. */
type Catalogs = Readonly<Record<string, Messages>>;

/** Nobody reads more languages than this, and a request is not to be a loop. */
const MAX_REQUESTED = 20;

/**
 * The languages of the pages: ours, and those that the host adds or changes.
 *
 * @throws TypeError if a language or a text is not one
 */
export function createLanguages(
  { locales: given, messages = {}, locale: localeOf, languageSwitch = true }: PagesOptions,
  shipped: Catalogs,
): Languages {
  const locales = given ?? [...new Set([...Object.keys(shipped), ...Object.keys(messages)])];
  for (const [locale, texts] of Object.entries(messages)) checkTexts(locale, texts);
  const words = new Map(
    locales.map((locale) => {
      const texts = textsOf(locale, messages, shipped);
      // the formats of a language take long to make, and most sites are read in few
      return [locale, once(() => createWords(locale, texts))];
    }),
  );
  const [first] = words.values();
  if (first === undefined) throw new TypeError('the option pages.locales: must name one language at least');

  // a host that knows the language of its people has a place of its own where they pick it
  const isSwitched = languageSwitch && localeOf === undefined && locales.length > 1;

  /** What a client asks for, else what is known of the person, else what their browser says. */
  const localeFor = (req: Request, requested?: readonly string[]): string => {
    const now = Date.now();
    const asked = findLocale([...(requested ?? []), ...localesInAddress(req)], locales);
    if (asked !== undefined) keepLanguage(req, asked, now);
    const ofVisit = requested === undefined ? languageOfVisit(req, now) : [];
    return (
      asked ??
      findLocale([...ofVisit, localeOf?.(req) ?? ''], locales) ??
      (req.acceptsLanguages([...locales]) || '')
    );
  };

  return {
    locales,
    isSwitched,
    wordsFor(req, requested) {
      const chosen = isSwitched ? words.get(chosenLanguage(req) ?? '') : undefined;
      return (chosen ?? words.get(localeFor(req, requested)) ?? first)();
    },
  };
}

/** A language of the host's need not be complete: what it lacks is said in English. */
function textsOf(
  locale: string,
  messages: NonNullable<PagesOptions['messages']>,
  catalogs: Catalogs,
): Messages {
  const shipped = Object.hasOwn(catalogs, locale) ? catalogs[locale] : undefined;
  const own = Object.hasOwn(messages, locale) ? messages[locale] : undefined;
  if (shipped === undefined && own === undefined) {
    throw new TypeError(
      `the option pages.locales: there are no texts in '${locale}'; write pages: { messages: { '${locale}': { … } } }, or name one of ${Object.keys(catalogs).join(', ')}`,
    );
  }
  return { ...en, ...shipped, ...own };
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

/** RFC 4647 §3.4: the first language for which, or for a wider one of which, there are texts. */
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

/** A list of language tags, the best first; empty if it is none (OpenID Connect Core §3.1.2.1). */
export function parseUiLocales(value: unknown): readonly string[] {
  return typeof value === 'string' ? value.split(' ').filter((tag) => tag !== '') : [];
}

/**
 * What a link to the page asks for. What cannot be read says nothing of the language: that it is wrong is
 * said elsewhere.
 */
function localesInAddress(req: Request): readonly string[] {
  try {
    return parseUiLocales(queryOf(req).ui_locales);
  } catch {
    return [];
  }
}
