import ejs from 'ejs';

import type { MessageKey, Messages } from '../../messages/index.js';
import { createCountedText, isCounted } from './counted-text.js';

/** The values of a text's placeholders. */
export type Values = Readonly<Record<string, string | number>>;

/** Elements around a value. Each isolates its direction, so that no name can reverse a sentence. */
const ELEMENTS = {
  bdi: (value: string) => `<bdi>${value}</bdi>`,
  strong: (value: string) => `<strong><bdi>${value}</bdi></strong>`,
  code: (value: string) => `<code>${value}</code>`,
} as const;

export interface DisplayTime {
  readonly iso: string;
  readonly text: string;
  /** Whether the text includes the time of day. */
  readonly isMoment: boolean;
}

/** The texts of the pages in one language. */
export type Translator = ReturnType<typeof createTranslator>;

const RIGHT_TO_LEFT = new Set(['Adlm', 'Arab', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa']);
const UNITS = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

export function createTranslator(locale: string, messages: Messages) {
  // day before month, as in most of the English-speaking world
  const formats = locale === 'en' ? 'en-GB' : locale;
  // UTC, labelled so: the server does not know the user's time zone
  const day = new Intl.DateTimeFormat(formats, { dateStyle: 'long', timeZone: 'UTC' });
  const moment = new Intl.DateTimeFormat(formats, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  const number = new Intl.NumberFormat(formats);
  const relative = new Intl.RelativeTimeFormat(formats, { numeric: 'auto' });
  const counted = new Map<MessageKey, ReturnType<typeof createCountedText>>();

  return {
    /** BCP 47, for `lang`. */
    locale,
    /** For `dir`. */
    direction: RIGHT_TO_LEFT.has(new Intl.Locale(locale).maximize().script ?? '') ? 'rtl' : 'ltr',
    /** A text by a key that may not exist. */
    find: (name: string) => (Object.hasOwn(messages, name) ? messages[name as MessageKey] : undefined),
    /** A text, to be escaped by the view (`<%= %>`), in the plural form of this language. */
    text(this: void, key: MessageKey, values: Values = {}) {
      const message = messages[key];
      // most texts have no placeholders
      if (!message.includes('{')) return message;
      if (!isCounted(message)) return fill(message, values, String);
      const format = counted.get(key) ?? createCountedText(message, formats);
      counted.set(key, format);
      return format(values);
    },
    /** A text as HTML (`<%- %>`): escaped, each value in an element. */
    markup: (key: MessageKey, values: Values, element: keyof typeof ELEMENTS = 'bdi') =>
      fill(ejs.escapeXML(messages[key]), values, (value) => ELEMENTS[element](ejs.escapeXML(String(value)))),
    /** A text as HTML, with times in `<time>`. */
    times: (key: MessageKey, values: Readonly<Record<string, DisplayTime>>) =>
      fill(
        ejs.escapeXML(messages[key]),
        values,
        ({ iso, text, isMoment }) =>
          `<time datetime="${ejs.escapeXML(iso)}"${isMoment ? ' data-moment' : ''}>${ejs.escapeXML(text)}</time>`,
      ),
    day: (date: Date): DisplayTime => ({ iso: date.toISOString(), text: day.format(date), isMoment: false }),
    moment: (date: Date): DisplayTime => ({
      iso: date.toISOString(),
      text: `${moment.format(date)} UTC`,
      isMoment: true,
    }),
    number: (value: number) => number.format(value),
    /** A number of days: `today`, `yesterday`, `5 days ago`. */
    ago: (days: number) => relative.format(-days, 'day'),
    /** A number of seconds, in the largest unit of which there are at least two: `24 hours`. */
    span(this: void, seconds: number) {
      const [size, unit] = UNITS.find(([candidate]) => seconds >= 2 * candidate) ?? [1, 'second'];
      return new Intl.NumberFormat(formats, { style: 'unit', unit, unitDisplay: 'long' }).format(
        Math.ceil(seconds / size),
      );
    },
  } as const;
}

/** The replacement is a function, so that `$&` in a client's name stays text. */
function fill<T>(message: string, values: Readonly<Record<string, T>>, write: (value: T) => string): string {
  return message.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return value === undefined ? placeholder : write(value);
  });
}
