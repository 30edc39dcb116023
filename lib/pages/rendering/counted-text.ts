import { IntlMessageFormat } from 'intl-messageformat';

/** What a text contains if its words depend on a number. */
const PLURAL = /\{\w+, ?plural,/;
/** The type of an element of an ICU text that is plain words. */
const LITERAL = 0;

/** Whether a text counts: `{count, plural, one {# application} other {# applications}}`, in the syntax of ICU. */
export function isCounted(text: string): boolean {
  return PLURAL.test(text);
}

/** A text that counts, by the rules of a language: English has two forms, Arabic six. */
export function createCountedText(
  text: string,
  locale: string,
): (values: Readonly<Record<string, string | number>>) => string {
  const message = new IntlMessageFormat(text, locale, undefined, { ignoreTag: true });
  return (values) => String(message.format(values));
}

/**
 * The names of what is filled into a text.
 *
 * @throws SyntaxError if it counts and is not an ICU text
 */
export function placeholdersIn(text: string): string[] {
  if (!isCounted(text)) return [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const message = new IntlMessageFormat(text, 'en', undefined, { ignoreTag: true });
  return [...new Set(namesIn(message.getAst()))];
}

function namesIn(elements: ReturnType<IntlMessageFormat['getAst']>): string[] {
  return elements.flatMap((element) => {
    if ('options' in element)
      return [element.value, ...Object.values(element.options).flatMap(({ value }) => namesIn(value))];
    return 'value' in element && Number(element.type) !== LITERAL ? [element.value] : [];
  });
}
