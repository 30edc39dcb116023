import { test } from '@jest/globals';
import fc from 'fast-check';

import { OAuthError } from '../../lib/shared/errors.js';
import { IS_LONG } from './long-run.js';

/** `npm run test:stress` runs a hundred times as many. Fewer would not reach the targets of some suites. */
const RUNS = IS_LONG ? 20_000 : 200;

/** A test of a property that holds for all generated values; a failure names the seed and the smallest example. */
export function holds<Values extends [unknown, ...unknown[]]>(
  name: string,
  arbitraries: { [Key in keyof Values]: fc.Arbitrary<Values[Key]> },
  predicate: (...values: Values) => void | Promise<void>,
  /** For slow runs. Default: as many as of the others. */
  runs = RUNS,
  /** The first values of a run, before the generated ones. */
  examples: Values[] = [],
): void {
  test(name, async () => {
    await fc.assert(
      fc.asyncProperty<Values>(...arbitraries, async (...values) => {
        await predicate(...values);
      }),
      { numRuns: runs, examples },
    );
  });
}

/** The result of a parser, undefined if it refuses; if it throws anything but an error of ours, that is a defect. */
export function accepted<Value>(parse: () => Value): Value | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof OAuthError && error.status >= 400 && error.status < 500) return undefined;
    throw error;
  }
}

/** Any text: from all of Unicode, with halves of surrogate pairs, and with characters of meaning to parsers. */
export const anyText = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc
      .array(fc.oneof(fc.constantFrom(...SPECIAL), fc.string({ maxLength: 6 })), { maxLength: 8 })
      .map((parts) => parts.join('')),
    fc
      .array(fc.integer({ min: 0xd7f0, max: 0xe010 }), { maxLength: 4 })
      .map((codes) => String.fromCharCode(...codes)),
  );

/** The text, changed in one place or not at all. */
export const almost = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.nat(text.length),
      fc.nat(4),
      fc.oneof(fc.constantFrom('', ...SPECIAL), fc.string({ maxLength: 3 })),
    )
    .map(([from, length, put]) => `${text.slice(0, from)}${put}${text.slice(from + length)}`);

const SPECIAL = [
  ...['\0', '\r\n', '\t', ' ', '"', '\\', '%', '%0', '%00', '%2F', '%zz', '&', '=', '+', '#', '?', '/', '//'],
  ...[':', '@', '.', '..', '*', '[', ']', '[]', '{}', '$ne', '__proto__', 'constructor', 'toString', 'null'],
  ...['ü', '\ufffd', '\ufeff', '\u202e', '\u2028', '😀', '\ud800', '１', 'ｅ', 'İ', 'ß'],
  ...[
    'https://',
    'http://',
    'javascript:',
    'localhost',
    '127.0.0.1',
    '[::1]',
    'a.example',
    '\\@evil.example',
  ],
];
