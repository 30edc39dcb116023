import { MAX_CLOCK_TOLERANCE } from '../../shared/date.js';
import * as z from '../../shared/schema.js';

// The message of each shape follows "the option … must be"; the text after "; " is a hint, which comes last.

/** Text that is not empty. */
export function text(message: string): z.Schema<string, string> {
  return z.string(message).min(1, message);
}

export function textLike(pattern: RegExp, message: string): z.Schema<string, string> {
  return z.string(message).regex(pattern, message);
}

export function flag(): z.Schema<boolean, boolean> {
  return z.boolean('a boolean: true or false');
}

interface Bounds {
  readonly min?: 0 | 1;
  readonly max?: number;
  /** The reason for the maximum. */
  readonly because?: string;
  readonly example: number;
}

function whole(unit: string, { min = 1, max, because, example }: Bounds): z.Schema<number, number> {
  const ofUnit = unit === '' ? '' : ` of ${unit}`;
  const behind = unit === '' ? '' : ` ${unit}`;
  const number = z
    .number(`a number${ofUnit}, such as ${example}`)
    .int(`${unit === '' ? 'a whole number' : `whole${behind}`}, such as ${example}`)
    .min(min, min === 0 ? `0${behind} or more` : `more than 0${behind}, such as ${example}`);
  return max === undefined ? number : number.max(max, `at most ${max}${behind}${because ?? ''}`);
}

export const seconds = (bounds: Bounds) => whole('seconds', bounds);
export const milliseconds = (bounds: Bounds) => whole('milliseconds', bounds);
export const count = (bounds: Bounds) => whole('', bounds);

/** A whole number from `lowest` to `highest`, inclusive. */
export function between(lowest: number, highest: number, example: number): z.Schema<number, number> {
  const message = `a whole number from ${lowest} to ${highest}, such as ${example}`;
  return z.number(message).int(message).min(lowest, message).max(highest, message);
}

/** Maximum difference between two clocks in seconds. */
export function clockTolerance(): z.Schema<number, number> {
  return seconds({
    min: 0,
    max: MAX_CLOCK_TOLERANCE,
    because: ': a token would live that much longer',
    example: 30,
  });
}

export function oneOf<const Names extends readonly string[]>(
  names: Names,
): z.Schema<Names[number], Names[number]> {
  const either = new Intl.ListFormat('en-GB', { type: 'disjunction' });
  const quoted = either.format(names.map((name) => `'${name}'`));
  return z.picklist(names, names.length > 3 ? `one of ${names.join(', ')}` : quoted);
}

/** @param message the expected list, also if it is empty and `isNeeded` */
export function listOf<Given, Parsed>(
  item: z.Schema<Parsed, Given>,
  message: string,
  { isNeeded = false } = {},
): z.Schema<readonly Parsed[], readonly Given[]> {
  const list = z.array(item, message);
  return isNeeded ? list.min(1, message) : list;
}

export const scopeList = () =>
  listOf(text("a scope, such as 'photos:read'"), "a list of scopes, such as ['photos:read']");

export function recordOf<Given, Parsed>(value: z.Schema<Parsed, Given>, message: string) {
  return z.record(value, message);
}

/** A function of the site; the caller checks its result. */
export function callback<Function_>(example: string): z.Schema<Function_, Function_> {
  return z.custom<Function_>((value) => typeof value === 'function', `a function, such as ${example}`);
}

/** An object of another library, identified by its methods. */
export function withMethods<Kind>(methods: readonly string[], message: string): z.Schema<Kind, Kind> {
  return z.custom<Kind>(
    (value) => methods.every((method) => typeof (value as never)?.[method] === 'function'),
    message,
  );
}

/** `false`, which switches an option off, or the other shape. */
export function falseOr<Given, Parsed>(
  shape: z.Schema<Parsed, Given>,
  message: string,
): z.Schema<Parsed | false, Given | false> {
  return z.union([z.literal(false, ''), shape], message);
}

/**
 * A text for users, in one language or by language.
 *
 * @param noun the kind of text: `text`, `description`
 */
export function localizedText(noun: string, example: string) {
  const inOneLanguage = text(`a ${noun} that a user understands`);
  return z.union(
    [inOneLanguage, recordOf(inOneLanguage, `a ${noun} by language`)],
    `a ${noun} that a user understands, or one by language: { en: '${example}' }`,
  );
}
