import { test } from '@jest/globals';
import fc from 'fast-check';

import { OAuthError } from '../../lib/errors.js';
import { IS_LONG } from './long-run.js';

/** `npm run test:stress` runs a hundred times as many. */
const RUNS = IS_LONG ? 20_000 : 200;

/** A test of what holds for whatever is generated; a failure says the seed and the smallest example. */
export function holds<Values extends [unknown, ...unknown[]]>(
  name: string,
  arbitraries: { [Key in keyof Values]: fc.Arbitrary<Values[Key]> },
  predicate: (...values: Values) => void | Promise<void>,
): void {
  test(
    name,
    async () => {
      await fc.assert(
        fc.asyncProperty<Values>(...arbitraries, async (...values) => {
          await predicate(...values);
        }),
        { numRuns: RUNS },
      );
    },
    10 * 60_000,
  );
}

/** What a parser makes of something, undefined if it refuses it; anything thrown but an error of ours is a defect. */
export function accepted<Value>(parse: () => Value): Value | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof OAuthError && error.status >= 400 && error.status < 500) return undefined;
    throw error;
  }
}

/** Any text: of all of Unicode, halves of surrogate pairs among it, and of what has a meaning to some parser. */
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

/** A text, changed in one place or not at all. */
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
