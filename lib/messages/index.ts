import { createRequire } from 'node:module';

import { en, type MessageKey, type Messages } from './en.js';

export type { MessageKey, Messages };

// the build (build.js) takes this line away: the package is CommonJS, where `require` is at hand
const require = createRequire(import.meta.url);

/**
 * The languages that come with the package: a new one is one file and one line here. Texts are read at their first use,
 * since most sites are visited in few languages.
 */
export const SHIPPED_MESSAGES: Readonly<Record<string, Messages>> = {
  en,
  get de() {
    return require('./de.json') as Messages;
  },
  get es() {
    return require('./es.json') as Messages;
  },
  get fr() {
    return require('./fr.json') as Messages;
  },
  get ja() {
    return require('./ja.json') as Messages;
  },
  get ar() {
    return require('./ar.json') as Messages;
  },
};

/** One text in each language, read when it is asked for. */
export function inEachLanguage(textOf: (messages: Messages) => string): Readonly<Record<string, string>> {
  const locales = Object.keys(SHIPPED_MESSAGES);
  return Object.defineProperties<Record<string, string>>(
    {},
    Object.fromEntries(
      locales.map((locale) => [
        locale,
        { enumerable: true, get: () => textOf(SHIPPED_MESSAGES[locale] ?? en) },
      ]),
    ),
  );
}
