import { scopeOf } from '../../authorization/decision.js';
import type { Settings } from '../../settings/settings.js';

/** A scope in words, in the language of the page if the host has a text in it. */
export function describeScope(scopes: Settings['scopes'], scope: string, locale: string): string {
  return sayIn(scopeOf(scopes, scope)?.description, locale) ?? scope;
}

/** A text of the host's, which is in one language or in several; undefined if there is none. */
export function sayIn(
  given: string | Readonly<Record<string, string>> | undefined,
  locale: string,
): string | undefined {
  if (given === undefined || typeof given === 'string') return given;
  const [language = locale] = locale.split('-');
  const own = [locale, language].find((candidate) => Object.hasOwn(given, candidate));
  return own === undefined ? Object.values(given)[0] : given[own];
}
