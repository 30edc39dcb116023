import { z } from 'zod';

import { MAX_CLOCK_TOLERANCE } from '../../shared/clock-tolerance.js';

// The words of each shape follow "the option … must be"; what stands behind "; " is a hint, which comes last.

/** Text that is not empty. */
export function text(words: string): z.ZodType<string, string> {
  return z.string(words).min(1, words);
}

export function textLike(pattern: RegExp, words: string): z.ZodType<string, string> {
  return z.string(words).regex(pattern, words);
}

export function flag(): z.ZodType<boolean, boolean> {
  return z.boolean('a boolean: true or false');
}

interface Bounds {
  readonly atLeast?: 0 | 1;
  readonly atMost?: number;
  /** Why it cannot be more. */
  readonly because?: string;
  readonly example: number;
}

function whole(unit: string, { atLeast = 1, atMost, because, example }: Bounds): z.ZodType<number, number> {
  const ofUnit = unit === '' ? '' : ` of ${unit}`;
  const behind = unit === '' ? '' : ` ${unit}`;
  const number = z
    .number(`a number${ofUnit}, such as ${example}`)
    .int(`${unit === '' ? 'a whole number' : `whole${behind}`}, such as ${example}`)
    .min(atLeast, atLeast === 0 ? `0${behind} or more` : `more than 0${behind}, such as ${example}`);
  return atMost === undefined ? number : number.max(atMost, `at most ${atMost}${behind}${because ?? ''}`);
}

export const seconds = (bounds: Bounds) => whole('seconds', bounds);
export const milliseconds = (bounds: Bounds) => whole('milliseconds', bounds);
export const bytes = (bounds: Bounds) => whole('bytes', bounds);
export const count = (bounds: Bounds) => whole('', bounds);

/** A whole number from `lowest` to `highest`, both included. */
export function between(lowest: number, highest: number, example: number): z.ZodType<number, number> {
  const words = `a whole number from ${lowest} to ${highest}, such as ${example}`;
  return z.number(words).int(words).min(lowest, words).max(highest, words);
}

/** Seconds that two clocks may be apart. */
export function clockTolerance(): z.ZodType<number, number> {
  return seconds({
    atLeast: 0,
    atMost: MAX_CLOCK_TOLERANCE,
    because: ': a token would live that much longer',
    example: 30,
  });
}

export function oneOf<const Names extends readonly string[]>(
  names: Names,
): z.ZodType<Names[number], Names[number]> {
  return z.enum(names, { error: names.length > 3 ? `one of ${names.join(', ')}` : quoted(names) });
}

function quoted(names: readonly string[]): string {
  return names
    .map((name) => `'${name}'`)
    .join(', ')
    .replace(/, ([^,]*)$/, ' or $1');
}

/** @param words what the list must be, also if it is empty and `isNeeded` */
export function listOf<Given, Kept>(
  item: z.ZodType<Kept, Given>,
  words: string,
  { isNeeded = false } = {},
): z.ZodType<readonly Kept[], readonly Given[]> {
  const list = z.array(item, words);
  return isNeeded ? list.min(1, words) : list;
}

export function recordOf<Given, Kept>(
  value: z.ZodType<Kept, Given>,
  words: string,
): z.ZodType<Readonly<Record<string, Kept>>, Readonly<Record<string, Given>>> {
  return z.record(z.string(), value, words);
}

/** A function of the host's; its result is checked where it is called. */
export function functionLike<Function_>(example: string): z.ZodType<Function_, Function_> {
  return z.custom<Function_>((value) => typeof value === 'function', `a function, such as ${example}`);
}

/** An object of another library, known by its methods. */
export function withMethods<Kind>(methods: readonly string[], words: string): z.ZodType<Kind, Kind> {
  return z.custom<Kind>(
    (value) => methods.every((method) => typeof (value as never)?.[method] === 'function'),
    words,
  );
}

/** `false`, which switches it off, or the other shape. */
export function orFalse<Given, Kept>(
  shape: z.ZodType<Kept, Given>,
  words: string,
): z.ZodType<Kept | false, Given | false> {
  return z.union([z.literal(false), shape], words);
}

/** One of two shapes. */
export function either<GivenA, KeptA, GivenB, KeptB>(
  first: z.ZodType<KeptA, GivenA>,
  second: z.ZodType<KeptB, GivenB>,
  words: string,
): z.ZodType<KeptA | KeptB, GivenA | GivenB> {
  return z.union([first, second], words);
}
