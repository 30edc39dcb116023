import { IntlMessageFormat } from 'intl-messageformat';

/** The start of a plural in an ICU text. */
const PLURAL = /\{\w+, ?plural,/;
/** The type of a plain text element in a parsed ICU text. */
const LITERAL = 0;

/** Whether a text has a plural: `{count, plural, one {# application} other {# applications}}`, in the syntax of ICU. */
export function isCounted(text: string): boolean {
  return PLURAL.test(text);
}

/** Formats a text with plurals by the rules of a language: English has two forms, Arabic six. */
export function createCountedText(
  text: string,
  locale: string,
): (values: Readonly<Record<string, string | number>>) => string {
  const message = new IntlMessageFormat(text, locale, undefined, { ignoreTag: true });
  return (values) => String(message.format(values));
}

/**
 * The names of a text's placeholders.
 *
 * @throws SyntaxError if a text with a plural is no ICU text
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
