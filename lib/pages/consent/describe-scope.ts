import type { Settings } from '../../settings/settings.js';

/** A scope in words, in the language of the page as far as the host has told it in that one. */
export function describeScope(scopes: Settings['scopes'], scope: string, locale: string): string {
  const description = Object.hasOwn(scopes, scope) ? scopes[scope]?.description : undefined;
  if (description === undefined || typeof description === 'string') return description ?? scope;
  const [language = locale] = locale.split('-');
  const own = [locale, language].find((candidate) => Object.hasOwn(description, candidate));
  return (own === undefined ? Object.values(description)[0] : description[own]) ?? scope;
}
