import ejs from 'ejs';

import type { MessageKey, Messages } from '../../messages/index.js';
import { createCountedText, isCounted } from './counted-text.js';

/** What is filled into a text. */
export type Values = Readonly<Record<string, string | number>>;

/**
 * The elements that set a value apart from the sentence around it. Each isolates its direction, so that no name can
 * turn a sentence round.
 */
const ELEMENTS = {
  bdi: (value: string) => `<bdi>${value}</bdi>`,
  strong: (value: string) => `<strong><bdi>${value}</bdi></strong>`,
  code: (value: string) => `<code>${value}</code>`,
} as const;

export interface DisplayTime {
  readonly iso: string;
  readonly text: string;
  /** Whether the time of day is in the text. */
  readonly isMoment: boolean;
}

/** The texts of the pages in one language. */
export interface Translator {
  /** BCP 47, for `lang`. */
  readonly locale: string;
  /** For `dir`. */
  readonly direction: 'ltr' | 'rtl';
  /** A text by a name that may not be one of ours. */
  readonly find: (name: string) => string | undefined;
  /** A text, to be escaped by the view (`<%= %>`); if it counts, in the form that the number needs in this language. */
  readonly text: (key: MessageKey, values?: Values) => string;
  /** A text as HTML (`<%- %>`): it and its values are escaped, each value is in its own element. */
  readonly markup: (key: MessageKey, values: Values, element?: keyof typeof ELEMENTS) => string;
  /** A text as HTML, with times in `<time>`. */
  readonly times: (key: MessageKey, values: Readonly<Record<string, DisplayTime>>) => string;
  readonly day: (date: Date) => DisplayTime;
  readonly moment: (date: Date) => DisplayTime;
  readonly number: (value: number) => string;
  /** Whole days back: `today`, `yesterday`, `5 days ago`. */
  readonly ago: (days: number) => string;
  /** Seconds in the largest unit of which there are at least two: `24 hours`. */
  readonly span: (seconds: number) => string;
}

const RIGHT_TO_LEFT = new Set(['Adlm', 'Arab', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa']);
const UNITS = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

export function createTranslator(locale: string, messages: Messages): Translator {
  // day before month, as in most of the world that reads English
  const formats = locale === 'en' ? 'en-GB' : locale;
  // UTC, named as such: the server does not know where the user is
  const day = new Intl.DateTimeFormat(formats, { dateStyle: 'long', timeZone: 'UTC' });
  const moment = new Intl.DateTimeFormat(formats, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  const number = new Intl.NumberFormat(formats);
  const relative = new Intl.RelativeTimeFormat(formats, { numeric: 'auto' });
  const counted = new Map<MessageKey, ReturnType<typeof createCountedText>>();

  return {
    locale,
    direction: RIGHT_TO_LEFT.has(new Intl.Locale(locale).maximize().script ?? '') ? 'rtl' : 'ltr',
    find: (key) => (Object.hasOwn(messages, key) ? messages[key as MessageKey] : undefined),
    text(key, values = {}) {
      const message = messages[key];
      // most texts have nothing to fill in
      if (!message.includes('{')) return message;
      if (!isCounted(message)) return fill(message, values, String);
      const format = counted.get(key) ?? createCountedText(message, formats);
      counted.set(key, format);
      return format(values);
    },
    markup: (key, values, element = 'bdi') =>
      fill(ejs.escapeXML(messages[key]), values, (value) => ELEMENTS[element](ejs.escapeXML(String(value)))),
    times: (key, values) =>
      fill(
        ejs.escapeXML(messages[key]),
        values,
        ({ iso, text, isMoment }) =>
          `<time datetime="${ejs.escapeXML(iso)}"${isMoment ? ' data-moment' : ''}>${ejs.escapeXML(text)}</time>`,
      ),
    day: (date) => ({ iso: date.toISOString(), text: day.format(date), isMoment: false }),
    moment: (date) => ({ iso: date.toISOString(), text: `${moment.format(date)} UTC`, isMoment: true }),
    number: (value) => number.format(value),
    ago: (days) => relative.format(-days, 'day'),
    span(seconds) {
      const [size, unit] = UNITS.find(([candidate]) => seconds >= 2 * candidate) ?? [1, 'second'];
      return new Intl.NumberFormat(formats, { style: 'unit', unit, unitDisplay: 'long' }).format(
        Math.ceil(seconds / size),
      );
    },
  };
}

/** The replacement is a function, so that `$&` in a client's name is text. */
function fill<T>(message: string, values: Readonly<Record<string, T>>, write: (value: T) => string): string {
  return message.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return value === undefined ? placeholder : write(value);
  });
}
